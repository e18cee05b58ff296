#include "base/runner_wire.hpp"

#include <limits>
#include <tuple>
#include <type_traits>

namespace ballot::runner {
namespace {

constexpr std::size_t header_size = 4, largest_frame = 64u << 20;

/// M, const or not: so that one list of fields serves both directions.
template <class M, class T>
concept Is = std::same_as<std::remove_const_t<M>, T>;

template <Is<AttemptId> M>
auto fields(M& m) {
  return std::tie(m.run.bytes, m.attempt);
}
template <Is<Output> M>
auto fields(M& m) {
  return std::tie(m.head, m.tail, m.total_bytes);
}
template <Is<Limits> M>
auto fields(M& m) {
  return std::tie(m.open_files, m.cpu_time_seconds, m.address_space, m.processes, m.memory_max, m.cpu_weight,
                  m.tasks_max);
}
template <Is<Start> M>
auto fields(M& m) {
  return std::tie(m.id, m.job, m.argv, m.environment, m.working_dir, m.set_identity, m.uid, m.gid, m.groups, m.umask,
                  m.nice, m.no_new_privs, m.limits, m.standard_input, m.output_limit, m.stream_output,
                  m.launch_not_after, m.kill_signal, m.kill_grace, m.deadline, m.term_key, m.terminate);
}
template <Is<Kill> M>
auto fields(M& m) {
  return std::tie(m.id, m.reason, m.signal, m.grace);
}
template <Is<Deadline> M>
auto fields(M& m) {
  return std::tie(m.term_key, m.at, m.grace);
}
template <class M>
requires Is<M, Ack> || Is<M, Refused>
auto fields(M& m) { return std::tie(m.id); }
template <class M>
requires Is<M, Leave> || Is<M, Ping> || Is<M, Pong>
auto fields(M&) { return std::tuple<>(); }
template <Is<Command> M>
auto fields(M& m) {
  return std::tie(m.owner);
}
template <Is<Watch> M>
auto fields(M& m) {
  return std::tie(m.resigns);
}
template <Is<ShowOutput> M>
auto fields(M& m) {
  return std::tie(m.id, m.from);
}
template <Is<Shown> M>
auto fields(M& m) {
  return std::tie(m.id, m.known, m.ended, m.begin, m.total, m.bytes);
}
template <Is<Successor> M>
auto fields(M& m) {
  return std::tie(m.argv, m.environment, m.lock, m.not_before);
}
template <Is<Ready> M>
auto fields(M& m) {
  return std::tie(m.commanded, m.owner);
}
template <Is<Hello> M>
auto fields(M& m) {
  return std::tie(m.protocol, m.pid);
}
template <Is<Running> M>
auto fields(M& m) {
  return std::tie(m.id, m.job, m.pid, m.started_at);
}
template <Is<Started> M>
auto fields(M& m) {
  return std::tie(m.id, m.pid, m.started_at);
}
template <Is<CannotStart> M>
auto fields(M& m) {
  return std::tie(m.id, m.stage, m.error);
}
template <Is<Printed> M>
auto fields(M& m) {
  return std::tie(m.id, m.bytes);
}
template <Is<Ended> M>
auto fields(M& m) {
  return std::tie(m.id, m.exit_code, m.signal, m.reason, m.started_at, m.ended_at, m.duration, m.leftover, m.output);
}

template <class T>
constexpr T last_word = T{};
/// Whatever a newer runner or daemon has said is kept.
template <>
constexpr Reason last_word<Reason> = static_cast<Reason>(std::numeric_limits<std::int32_t>::max());
template <>
constexpr Leftover last_word<Leftover> = Leftover::unkillable;

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  template <class T>
  void put(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
      little_endian(static_cast<std::uint64_t>(value), 8);
    else
      std::apply([this](const auto&... field) { (put(field), ...); }, fields(value));
  }
  void put(const std::string& text) {
    count(text.size());
    out_ += text;
  }
  void put(const decltype(RunId::bytes)& bytes) { out_.append(bytes.begin(), bytes.end()); }
  void put(Millis duration) { put(duration.count()); }
  void put(WallTime time) { put(time.time_since_epoch()); }
  void put(SteadyTime time) { put(time.time_since_epoch()); }
  template <class T>
  void put(const std::vector<T>& list) {
    count(list.size());
    for (const T& item : list) put(item);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }

 private:
  void count(std::size_t size) { little_endian(size, 4); }
  void little_endian(std::uint64_t value, std::size_t size) {
    char bytes[8];
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
    out_.append(bytes, size);
  }

