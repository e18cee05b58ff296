// Text of others (names, commands, what a child printed) on its way to a terminal, a log or a JSON reader.
//
// Control characters, also those of C1 and those that set the direction of text, and bytes that are no UTF-8 are
// written as \n, \u001b, \u202e, \xff, so that no text can end a line, move a cursor, look like another text or break a
// reader.
#pragma once

#include <string>
#include <string_view>

namespace ballot::app {

enum class Escape {
  plain,   // between other words: quotes and backslashes stay as they are
  quoted,  // within "": quotes and backslashes are escaped too
  json     // as quoted, in JSON's own escapes: a byte that is no UTF-8 becomes the text \xff
};

void append_escaped(std::string& to, std::string_view text, Escape how);
std::string escaped(std::string_view text, Escape how);

/// `text` as a JSON string, with its quotes.
std::string json_text(std::string_view text);

}  // namespace ballot::app
