// StoreCopy: what a namespace holds, and its text in a file: what `ballot store export` writes and `import` reads.
// Knows nothing of stores. Pure.
//
//   ballot-store 1
//   id 019d...                        of the move
//   at 2026-07-01T12:00:00.000Z       when it was copied,
//   by root on db1                    and by whom
//   version 0.9.0                     of ballot
//   from backend local, namespace default
//   to etcd                           as people have named it; may be missing
//   epochs 57                         no term has had a higher one
//   entries 2
//   register g/nightly                then its value, each line after a space
//    ballot 1
//    epoch 57
//   record p/trim
//    ballot 1\                        a backslash at a line's end: no line end there; within a line: \\ and \xHH
//   end 4f0c...                       SHA-256 of all before this line
//
// What is no printable ASCII and no UTF-8 is escaped, so that the file goes through whatever takes text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot::app {

/// A register, which a term changes, or a record, which is created and removed.
struct StoredEntry {
  enum class Kind { of_register, of_record };

  Kind kind = Kind::of_register;
  std::string name;   ///< "j/backup"
  std::string value;  ///< any bytes, at most 8 KiB where a store is to take it
  bool operator==(const StoredEntry&) const = default;
};

/// The kind of what has this name. refused: a kind of a newer version.
Result<StoredEntry::Kind> kind_of(std::string_view name);
/// The entry belongs to the store or to a session, not to what moves: identities, marks, what nodes say of themselves.
bool stays(std::string_view name);

struct StoreCopy {
  RunId id;
  WallTime at{};
  std::string by, version, from, to;
  std::uint64_t highest_epoch = 0;
  std::vector<StoredEntry> entries;  ///< by name
  bool operator==(const StoreCopy&) const = default;
};

inline constexpr std::size_t largest_copy = std::size_t{1} << 30;  // bytes of a file

std::string to_text(const StoreCopy& copy);
/// A text of a copy without its last line, with that one.
std::string with_digest(std::string_view text);
/// Of what to_text() has written: the digest in its last line.
std::string digest_in(std::string_view text);
/// Errors name the line: corrupt (cut off, edited, no such file), refused (a newer format).
Result<StoreCopy> parse_store_copy(std::string_view text);

}  // namespace ballot::app
