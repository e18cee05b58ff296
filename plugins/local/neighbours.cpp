#include "neighbours.hpp"

#include <poll.h>
#include <sys/syscall.h>

#include <algorithm>

namespace ballot::local {

void Neighbours::follow(const std::vector<SessionRow>& live, const LockFile& lock) {
  const auto gone = [&](std::int64_t id) {
    return std::none_of(live.begin(), live.end(), [id](const SessionRow& row) { return row.id == id; });
  };
  std::erase_if(processes_, [&](const auto& entry) { return gone(entry.first); });
  std::erase_if(unheard_, gone);
  for (const SessionRow& row : live) {
    if (processes_.contains(row.id) || unheard_.contains(row.id)) continue;
    const bool ours = own_.pid == row.process && own_.space == row.pid_space;
    Descriptor process = ours ? Descriptor() : open(row);
    // Still alive after its pid was looked up: the pid has not passed to another.
    if (!lock.held(LockFile::life(row.id))) continue;
    if (ours || process)
      processes_[row.id] = std::move(process);
    else
      unheard_.insert(row.id);
  }
}

Descriptor Neighbours::open(const SessionRow& row) const {
  if (row.pid_space == 0 || row.pid_space != own_.space) return Descriptor();
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(row.process), 0)));
}

/// One whose locks outlive its process is looked for from then on.
bool Neighbours::reap() {
  std::vector<std::int64_t> ended;
  for (const auto& [id, process] : processes_) {
    pollfd ready{process.get(), POLLIN, 0};
    if (process && ::poll(&ready, 1, 0) > 0) ended.push_back(id);
  }
  for (const std::int64_t id : ended) {
    processes_.erase(id);
    unheard_.insert(id);
  }
  return !ended.empty();
}

std::vector<int> Neighbours::descriptors() const {
  std::vector<int> all;
  for (const auto& [id, process] : processes_)
    if (process) all.push_back(process.get());
  return all;
}

}  // namespace ballot::local
