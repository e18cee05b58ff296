// What a namespace has, as `ballot store` copies it: which entries go into the copy, in whose term each is written, how
// a group's register says that nothing of it is launched while a namespace moves, and where two copies differ. Pure.
//
//   const auto entries = entries_of(listed);
//   for (const std::string& group : groups_in(*entries)) ...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/store/store_copy.hpp"
#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "ballot/time.hpp"

namespace ballot::app {

/// What of `listed` goes into a copy, by name; group registers without the halts of halted_text(). Errors: refused
/// (an entry of a kind that this version does not know).
Result<std::vector<StoredEntry>> entries_of(std::vector<Register> listed);

/// The group in whose term the register is written; "default" where it names none that can be read.
std::string group_of(const StoredEntry& entry);
/// Of all registers, by name, each once; "default" where there is none.
std::vector<std::string> groups_in(const std::vector<StoredEntry>& entries);
/// The highest epoch that a register names.
std::uint64_t highest_epoch_in(const std::vector<StoredEntry>& entries);

/// A group's register that says why nothing of the group is launched; the daemons of releases that know nothing of a
/// move go by it too. As it is where it says so already, or cannot be read.
std::string halted_text(const std::string& value, std::string_view why, WallTime now);
/// The same without what halted_text() has added.
std::string unhalted_text(const std::string& value);

/// Where two copies differ, by name.
struct Differences {
  std::vector<std::string> only_first, only_second, differing;
  std::size_t size() const { return only_first.size() + only_second.size() + differing.size(); }
};
/// Both in the order of entries_of().
Differences differences(const std::vector<StoredEntry>& first, const std::vector<StoredEntry>& second);

/// "such as j/backup, j/report", of a list that is not empty.
std::string some_of(const std::vector<std::string>& names);

/// "3 jobs, 1 group, 2 open runs, 1 pause".
std::string summary_of(const std::vector<StoredEntry>& entries);

}  // namespace ballot::app
