#include "io/notify/state_files.hpp"

#include <unistd.h>

#include <utility>

#include "io/clocks.hpp"

namespace ballot::io {

StateFiles::StateFiles(std::string node, Log log) : node_(std::move(node)), boot_id_(boot_id()), log_(std::move(log)) {}

StateFiles::~StateFiles() {
  remove_all();
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

/// A file that moves is written at its new place with the next renewal.
void StateFiles::define(const std::vector<Group>& groups) {
  std::map<std::string, std::string> before = std::exchange(paths_, {});
  for (const Group& group : groups)
    if (!group.state_file.empty()) paths_[group.name] = group.state_file;
  for (const auto& [group, path] : before)
    if (const auto now = paths_.find(group); now == paths_.end() || now->second != path) ask(path, {group, {}});
  for (const auto& [group, path] : paths_)
    if (!before.contains(group) && !epochs_.contains(group)) ask(path, {group, {}});
}

void StateFiles::set(const std::string& group, std::uint64_t epoch, SteadyTime deadline) {
  deadline_ = deadline;
  epochs_[group] = epoch;
  write(group, epoch);
}

void StateFiles::keep(SteadyTime deadline) {
  if (paths_.empty() || deadline == deadline_) return;
  deadline_ = deadline;
  for (const auto& [group, path] : paths_)
    if (const auto led = epochs_.find(group); led != epochs_.end()) write(group, led->second);
}

void StateFiles::write(const std::string& group, std::uint64_t epoch) {
  const auto path = paths_.find(group);
  if (path == paths_.end()) return;
  const Now now = read_clocks();
  const WallTime until = now.wall + (deadline_ - now.steady);
  ask(path->second, {group, LeaderFile{group, node_, epoch, boot_id_, deadline_, until, now.wall}});
}

void StateFiles::remove(const std::string& group) {
  if (epochs_.erase(group) == 0) return;
  if (const auto path = paths_.find(group); path != paths_.end()) ask(path->second, {group, {}});
}

void StateFiles::remove_all() {
  const auto led = epochs_;
  for (const auto& [group, epoch] : led) remove(group);
}

void StateFiles::ask(const std::string& path, Wanted wanted) {
  {
    const std::lock_guard lock(mutex_);
    wanted_[path] = std::move(wanted);
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_one();
}

void StateFiles::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !wanted_.empty(); });
    if (wanted_.empty()) return;
    const auto next = wanted_.extract(wanted_.begin());
    lock.unlock();
    perform(next.key(), next.mapped());
    lock.lock();
  }
}

/// A file that another daemon of this host has written is left alone.
void StateFiles::perform(const std::string& path, const Wanted& wanted) const {
  if (wanted.file) {
    if (const auto written = write_leader_file(path, *wanted.file); !written)
      log_(Level::error, "state_file: " + written.error().what, {{"group", wanted.group}});
    return;
  }
  const auto present = check_leader_file(path, wanted.group, read_clocks().steady, boot_id_);
  if (!present || present->node == node_) ::unlink(path.c_str());
}

}  // namespace ballot::io
