// MoveMark, EpochMark: the records by which a namespace says that it is being moved to another store, was moved, or is
// the copy of one. Pure values; knows nothing of who goes by them (NamespaceState).
//
//   create({std::string(export_mark), to_text(mark)});      const auto mark = parse_move_mark(record.value);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ballot/error.hpp"
#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot::core {

/// Of records that are the namespace's own: these, and its identity.
inline constexpr std::string_view mark_prefix = "s/";
/// `ballot store export` is under way, or was not ended.
inline constexpr std::string_view export_mark = "s/export";
/// The namespace was moved: a whole copy of it exists.
inline constexpr std::string_view moved_mark = "s/moved";
/// Its copy was imported into another namespace, whose import has said so here.
inline constexpr std::string_view imported_mark = "s/imported";
/// `ballot store import` is under way, or was not ended.
inline constexpr std::string_view import_mark = "s/import";
/// An EpochMark.
inline constexpr std::string_view epoch_mark = "s/epochs";

/// What a store counts itself is far below it, so no sum is beyond what a register may have.
inline constexpr std::uint64_t highest_base = std::uint64_t{1} << 61;

struct MoveMark {
  RunId id;                  ///< of the move: the copy has the same
  WallTime at{};             ///< when it was made
  std::string by;            ///< who asked for it
  std::string to;            ///< where the namespace goes, for people; "": nobody has said
  std::string digest;        ///< of the copy, 64 hexadecimal digits; "": there is none yet
  std::uint64_t epochs = 0;  ///< no term before had a higher one; 0: not known yet
  RunId import = {};         ///< of an import: its own id; 0: it is no mark of one
  bool operator==(const MoveMark&) const = default;
};

/// What is added to each epoch of the store: those of the store before were at most so high.
struct EpochMark {
  std::uint64_t base = 0;  ///< at most highest_base
  bool operator==(const EpochMark&) const = default;
};

/// What a group's register says first where its namespace moves: by that it is halted for daemons of releases that know
/// no marks.
inline constexpr std::string_view halted_by_move = "by ballot store: ";
/// Behind it, where the namespace was moved; else an import into it has not ended.
inline constexpr std::string_view was_moved = "this namespace was moved to ";
/// What is said of a group, or of all of them, while an export holds the daemons, and while an import has not ended.
inline constexpr std::string_view is_being_moved = "this namespace is being moved to another store";
inline constexpr std::string_view import_not_ended = "an import into this namespace has not ended";

/// By which daemons are held.
inline constexpr std::string_view holding_marks[] = {export_mark, import_mark, moved_mark};

/// "moved" or "moving", where that is why a group is halted; "": it is something else.
std::string_view move_word(std::string_view halted);

std::string to_text(const MoveMark&);
std::string to_text(const EpochMark&);
/// Errors: corrupt; refused, where the format is newer than this program's.
Result<MoveMark> parse_move_mark(std::string_view text);
Result<EpochMark> parse_epoch_mark(std::string_view text);

}  // namespace ballot::core
