#include "app/store/store_copy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/hex.hpp"
#include "base/utf8.hpp"
#include "base/wall_text.hpp"
#include "core/record/move_marks.hpp"
#include "http/sha256.hpp"

namespace ballot::app {
namespace {

constexpr std::string_view first_words = "ballot-store ";
constexpr std::string_view copy_format = "1";
constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t digest_size = 2 * sizeof(web::Sha256);
constexpr std::size_t longest_name = 255;
constexpr std::string_view register_word = "register ", record_word = "record ", end_word = "end ";

std::string digest_of(std::string_view text) {
  const web::Sha256 hash = web::sha256(text);
  return to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

void append_escape(std::string& to, unsigned char byte) {
  ((to += "\\x") += hex_digits[byte >> 4]) += hex_digits[byte & 15];
}

/// One line of a value, without its end.
void append_line(std::string& to, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    const auto byte = static_cast<unsigned char>(text.front());
    if (byte == '\\')
      to += "\\\\";
    else if (utf8_length(text) == 0 || is_display_control(utf8_character(text, length)))
      for (const char one : text.substr(0, length)) append_escape(to, static_cast<unsigned char>(one));
    else
      to += text.substr(0, length);
    text.remove_prefix(length);
  }
}

void append_entry_value(std::string& to, std::string_view value) {
  while (!value.empty()) {
    const std::size_t end = value.find('\n');
    append_line(to += ' ', value.substr(0, end));
    to += end == std::string_view::npos ? "\\\n" : "\n";
    value.remove_prefix(end == std::string_view::npos ? value.size() : end + 1);
  }
}

std::optional<unsigned> digit_of(char letter) {
  const std::size_t at = hex_digits.find(letter);
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(at));
}

/// Adds what a line of a value says. False: no such line was written.
bool read_line(std::string_view line, std::string& value) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      value += line[i];
    } else if (i + 1 == line.size()) {
      return true;  // no line end here
    } else if (line[i + 1] == '\\') {
      value += line[++i];
    } else {
      const auto high = line[i + 1] == 'x' && i + 3 < line.size() ? digit_of(line[i + 2]) : std::nullopt;
      const auto low = high ? digit_of(line[i + 3]) : std::nullopt;
      if (!low) return false;
      value += static_cast<char>(*high << 4 | *low);
      i += 3;
    }
  }
  value += '\n';
  return true;
}

/// In one line, as people read it.
std::string one_line(const std::string& text) {
  std::string line;
  append_line(line, text);
  return line;
}

bool is_entry_name(std::string_view name) {
  constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@";
  return name.size() >= 3 && name.size() <= longest_name && name[1] == '/' && name[0] >= 'a' && name[0] <= 'z' &&
         name.find_first_not_of(allowed, 2) == std::string_view::npos;
}

/// Reads a file's lines from the front.
class CopyReader {
 public:
  explicit CopyReader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool is_next(std::string_view word) const { return rest_.starts_with(word); }
  /// Without its end. Requires: it has one, as the text before a last line has.
  std::string_view take() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return line;
  }
  /// The next line's value, where it is of this key.
  std::optional<std::string_view> take_field(std::string_view key) {
    if (!is_next(key) || rest_.substr(key.size(), 1) != " ") return std::nullopt;
    return take().substr(key.size() + 1);
  }
  Error corrupt(const std::string& why) const {
    return {Errc::corrupt, "line " + std::to_string(number_) + ": " + why};
  }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

std::optional<std::uint64_t> number_of(std::optional<std::string_view> text, std::uint64_t most) {
  std::uint64_t value = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size() || value > most) return std::nullopt;
  return value;
}

/// A text that one_line() has made.
std::optional<std::string> line_text(std::optional<std::string_view> shown) {
  std::string text;
  if (!shown || !read_line(*shown, text) || text.empty() || text.back() != '\n') return std::nullopt;
  text.pop_back();
  return text;
}

Result<StoredEntry> read_entry(CopyReader& lines) {
  StoredEntry entry;
  entry.kind = lines.is_next(register_word) ? StoredEntry::Kind::of_register : StoredEntry::Kind::of_record;
  const bool is_register = entry.kind == StoredEntry::Kind::of_register;
  if (!is_register && !lines.is_next(record_word))
    return lines.take(), lines.corrupt("neither a register nor a record");
  entry.name = lines.take().substr((is_register ? register_word : record_word).size());
  if (!is_entry_name(entry.name)) return lines.corrupt("not the name of a register or record");
  const auto kind = kind_of(entry.name);
  if (!kind) return kind.error();
  if (*kind != entry.kind || stays(entry.name)) return lines.corrupt(entry.name + " is not of this kind");
  bool goes_on = true;
  while (lines.is_next(" ")) {
    if (!goes_on) return lines.corrupt("follows the end of " + entry.name);
    const std::size_t before = entry.value.size();
    if (!read_line(lines.take().substr(1), entry.value)) return lines.corrupt("cannot be read");
    goes_on = entry.value.size() > before && entry.value.back() == '\n';
  }
  return entry;
}

