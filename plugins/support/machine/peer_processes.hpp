// PeerProcesses: the processes of the other daemons of the folder: a pidfd each, which is readable as soon as its
// process has ended and its locks have fallen. Knows nothing of groups. One thread.
//
//   peers.follow(sessions, lock);           // whenever a session may have come
//   ... poll(peers.descriptors()) ...  if (peers.reap()) ... some locks have fallen
#pragma once

#include <map>
#include <set>
#include <vector>

#include "support/descriptor.hpp"
#include "support/machine/liveness.hpp"
#include "support/machine/lock_file.hpp"
#include "support/machine/process.hpp"

namespace ballot::support {

class PeerProcesses {
 public:
  /// `live`: the sessions of others whose daemons live. All others are forgotten.
  void follow(const std::vector<FolderSession>& live, const LockFile& lock);
  /// True: some process has ended. It is not waited for any more.
  bool reap();
  /// The end of some live daemon is not noticed (another pid namespace, another version): poll.
  bool lossy() const noexcept { return !unwatched_.empty(); }
  std::vector<int> descriptors() const;

 private:
  Descriptor open(const FolderSession& session) const;

  const Process own_ = this_process();
  std::map<std::int64_t, Descriptor> processes_;  // by session; no descriptor for one of this process
  std::set<std::int64_t> unwatched_;
};

}  // namespace ballot::support
