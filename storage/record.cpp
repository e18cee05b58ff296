#include "storage/record.hpp"

#include <array>
#include <limits>
#include <type_traits>

namespace ballot::storage {
namespace {

constexpr std::uint64_t record_version = 1;
constexpr std::uint64_t version_with_words =
    2;  // of rows whose status or reason is of a newer version: their words follow

/// Writes fields one after the other. `fields` below names them once, for both directions.
class FieldWriter {
 public:
  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
      integer(static_cast<std::uint64_t>(value));
    else
      put(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void integer(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift & 0xff);
  }
  void put(const std::string& text) {
    integer(text.size());
    bytes_ += text;
  }
  void put(WallTime time) { (*this)(time.time_since_epoch().count()); }
  void put(Millis duration) { (*this)(duration.count()); }
  template <class Enum>
  void put(const Named<Enum>& value) {
    (*this)(value.number());
  }
  void put(const RunId& id) { bytes_.append(id.bytes.begin(), id.bytes.end()); }
  template <class T>
  void put(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    integer(values.size());
    for (const T& value : values) (*this)(value);
  }

  std::string bytes_;
};

/// The last one that this version knows.
template <class Enum>
constexpr Enum last_word = Enum{};
template <>
constexpr Trigger last_word<Trigger> = last_trigger;
template <>
constexpr Leftover last_word<Leftover> = Leftover::unkillable;
template <>
constexpr Cause last_word<Cause> = Cause::unfit;
template <>
constexpr Basis last_word<Basis> = Basis::repaired;
template <>
constexpr KnownRow::Of last_word<KnownRow::Of> = KnownRow::Of::job;
template <>
constexpr Concurrency last_word<Concurrency> = Concurrency::allow;

/// Reads them back; past the end everything is zero and `ok` is false, which it is too where a number is none of its
/// field's.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(number(0, static_cast<std::int64_t>(last_word<T>)));
    else if constexpr (std::is_same_v<T, std::uint64_t>)
      value = integer();
    else if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(number(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    else
      get(value);
  }
  bool at_end() const { return ok_ && bytes_.empty(); }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) ok_ = false, count = 0;
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::uint64_t integer() {
    std::uint64_t value = 0;
    int shift = 0;
    for (const char c : take(8)) value |= std::uint64_t{static_cast<unsigned char>(c)} << shift, shift += 8;
    return value;
  }
  std::int64_t number(std::int64_t least, std::int64_t most) {
    const auto value = static_cast<std::int64_t>(integer());
    if (value >= least && value <= most) return value;
    ok_ = false;
    return least;
  }
  void get(std::string& text) { text = take(integer()); }
  void get(WallTime& time) { time = WallTime(Millis(static_cast<std::int64_t>(integer()))); }
  void get(Millis& duration) { duration = Millis(static_cast<std::int64_t>(integer())); }
  template <class Enum>
  void get(Named<Enum>& value) {
    const auto number = static_cast<std::int64_t>(integer());
    const auto named = Named<Enum>::make(number, "");
    ok_ = ok_ && named.has_value();
    if (named) value = *named;
  }
  void get(RunId& id) {
    std::size_t i = 0;
    for (const char c : take(id.bytes.size())) id.bytes[i++] = static_cast<std::uint8_t>(c);
  }
  template <class T>
  void get(std::optional<T>& value) {
    if (number(0, 1) == 1) (*this)(value.emplace());
  }
  template <class T>
  void get(std::vector<T>& values) {
    for (std::uint64_t left = integer(); ok_ && left > 0; --left) (*this)(values.emplace_back());
  }

