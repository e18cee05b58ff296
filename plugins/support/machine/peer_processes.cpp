#include "support/machine/peer_processes.hpp"

#include <poll.h>
#include <sys/syscall.h>

#include <algorithm>

namespace ballot::support {

void PeerProcesses::follow(const std::vector<FolderSession>& live, const LockFile& lock) {
  const auto gone = [&](std::int64_t id) {
    return std::none_of(live.begin(), live.end(), [id](const FolderSession& session) { return session.id == id; });
  };
  std::erase_if(processes_, [&](const auto& entry) { return gone(entry.first); });
  std::erase_if(unwatched_, gone);
  for (const FolderSession& session : live) {
    if (processes_.contains(session.id) || unwatched_.contains(session.id)) continue;
    const bool ours = own_.pid == session.process && own_.space == session.pid_space;
    Descriptor process = ours ? Descriptor() : open(session);
    // Still alive after its pid was looked up: the pid has not passed to another.
    if (!lock.held(LockFile::life(session.id))) continue;
    if (ours || process)
      processes_[session.id] = std::move(process);
    else
      unwatched_.insert(session.id);
  }
}

Descriptor PeerProcesses::open(const FolderSession& session) const {
  if (session.pid_space == 0 || session.pid_space != own_.space) return Descriptor();
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(session.process), 0)));
}

/// The locks of one may outlive its process: then it is polled for.
bool PeerProcesses::reap() {
  std::vector<std::int64_t> ended;
  for (const auto& [id, process] : processes_) {
    pollfd ready{process.get(), POLLIN, 0};
    if (process && ::poll(&ready, 1, 0) > 0) ended.push_back(id);
  }
  for (const std::int64_t id : ended) {
    processes_.erase(id);
    unwatched_.insert(id);
  }
  return !ended.empty();
}

std::vector<int> PeerProcesses::descriptors() const {
  std::vector<int> all;
  for (const auto& [id, process] : processes_)
    if (process) all.push_back(process.get());
  return all;
}

}  // namespace ballot::support
