#include "config/diagnostics.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/utf8.hpp"

namespace ballot::config {
namespace {

constexpr std::size_t longest_quote = 80;
constexpr std::ptrdiff_t most_findings = 100;  // of a file

/// A character that a terminal obeys, or a byte that is no UTF-8.
bool is_unprintable(std::string_view character, std::size_t length) {
  return length == 0 || is_display_control(utf8_character(character, length));
}

std::string on_one_line(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    if (!is_unprintable(character, length)) {
      line += character;
      continue;
    }
    for (const char c : character)
      line += {'\\', 'x', digits[static_cast<unsigned char>(c) >> 4], digits[static_cast<unsigned char>(c) & 15]};
  }
  return line;
}

/// `findings`: of one file.
Diagnostic in_place_of(const Diagnostics& findings) {
  std::size_t count = 0;
  for (const Diagnostic& one : findings) count += std::max<std::size_t>(one.left_out, 1);
  const Diagnostic& first = findings.front();
  return {has_errors(findings) ? Severity::error : Severity::warning,
          first.file,
          first.line,
          first.column,
          std::to_string(count) + " further findings are left out; mend the ones above first",
          count};
}

}  // namespace

std::string Diagnostic::text() const {
  std::string out = on_one_line(file);
  if (line > 0) out += ':' + std::to_string(line) + ':' + std::to_string(column);
  out += severity == Severity::error ? ": error: " : ": warning: ";
  return out + on_one_line(message);
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string summary_of_errors(const Diagnostics& diagnostics) {
  const auto is_error = [](const Diagnostic& one) { return one.severity == Severity::error; };
  const auto count = std::count_if(diagnostics.begin(), diagnostics.end(), is_error);
  if (count == 0) return {};
  std::string first = std::find_if(diagnostics.begin(), diagnostics.end(), is_error)->text();
  if (const auto list = first.find(" Known are "); list != std::string::npos) first.resize(list);
  const std::string hint = " in the job files (`ballot check` lists them): ";
  return count == 1 ? "1 error" + hint + first : std::to_string(count) + " errors" + hint + "the first is " + first;
}

void sort(Diagnostics& diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  });
}

void sort_and_bound(Diagnostics& diagnostics) {
  sort(diagnostics);
  Diagnostics kept;
  for (auto first = diagnostics.begin(); first != diagnostics.end();) {
    const auto last =
        std::find_if(first, diagnostics.end(), [&](const Diagnostic& d) { return d.file != first->file; });
    const auto rest = last - first > most_findings ? first + most_findings : last;
    Diagnostics left_out(rest, last);
    kept.insert(kept.end(), std::make_move_iterator(first), std::make_move_iterator(rest));
    if (!left_out.empty()) kept.push_back(in_place_of(left_out));
    first = last;
  }
  diagnostics = std::move(kept);
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= longest_quote) return '\'' + std::string(text) + '\'';
  std::size_t end = longest_quote;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return '\'' + std::string(text.substr(0, end)) + "...'";
}

void Findings::add(Severity severity, Position at, std::string message) {
  into_.push_back({severity, std::string(file_), at.line, at.column, std::move(message)});
}

}  // namespace ballot::config
