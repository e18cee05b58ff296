// A text that somebody wrote, as it is shown in a message: in quotes, on one line, and no longer than helps.
#pragma once

#include <string>
#include <string_view>

namespace ballot {

inline std::string quoted(std::string_view text) {
  constexpr std::size_t most = 60;
  std::size_t end = text.size();
  if (end > most)
    for (end = most; end > 0 && (text[end] & 0xc0) == 0x80;) --end;  // not within a letter of UTF-8
  std::string shown(text.substr(0, end));
  for (char& c : shown)
    if ((c >= 0 && c < ' ') || c == '\x7f') c = '?';
  return "'" + shown + (end < text.size() ? "...'" : "'");
}

}  // namespace ballot