Result<std::uint64_t> read_head(CopyReader& lines, StoreCopy& copy) {
  const auto id = RunId::parse(lines.take_field("id").value_or(""));
  if (!id) return lines.corrupt("no id follows");
  const auto at = parse_wall(lines.take_field("at").value_or(""));
  if (!at) return lines.corrupt("no time follows");
  copy.id = *id, copy.at = *at;
  for (const auto& [key, to] :
       {std::pair("by", &copy.by), std::pair("version", &copy.version), std::pair("from", &copy.from)}) {
    const auto text = line_text(lines.take_field(key));
    if (!text) return lines.corrupt(std::string("no `") + key + "` follows");
    *to = *text;
  }
  if (lines.is_next("to ")) {
    const auto to = line_text(lines.take_field("to"));
    if (!to || to->empty()) return lines.corrupt("cannot be read");
    copy.to = *to;
  }
  const auto epochs = number_of(lines.take_field("epochs"), core::highest_base);
  if (!epochs) return lines.corrupt("no `epochs` follows");
  copy.highest_epoch = *epochs;
  const auto entries = number_of(lines.take_field("entries"), largest_copy);
  return entries ? Result<std::uint64_t>(*entries) : lines.corrupt("no `entries` follows");
}

Error is_cut_off() {
  return {Errc::corrupt, "its last line is no `end` with a digest: it was cut off, or is still being written"};
}

/// What precedes the last line, where that has the right digest.
Result<std::string_view> checked_text(std::string_view text) {
  const std::string digest = digest_in(text);
  if (digest.empty()) return is_cut_off();
  const std::string_view before = text.substr(0, text.size() - end_word.size() - digest_size - 1);
  if (digest_of(before) == digest) return before;
  return Error{Errc::corrupt, "its digest is another one: it was edited, or damaged on its way"};
}

}  // namespace

Result<StoredEntry::Kind> kind_of(std::string_view name) {
  constexpr std::string_view registers = "gjt", records = "nopqs";
  if (name.size() < 2 || name[1] != '/') return Error{Errc::corrupt, std::string(name) + " is no name"};
  if (registers.find(name[0]) != std::string_view::npos) return StoredEntry::Kind::of_register;
  if (records.find(name[0]) != std::string_view::npos) return StoredEntry::Kind::of_record;
  return Error{Errc::refused, std::string(name) + " is of a kind that this version does not know: use a newer ballot"};
}

bool stays(std::string_view name) { return name.starts_with("s/") || name.starts_with("n/"); }

std::string to_text(const StoreCopy& copy) {
  std::string text(first_words);
  const auto line = [&text](std::string_view key, std::string_view value) {
    text.append(key).append(" ").append(value).append("\n");
  };
  text.append(copy_format).append("\n");
  line("id", copy.id.text());
  line("at", format_millis(copy.at));
  line("by", one_line(copy.by));
  line("version", one_line(copy.version));
  line("from", one_line(copy.from));
  if (!copy.to.empty()) line("to", one_line(copy.to));
  line("epochs", std::to_string(copy.highest_epoch));
  line("entries", std::to_string(copy.entries.size()));
  for (const StoredEntry& entry : copy.entries) {
    text.append(entry.kind == StoredEntry::Kind::of_register ? register_word : record_word)
        .append(entry.name)
        .append("\n");
    append_entry_value(text, entry.value);
  }
  return with_digest(text);
}

std::string with_digest(std::string_view text) {
  return std::string(text).append(end_word).append(digest_of(text)).append("\n");
}

std::string digest_in(std::string_view text) {
  const std::size_t size = end_word.size() + digest_size + 1;
  if (text.size() <= size || text.back() != '\n' || text[text.size() - size - 1] != '\n') return {};
  text.remove_prefix(text.size() - size);
  const std::string_view digest = text.substr(end_word.size(), digest_size);
  if (!text.starts_with(end_word) || digest.find_first_not_of(hex_digits) != std::string_view::npos) return {};
  return std::string(digest);
}

Result<StoreCopy> parse_store_copy(std::string_view text) {
  if (text.size() > largest_copy) return Error{Errc::corrupt, "it has more than 1 GiB"};
  if (!text.starts_with(first_words))
    return Error{Errc::corrupt, "it is no copy of a store: `ballot store export` writes one"};
  const std::string_view first = text.substr(0, text.find('\n')).substr(first_words.size());
  if (first != copy_format && !first.empty() && first.find_first_not_of("0123456789") == std::string_view::npos)
    return Error{Errc::refused, "it has the newer format " + std::string(first.substr(0, 20)) + ": use a newer ballot"};
  const auto checked = checked_text(text);
  if (!checked) return checked.error();
  CopyReader lines(*checked);
  if (lines.take().substr(first_words.size()) != copy_format) return lines.corrupt("no format");
  StoreCopy copy;
  const auto entries = read_head(lines, copy);
  if (!entries) return entries.error();
  while (!lines.at_end()) {
    auto entry = read_entry(lines);
    if (!entry) return entry.error();
    if (!copy.entries.empty() && entry->name <= copy.entries.back().name)
      return lines.corrupt(entry->name + " is not in its place");
    copy.entries.push_back(*std::move(entry));
  }
  if (copy.entries.size() != *entries) return lines.corrupt("it has not as many entries as it says");
  return copy;
}

}  // namespace ballot::app