  std::string& out_;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

/// Takes fields from the front of a frame; what is not there, or does not fit, makes ok() false for good.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool all_taken() const { return ok_ && bytes_.empty(); }

  template <class T>
  void get(T& value) {
    if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(integer(0, static_cast<std::int64_t>(last_word<T>)));
    else if constexpr (std::same_as<T, std::uint64_t>)
      value = little_endian(take(8));
    else if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    else
      std::apply([this](auto&... field) { (get(field), ...); }, fields(value));
  }
  void get(std::string& text) { text = take(count()); }
  void get(decltype(RunId::bytes)& bytes) {
    const std::string_view taken = take(bytes.size());
    std::copy(taken.begin(), taken.end(), bytes.begin());
  }
  void get(Millis& duration) {
    std::int64_t millis = 0;
    get(millis);
    duration = Millis(millis);
  }
  template <class Clock>
  void get(std::chrono::time_point<Clock, Millis>& time) {
    Millis since{0};
    get(since);
    time = std::chrono::time_point<Clock, Millis>(since);
  }
  template <class T>
  void get(std::vector<T>& list) {
    for (std::size_t left = count(); ok_ && left > 0; --left) get(list.emplace_back());
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool present = false;
    get(present);
    if (present) get(value.emplace());
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) ok_ = false;
    if (!ok_) return {};
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::size_t count() { return static_cast<std::size_t>(little_endian(take(4))); }
  std::int64_t integer(std::int64_t least, std::int64_t most) {
    const auto value = static_cast<std::int64_t>(little_endian(take(8)));
    if (value >= least && value <= most) return value;
    ok_ = false;
    return least;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

template <class Message>
void append_any(const Message& message, std::string& out) {
  const std::size_t begin = out.size();
  out.append(header_size, '\0');
  out += static_cast<char>(message.index());
  std::visit([&](const auto& m) { Writer(out).put(m); }, message);
  const std::size_t length = out.size() - begin - header_size;
  for (std::size_t i = 0; i < header_size; ++i) out[begin + i] = static_cast<char>(length >> (8 * i));
}

template <class Message>
std::string encode_any(const Message& message) {
  std::string frame;
  append_any(message, frame);
  return frame;
}

template <class Message, std::size_t kind = 0>
std::optional<Message> decode_any(std::size_t wanted, std::string_view body) {
  if constexpr (kind < std::variant_size_v<Message>) {
    if (kind != wanted) return decode_any<Message, kind + 1>(wanted, body);
    Message message{std::in_place_index<kind>};
    Reader reader(body);
    reader.get(std::get<kind>(message));
    if (reader.all_taken()) return message;
  }
  return std::nullopt;
}

Error unreadable(std::string what) {
  return Error{Errc::corrupt, "cannot read what came over the runner's socket: " + std::move(what)};
}

template <class Message>
Result<std::optional<Message>> take_frame(std::string& buffer, std::size_t& taken) {
  const std::string_view rest = std::string_view(buffer).substr(taken);
  if (rest.size() < header_size) {
    buffer.erase(0, taken);
    taken = 0;
    return std::optional<Message>();
  }
  const auto length = static_cast<std::size_t>(little_endian(rest.substr(0, header_size)));
  if (length == 0 || length > largest_frame)
    return unreadable("a frame of " + std::to_string(length) + " bytes (at most 64 MiB)");
  if (rest.size() - header_size < length) {
    buffer.erase(0, taken);
    taken = 0;
    return std::optional<Message>();
  }
  const std::string_view frame = rest.substr(header_size, length);
  const auto kind = static_cast<std::uint8_t>(frame.front());
  std::optional<Message> message = decode_any<Message>(kind, frame.substr(1));
  if (!message)
    return unreadable("a frame of kind " + std::to_string(kind) + " and " + std::to_string(length) + " bytes");
  taken += header_size + length;
  return message;
}

}  // namespace

std::string encode(const ToRunner& message) { return encode_any(message); }
std::string encode(const FromRunner& message) { return encode_any(message); }
void append(const ToRunner& message, std::string& out) { append_any(message, out); }
void append(const FromRunner& message, std::string& out) { append_any(message, out); }

Result<std::optional<ToRunner>> FrameReader::next_to_runner() { return take_frame<ToRunner>(buffer_, taken_); }
Result<std::optional<FromRunner>> FrameReader::next_from_runner() { return take_frame<FromRunner>(buffer_, taken_); }

}  // namespace ballot::runner