  std::string_view bytes_;
  bool ok_ = true;
};

template <class Visit, class R>
void fields(Visit& visit, R& row) requires std::is_same_v<std::remove_const_t<R>, Row> {
  visit(row.run), visit(row.job), visit(row.group), visit(row.slot), visit(row.slot_until), visit(row.slots);
  visit(row.trigger), visit(row.attempt), visit(row.status), visit(row.reason), visit(row.exit_code);
  visit(row.signal), visit(row.started_at), visit(row.ended_at), visit(row.duration), visit(row.node);
  visit(row.epoch), visit(row.fence), visit(row.output_bytes), visit(row.leftover);
}

template <class Visit, class T>
void fields(Visit& visit, T& term) requires std::is_same_v<std::remove_const_t<T>, TermRow> {
  visit(term.group), visit(term.node), visit(term.epoch), visit(term.elected_at), visit(term.ended_at);
  visit(term.cause);
}

/// Without its keys, which older builds would refuse: the job's next term records them again.
template <class Visit, class D>
void fields(Visit& visit, D& defined) requires std::is_same_v<std::remove_const_t<D>, DefinedRow> {
  auto& row = defined.row;
  visit(row.job), visit(row.group), visit(row.node), visit(row.from), visit(row.epoch), visit(row.before);
  visit(row.basis), visit(row.digest), visit(row.schedule), visit(row.anchors), visit(row.timezone);
  visit(row.not_before), visit(row.not_after), visit(row.enabled), visit(row.jitter), visit(row.start_deadline);
  visit(row.concurrency), visit(row.retries), visit(row.at_least_once), visit(row.reruns);
}

template <class Visit, class K>
void fields(Visit& visit, K& known) requires std::is_same_v<std::remove_const_t<K>, KnownRow> {
  visit(known.store), visit(known.of), visit(known.name), visit(known.repair), visit(known.count), visit(known.times);
}

template <class Visit, class P>
void fields(Visit& visit, P& pause) requires std::is_same_v<std::remove_const_t<P>, PauseRow> {
  visit(pause.job), visit(pause.group), visit(pause.node), visit(pause.from), visit(pause.until), visit(pause.by);
}

template <class Visit, class Q>
void fields(Visit& visit, Q& request) requires std::is_same_v<std::remove_const_t<Q>, RequestRow> {
  visit(request.id), visit(request.kind), visit(request.job), visit(request.group), visit(request.run);
  visit(request.node), visit(request.at), visit(request.by);
}

template <class Visit, class A>
void fields(Visit& visit, A& answer) requires std::is_same_v<std::remove_const_t<A>, AnswerRow> {
  visit(answer.id), visit(answer.result), visit(answer.text), visit(answer.at);
}

template <class Visit, class O>
void fields(Visit& visit, O& record) requires std::is_same_v<std::remove_const_t<O>, OutputRecord> {
  visit(record.run), visit(record.attempt), visit(record.output.total_bytes), visit(record.output.head);
  visit(record.output.tail);
}

template <class Visit, class E>
void fields(Visit& visit, E& evidence) requires std::is_same_v<std::remove_const_t<E>, EvidenceRow> {
  fields(visit, evidence.row);
}

template <class R>
auto* row_of(R& record) {
  if constexpr (std::is_same_v<std::remove_const_t<R>, EvidenceRow>)
    return &record.row;
  else if constexpr (std::is_same_v<std::remove_const_t<R>, Row>)
    return &record;
  else
    return static_cast<Row*>(nullptr);
}

bool needs_words(const Record& record) {
  return std::visit(
      [](const auto& value) {
        const Row* row = row_of(value);
        return row && !(row->status.is_known() && row->reason.is_known());
      },
      record);
}

template <class Enum>
void read_word(FieldReader& reader, Named<Enum>& value) {
  std::string word;
  reader(word);
  if (auto named = Named<Enum>::make(value.number(), word)) value = std::move(*named);
}

/// What older builds do not write, and refuse where it is there: only where it says something.
template <class R>
bool has_more(const R& record) {
  if constexpr (std::is_same_v<R, PauseRow>) return record.ends || !record.reason.empty();
  if constexpr (std::is_same_v<R, RequestRow>) return !record.env.empty();
  return false;
}

template <class Visit, class R>
void more(Visit& visit, R& record) {
  if constexpr (std::is_same_v<std::remove_const_t<R>, PauseRow>) visit(record.ends), visit(record.reason);
  if constexpr (std::is_same_v<std::remove_const_t<R>, RequestRow>) visit(record.env);
}

template <class T>
std::optional<Record> read(FieldReader& reader, bool with_words) {
  T value;
  fields(reader, value);
  if constexpr (std::is_same_v<T, PauseRow> || std::is_same_v<T, RequestRow>)
    if (!reader.at_end()) more(reader, value);
  if (Row* row = row_of(value); row && with_words) {
    read_word(reader, row->status);
    read_word(reader, row->reason);
  }
  if (!reader.at_end()) return std::nullopt;
  return value;
}

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
    table[i] = value;
  }
  return table;
}();

}  // namespace

std::size_t weight(const Record& record) {
  if (const auto* printed = std::get_if<OutputRecord>(&record))
    return printed->output.head.size() + printed->output.tail.size();
  return 0;
}

std::string encode(const Record& record) {
  FieldWriter writer;
  const bool with_words = needs_words(record);
  writer(with_words ? version_with_words : record_version);
  writer(record.index());
  std::visit(
      [&](const auto& value) {
        fields(writer, value);
        if (has_more(value)) more(writer, value);
        if (const Row* row = row_of(value); row && with_words)
          writer(std::string(row->status.text())), writer(std::string(row->reason.text()));
      },
      record);
  return writer.take();
}

std::optional<Record> decode(std::string_view bytes) {
  FieldReader reader(bytes);
  std::uint64_t written_by = 0, kind = 0;
  reader(written_by);
  reader(kind);
  const bool with_words = written_by == version_with_words;
  if (written_by != record_version && !with_words) return std::nullopt;
  switch (kind) {
    case 0: return read<Row>(reader, with_words);
    case 1: return read<TermRow>(reader, with_words);
    case 2: return read<OutputRecord>(reader, with_words);
    case 3: return read<EvidenceRow>(reader, with_words);
    case 4: return read<DefinedRow>(reader, with_words);
    case 5: return read<KnownRow>(reader, with_words);
    case 6: return read<PauseRow>(reader, with_words);
    case 7: return read<RequestRow>(reader, with_words);
    case 8: return read<AnswerRow>(reader, with_words);
    default: return std::nullopt;
  }
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) crc = crc >> 8 ^ crc_table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

}  // namespace ballot::storage
