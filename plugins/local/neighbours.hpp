// Neighbours: the other daemons of the folder, by their processes: a pidfd each, which is readable as soon as its
// process has ended and its locks have fallen. Knows nothing of groups. One thread.
//
//   neighbours.follow(sessions, lock);      // whenever a session may have come
//   ... poll(neighbours.descriptors()) ...  if (neighbours.reap()) ... some locks have fallen
#pragma once

#include <map>
#include <set>
#include <vector>

#include "lock_file.hpp"
#include "process.hpp"
#include "register_db.hpp"
#include "support/descriptor.hpp"

namespace ballot::local {

using support::Descriptor;

class Neighbours {
 public:
  /// `live`: the sessions of others whose daemons live. All others are forgotten.
  void follow(const std::vector<SessionRow>& live, const LockFile& lock);
  /// True: some process has ended. It is not waited for any more.
  bool reap();
  /// Some live daemon's death cannot be heard: another pid namespace, another version.
  bool blind() const noexcept { return !unheard_.empty(); }
  std::vector<int> descriptors() const;

 private:
  Descriptor open(const SessionRow& row) const;

  const Process own_ = this_process();
  std::map<std::int64_t, Descriptor> processes_;  // by session; none for one of this process, which says what it does
  std::set<std::int64_t> unheard_;
};

}  // namespace ballot::local
