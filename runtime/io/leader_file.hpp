// LeaderFile: the file of `ballot election file`, and of a group's `state_file`: it says until when whoever wrote it
// leads, so that it needs no backend to be read, and is void when its writer dies. Replaced as a whole.
//
//   write_leader_file("/run/leader", {"db", "host-1", 7, boot_id(), deadline});
//   if (auto valid = check_leader_file("/run/leader", "db", read_clocks().steady, boot_id()); valid) ...
#pragma once

#include <cstdint>
#include <string>

#include "ballot/error.hpp"
#include "ballot/time.hpp"

namespace ballot::io {

struct LeaderFile {
  std::string group, node;
  std::uint64_t epoch = 0;
  std::string boot_id;     // of the machine: `deadline` is of its boot clock
  SteadyTime deadline{};   // past it, it does not lead
  WallTime valid_until{};  // the same, for people
  WallTime written{};
};

/// A file that anybody may read, replaced as a whole: whoever reads it sees the old text or the new one. Errors: io.
Result<void> replace_file(const std::string& path, const std::string& text);

/// Errors: io.
Result<void> write_leader_file(const std::string& path, const LeaderFile& file);

/// Whether the file says that somebody leads `group` now. not_found: there is none; corrupt: it is no such file;
/// refused: it is another group's, another boot's, a link, or its lease has run out; or others could have written it:
/// it must belong to root, to who asks or to the owner of its folder, and be writable by nobody else.
Result<LeaderFile> check_leader_file(const std::string& path, const std::string& group, SteadyTime now,
                                     const std::string& boot_id);

}  // namespace ballot::io
