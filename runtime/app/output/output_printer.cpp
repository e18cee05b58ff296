#include "app/output/output_printer.hpp"

#include "app/print/escape.hpp"
#include "base/utf8.hpp"

namespace ballot::app {
namespace {

constexpr std::size_t whole = static_cast<std::size_t>(-1);

/// How much at the end of `text` may go on in what comes next: a character, or a carriage return before a line's end.
std::size_t unfinished(std::string_view text) {
  if (text.ends_with('\r')) return 1;
  for (std::size_t size = 1; size <= 3 && size <= text.size(); ++size) {
    const auto lead = static_cast<unsigned char>(text[text.size() - size]);
    const std::size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    if (lead < 0x80) return 0;
    if (lead >= 0xc2) return wanted > size ? size : 0;
  }
  return 0;
}

std::string harmless(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\r\n\t");
    append_escaped(shown, text.substr(0, end), Escape::plain);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end);
    if (text.starts_with("\r\n")) text.remove_prefix(1);
    if (text.front() == '\r')
      append_escaped(shown, text.substr(0, 1), Escape::plain);
    else
      shown += text.front();
    text.remove_prefix(1);
  }
  return shown;
}

}  // namespace

void OutputPrinter::print(const OutputPiece& piece) {
  if (piece.begin > at_) {
    finish();
    if (!line_begins_) out_ << '\n';
    out_ << "[ballot: " << piece.begin - at_ << " bytes left out]\n";
    line_begins_ = true;
  }
  write(piece.bytes);
  at_ = piece.end();
}

void OutputPrinter::print(const Output& output) {
  while (at_ < output.total_bytes) print(piece_of(output, at_, whole));
}

void OutputPrinter::write(std::string_view bytes) {
  if (bytes.empty()) return;
  line_begins_ = bytes.back() == '\n';
  if (text_ == OutputText::as_it_is) {
    out_ << bytes;
    return;
  }
  const std::string all = held_ + std::string(bytes);
  const std::size_t kept = unfinished(all);
  out_ << harmless(std::string_view(all).substr(0, all.size() - kept));
  held_ = all.substr(all.size() - kept);
}

void OutputPrinter::finish() {
  out_ << harmless(held_);
  held_.clear();
}

}  // namespace ballot::app
