#include "protocol.hpp"

#include <algorithm>
#include <charconv>

#include "support/bounds.hpp"

namespace ballot::jetstream {

namespace {

namespace bounds = support::bounds;

constexpr std::string_view info_word = "INFO", line_end = "\r\n", version = "NATS/1.0";
constexpr std::size_t most_words = 6, shown = 40;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (words.size() < most_words) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty()) break;
    const std::size_t size = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, size));
    line.remove_prefix(size);
  }
  return words;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

/// The line behind its first word.
std::string rest_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line);
}

std::string unquoted(std::string text) {
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') return text.substr(1, text.size() - 2);
  return text;
}

/// The text can be a subject: one word of a line.
bool is_word(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
}

}  // namespace

bool Reader::fail(std::string problem) {
  state_ = State::broken;
  problem_ = std::move(problem);
  line_ = payload_ = {};
  frame_ = {};
  return false;
}

bool Reader::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const bool goes_on = state_ == State::line      ? read_line(bytes)
                         : state_ == State::payload ? read_payload(bytes)
                                                    : state_ == State::end && read_end(bytes);
    if (!goes_on) return false;
  }
  return state_ != State::broken;
}

bool Reader::read_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  const std::size_t size = std::min(end, bytes.size());
  if (line_.size() + size > bounds::info) return fail("a line of more than " + std::to_string(bounds::info) + " bytes");
  line_.append(bytes.substr(0, size));
  bytes.remove_prefix(end == std::string_view::npos ? size : size + 1);
  if (line_.size() > bounds::line && !line_.starts_with(info_word))
    return fail("a line of more than " + std::to_string(bounds::line) + " bytes");
  if (end == std::string_view::npos) return true;
  if (line_.empty() || line_.back() != '\r') return fail("a line without its end: " + line_.substr(0, shown));
  line_.pop_back();
  const bool understood = on_line(line_);
  line_.clear();
  return understood;
}

bool Reader::on_line(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  const std::string_view word = words.empty() ? std::string_view() : words[0];
  if (word == "MSG" || word == "HMSG") return on_message(words, word == "HMSG");
  Frame frame;
  if (word == info_word)
    frame = {Frame::Kind::info, rest_of(line)};
  else if (word == "-ERR")
    frame = {Frame::Kind::error, unquoted(rest_of(line))};
  else if (word == "PING")
    frame.kind = Frame::Kind::ping;
  else if (word == "PONG")
    frame.kind = Frame::Kind::pong;
  else if (word != "+OK")
    return fail("this is no line of NATS: " + std::string(line.substr(0, shown)));
  take_(std::move(frame));
  return true;
}

/// MSG subject subscription [reply] size; HMSG the same, with the header's size before that of all.
bool Reader::on_message(const std::vector<std::string_view>& words, bool has_header) {
  const std::size_t fixed = has_header ? 5 : 4;
  const auto bad = [&] { return fail("a message's line that is none: " + line_.substr(0, shown)); };
  if (words.size() != fixed && words.size() != fixed + 1) return bad();
  const auto subscription = number_of<std::uint64_t>(words[2]);
  const auto size = number_of<std::size_t>(words.back());
  const auto header = has_header ? number_of<std::size_t>(words[words.size() - 2]) : 0;
  if (!subscription || !size || !header || *header > *size) return bad();
  if (*size > bounds::message)
    return fail("a message of " + std::to_string(*size) + " bytes, more than " + std::to_string(bounds::message));
  frame_ = {Frame::Kind::message, {}, std::string(words[1]), {}, *subscription};
  if (words.size() > fixed) frame_.reply = words[3];
  header_size_ = *header;
  missing_ = *size;
  payload_.clear();
  state_ = missing_ == 0 ? State::end : State::payload;
  return true;
}

bool Reader::read_payload(std::string_view& bytes) {
  const std::string_view piece = bytes.substr(0, missing_);
  payload_.append(piece.substr(0, bounds::kept - payload_.size()));
  missing_ -= piece.size();
  bytes.remove_prefix(piece.size());
  if (missing_ == 0) state_ = State::end;
  return true;
}

