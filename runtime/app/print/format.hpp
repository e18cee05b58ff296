// RecordWriter: prints records as an aligned table, as JSON or as CSV. What every command that lists prints through.
//
// Columns are the record's keys, the same in every format; a table shows only those with a title, and on a terminal as
// many of them as fit: slots are shortened, then columns are left out, those with nothing in them first, then from the
// last one on, those that stay after all others; then a tree loses its indent, and texts are cut, names of jobs and
// groups in their middle. JSON: absent is null, numbers are numbers. CSV: a header, the quotes of RFC 4180, lines that
// end with LF, absent is empty. Times are RFC 3339.
//
//   RecordWriter out(std::cout, {{"job", "JOB"}, {"slots", ""}}, {Format::table});
//   out.row({"nightly", 1});
//   out.finish();
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/print/colors.hpp"
#include "ballot/time.hpp"

namespace ballot::app {

enum class Format { table, json, csv };
std::optional<Format> parse_format(std::string_view word);

/// To the second where it is a whole one.
struct SlotTime {
  WallTime at;
  bool operator==(const SlotTime&) const = default;
};

/// Text of which a part would be of no use, such as a run's id: never cut to fit.
struct Uncut {
  std::string text;
  bool operator==(const Uncut&) const = default;
};

/// A slot in a zone, as RFC 3339 with the zone's offset, and in a table a word before it: "until ".
struct LocalSlot {
  std::string text, before = {};
  bool operator==(const LocalSlot&) const = default;
};

/// A list in JSON; elsewhere a text, with commas between.
using NameList = std::vector<std::string>;

/// Absent, text, a number, an instant (to the millisecond), a slot, a duration (a number of ms but in a table), names.
using Cell =
    std::variant<std::monostate, std::string, std::int64_t, WallTime, SlotTime, Uncut, LocalSlot, Millis, NameList>;

/// The cell of something that may be absent.
template <class T>
Cell cell(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}
/// The cell of a word, absent where it is empty.
inline Cell word(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }
/// The cell of a number, absent where it is zero.
inline Cell number(std::uint64_t value) { return value == 0 ? Cell() : Cell(static_cast<std::int64_t>(value)); }

/// "a, b".
std::string joined(const NameList& names);

enum class Tint { plain, by_word };  // by_word: a status or a state, in its colour
/// stays: left out of a narrow table only where nothing else is left to leave out; yields: before any text is cut.
enum class Room { may_go, stays, yields };
enum class Shape { flat, tree };  // tree: indented by two spaces a step, which a narrow table does without

struct Column {
  std::string name;
  std::string title = {};  // "": not in the table
  Tint tint = Tint::plain;
  Room room = Room::may_go;
  Shape shape = Shape::flat;
};

struct Layout {
  Format format = Format::table;
  bool follow = false;    // JSON: one object a line instead of one array
  std::size_t width = 0;  // a table is made to fit; 0: it is as wide as it is
  Colors colors = Colors::off;
};

class RecordWriter {
 public:
  RecordWriter(std::ostream& out, std::vector<Column> columns, Layout layout);
  ~RecordWriter();

  /// Requires: as many cells as columns.
  void row(std::vector<Cell> cells);
  /// Prints the rows that a table has kept in order to align it.
  void flush();
  /// A last element of JSON with names of its own, about the list; nothing in other formats.
  using Fields = std::vector<std::pair<std::string, Cell>>;
  void remark(const Fields& fields);
  /// The last call. An empty list is a heading, [] or nothing (follow).
  void finish();

  class Style;

 private:
  std::unique_ptr<Style> style_;
};

/// The name of a job or a group, of which the middle is left out where it has more than `most` characters.
std::string cut_name(const std::string& text, std::size_t most);

/// Of the terminal that stdout is; 0 if it is none.
std::size_t terminal_width();

/// As stdout can show it.
Layout stdout_layout(Format format, bool follow = false);

}  // namespace ballot::app
