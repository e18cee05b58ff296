// Cursors, which whoever asks for the next page of a list sends back, or makes up.
#include "harness.hpp"
#include "library/history/ledger_wire.hpp"
#include "library/shown/cursor.hpp"

namespace ballot::fuzz::cursor_harness {
namespace {

constexpr std::string_view list = "a list";

void read_back(std::string_view input) {
  const auto place = library::cursor_place(input, list);
  if (!place) return require(place.error().code == Errc::invalid, "it is none", place.error().what);
  require(input.size() <= library::longest_cursor, "a cursor is short");
  (void)library::position_from(*place);
  require(library::cursor_text(*place, list) == input, "a place has one cursor", input);
}

/// What is no cursor may be a place.
void make(std::string_view input) {
  const auto place = io::decode(input);
  if (!place) return;
  const std::string cursor = library::cursor_text(*place, list);
  require(cursor.find_first_not_of("0123456789abcdef-") == std::string::npos, "it is of letters and digits", cursor);
  if (cursor.size() > library::longest_cursor) return;
  const auto again = library::cursor_place(cursor, list);
  require(again && *again == *place, "it comes back as it was", cursor);
  require(!library::cursor_place(cursor, "another list"), "it is of one list", cursor);
  for (const std::size_t at : {std::size_t{2}, cursor.size() / 2, cursor.size() - 1}) {
    std::string other = cursor;
    other[at] = other[at] == '0' ? '1' : '0';
    require(!library::cursor_place(other, list), "a changed one is none", other);
  }
}

}  // namespace

BALLOT_FUZZ(cursor) {
  read_back(input);
  make(input);
}

}  // namespace ballot::fuzz::cursor_harness