bool Reader::read_end(std::string_view& bytes) {
  const std::size_t size = std::min(bytes.size(), line_end.size() - line_.size());
  line_.append(bytes.substr(0, size));
  bytes.remove_prefix(size);
  if (line_ != line_end.substr(0, line_.size())) return fail("a message that does not end where it says");
  if (line_.size() < line_end.size()) return true;
  line_.clear();
  state_ = State::line;
  if (header_size_ <= payload_.size()) {
    frame_.header = payload_.substr(0, header_size_);
    payload_.erase(0, header_size_);
  }
  frame_.data = std::exchange(payload_, {});
  take_(std::exchange(frame_, {}));
  return true;
}

int status_of(std::string_view header) {
  if (!header.starts_with(version)) return 0;
  const std::vector<std::string_view> words = words_of(header.substr(0, header.find('\r')));
  return words.size() < 2 ? 0 : number_of<int>(words[1]).value_or(0);
}

std::string_view value_of(std::string_view header, std::string_view name) {
  while (true) {
    const std::size_t end = header.find(line_end);
    if (end == std::string_view::npos) return {};
    header.remove_prefix(end + line_end.size());
    if (!header.starts_with(name) || header.size() == name.size() || header[name.size()] != ':') continue;
    std::string_view value = header.substr(name.size() + 1);
    value = value.substr(0, value.find('\r'));
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    return value;
  }
}

/// $JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.ITS_OWN.TIME.PENDING; newer servers have domain and account after ACK.
std::optional<Places> places_of(std::string_view reply) {
  constexpr std::string_view head = "$JS.ACK.";
  constexpr std::size_t old_parts = 7, new_parts = 9;
  if (!reply.starts_with(head)) return std::nullopt;
  reply.remove_prefix(head.size());
  std::vector<std::string_view> parts;
  for (bool more = true; more && parts.size() <= new_parts + 1;) {
    const std::size_t dot = reply.find('.');
    parts.push_back(reply.substr(0, dot));
    more = dot != std::string_view::npos;
    if (more) reply.remove_prefix(dot + 1);
  }
  if (parts.size() != old_parts && parts.size() < new_parts) return std::nullopt;
  const std::size_t at = parts.size() == old_parts ? 1 : 3;
  const auto stream = number_of<std::uint64_t>(parts[at + 2]), own = number_of<std::uint64_t>(parts[at + 3]);
  const auto time = number_of<std::int64_t>(parts[at + 4]);
  if (!stream || *stream > bounds::version || !own || !time || *time < 0) return std::nullopt;
  constexpr std::int64_t nanos = 1'000'000;  // of a millisecond
  return Places{std::string(parts[at]), *stream, *own, WallTime(Millis(*time / nanos))};
}

std::string publish_text(const Post& post, std::string_view reply) {
  if (post.subject.empty() || !is_word(post.subject) || !is_word(reply)) return {};
  std::string header;
  for (const auto& [name, value] : post.headers) {
    if (value.find_first_of("\r\n") != std::string::npos) return {};
    if (header.empty()) header.append(version).append(line_end);
    header.append(name).append(": ").append(value).append(line_end);
  }
  if (!header.empty()) header.append(line_end);
  std::string text = header.empty() ? "PUB " : "HPUB ";
  text.append(post.subject).append(" ");
  if (!reply.empty()) text.append(reply).append(" ");
  if (!header.empty()) text.append(std::to_string(header.size())).append(" ");
  text.append(std::to_string(header.size() + post.data.size())).append(line_end);
  return text.append(header).append(post.data).append(line_end);
}

std::string subscribe_text(std::string_view subject, std::uint64_t subscription) {
  return "SUB " + std::string(subject) + " " + std::to_string(subscription) + "\r\n";
}

std::string unsubscribe_text(std::uint64_t subscription) { return "UNSUB " + std::to_string(subscription) + "\r\n"; }

}  // namespace ballot::jetstream
