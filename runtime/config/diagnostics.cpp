#include "config/diagnostics.hpp"

#include <algorithm>
#include <tuple>

namespace ballot::config {
namespace {

constexpr std::size_t longest_quote = 80;

std::string on_one_line(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f)
      line += c;
    else
      line += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return line;
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

void sort(Diagnostics& diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  });
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
