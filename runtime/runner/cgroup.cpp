#include "runner/cgroup.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>

#include "base/cgroup_place.hpp"
#include "base/failpoint.hpp"
#include "runner/proc.hpp"

namespace ballot::runner {
namespace {

constexpr int most_names = 16;              // tried for the runner's folder
constexpr std::size_t most_free = 64;       // kept to be used again
constexpr const char* left_mark = "/left";  // an empty group below that of a run says that its processes are left alone

/// What each cgroup limit needs.
struct Limit {
  std::optional<std::uint64_t> Limits::*value;
  const char* key;
  const char* controller;
  const char* file;
};
constexpr Limit limits_known[] = {{&Limits::memory_max, "memory_max", "memory", "memory.max"},
                                  {&Limits::cpu_weight, "cpu_weight", "cpu", "cpu.weight"},
                                  {&Limits::tasks_max, "tasks_max", "pids", "pids.max"}};

UniqueFd open_at(int folder, const std::string& path, int flags) {
  return UniqueFd(::openat(folder, path.c_str(), flags | O_CLOEXEC));
}

bool write_at(int folder, const std::string& path, const std::string& text) {
  const UniqueFd file = open_at(folder, path, O_WRONLY);
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// The value in a line `KEY VALUE` of a file; none where there is no such file or line.
std::optional<std::uint64_t> value_at(int folder, const std::string& path, std::string_view key) {
  const UniqueFd file = open_at(folder, path, O_RDONLY);
  char text[4096];  // such files are short, and one read gives all of them
  const ssize_t size = file ? ::read(file.get(), text, sizeof text) : 0;
  const auto words = words_of({text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))});
  for (std::size_t i = 0; i + 1 < words.size(); i += 2)
    if (words[i] == key) return number_of(words[i + 1]);
  return std::nullopt;
}

void for_each_folder(int folder, const std::string& path, const std::function<void(const std::string& name)>& what) {
  UniqueFd fd = open_at(folder, path, O_RDONLY | O_DIRECTORY);
  DIR* const entries = fd ? ::fdopendir(fd.get()) : nullptr;
  if (!entries) return;
  fd.release();
  std::vector<std::string> names;
  while (const dirent* const entry = ::readdir(entries))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  ::closedir(entries);
  for (const std::string& name : names) what(name);
}

bool is_left(int base, const std::string& path);

/// The group and those below it, which a child may have made. False: something of it is still there.
bool remove_tree(int base, const std::string& path) {
  if (is_left(base, path)) return false;
  if (::unlinkat(base, path.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
  for_each_folder(base, path, [&](const std::string& name) { remove_tree(base, path + "/" + name); });
  return ::unlinkat(base, path.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT;
}

/// Whether there is a process in it or below it. True also where that cannot be read.
bool is_populated(int base, const std::string& path) {
  const auto value = value_at(base, path + "/cgroup.events", "populated");
  const bool gone = !value && ::faccessat(base, path.c_str(), F_OK, 0) != 0 && errno == ENOENT;
  return !gone && value != 0;
}

/// A run has left its processes in this cgroup, and some live.
bool is_left(int base, const std::string& path) {
  return ::faccessat(base, (path + left_mark).c_str(), F_OK, 0) == 0 && is_populated(base, path);
}

/// Of the text of /proc/PID/cgroup: whether it names the group, or one below it.
bool stands_in(const std::string& text, const std::string& path) {
  const std::size_t at = text.find("/" + path);
  const std::size_t end = at == std::string::npos ? at : at + 1 + path.size();
  return end < text.size() && (text[end] == '\n' || text[end] == '/');
}

/// Where a service is delegated its group and its processes are in one below, only the upper one can hand out limits.
std::string base_of(const CgroupPlace& place) {
  if (place.own == place.root || is_delegated_cgroup(place.own)) return place.own;
  const std::string above = place.own.substr(0, place.own.rfind('/'));
  return is_delegated_cgroup(above) ? above : place.own;
}

Error failure(const std::string& what, int error) { return {Errc::io, what + ": " + std::strerror(error)}; }

/// A group with processes of its own can hand out no limits: this process goes one below.
Result<void> make_room(const std::string& scope) {
  const std::string leaf = scope + "/runner";
  if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) return failure("cannot make " + leaf, errno);
  if (!write_at(AT_FDCWD, leaf + "/cgroup.procs", "0")) return failure("cannot move to " + leaf, errno);
  return {};
}

/// What is wrong with a new group, or "".
std::string unfit(int folder) {
  if (::faccessat(folder, "cgroup.kill", F_OK, 0) != 0) return " cannot be killed (Linux 5.14 can)";
  const UniqueFd type = open_at(folder, "cgroup.type", O_RDONLY);
  return type && read_some(type.get(), 64) == "domain\n" ? "" : " takes no processes, only threads";
}

}  // namespace

RunCgroup::RunCgroup(int base, std::string path, Cgroups* owner, bool limited)
    : base_(base), path_(std::move(path)), owner_(owner), limited_(limited) {}

RunCgroup::~RunCgroup() {
  if (owner_) owner_->take_back(path_, is_as_new());
}

/// Without limits, processes, groups below it, or counts that would be taken for the next run's; and not killed once.
/// What was empty has stayed so: processes come into it from what is in it only.
bool RunCgroup::is_as_new() {
  struct stat info {};
  const bool bare = !limited_ && !killed_ && ::fstatat(base_, path_.c_str(), &info, 0) == 0 && info.st_nlink == 2;
  return bare && (was_empty_ || !populated()) && !killed_for_memory();
}

UniqueFd RunCgroup::open() const { return open_at(base_, path_, O_RDONLY | O_DIRECTORY); }

std::variant<std::monostate, LaunchFailure> RunCgroup::limit(const Limits& limits) const {
  for (const Limit& limit : limits_known) {
    const auto& value = limits.*limit.value;
    if (value && !write_at(base_, path_ + "/" + limit.file, std::to_string(*value)))
      return LaunchFailure{"limits." + std::string(limit.key) + " (" + limit.file + ")", errno};
  }
  // Of a run that is out of memory nothing goes on alone.
  if (limits.memory_max) write_at(base_, path_ + "/memory.oom.group", "1");
  return {};
}

bool RunCgroup::populated() {
  was_empty_ = !is_populated(base_, path_);  // only an empty one can go
  return !was_empty_;
}

void RunCgroup::kill() {
  killed_ = true;
  write_at(base_, path_ + "/cgroup.kill", "1");
}

void RunCgroup::leave() const {
  if (is_populated(base_, path_)) ::mkdirat(base_, (path_ + left_mark).c_str(), 0755);
}

void RunCgroup::signal_others(int signal, pid_t group) const {
  const std::function<void(const std::string&)> visit = [&](const std::string& path) {
    const UniqueFd file = open_at(base_, path + "/cgroup.procs", O_RDONLY);
    std::istringstream pids(file ? read_some(file.get(), 1u << 20) : "");
    for (pid_t pid = 0; pids >> pid;)
      if (::getpgid(pid) != group) signal_if(pid, signal, [&] { return stands_in(proc_text(pid, "cgroup"), path_); });
    for_each_folder(base_, path, [&](const std::string& name) { visit(path + "/" + name); });
  };
  visit(path_);
}

bool RunCgroup::killed_for_memory() const {
  return value_at(base_, path_ + "/memory.events", "oom_kill").value_or(0) > 0;
}

Result<std::unique_ptr<Cgroups>> Cgroups::in_own_scope(const std::string& scope) {
  if (auto moved = make_room(scope); !moved) return moved.error();
  auto made = below(scope);
  if (!made) return made;
  for_each_folder((*made)->base_.get(), "..", [&](const std::string& name) {
    const bool of_runner = name.starts_with("ballot-runner-") && name.ends_with(".scope");
    if (of_runner && !scope.ends_with("/" + name)) (*made)->end_what_dead_runners_left("../" + name);
  });
  return made;
}

Result<std::unique_ptr<Cgroups>> Cgroups::find(Standing standing) {
  if (BALLOT_FAILS("runner.cgroup")) return failure("no cgroup", errno);
  const auto place = find_cgroup();
  if (!place) return Error{Errc::not_found, "no cgroup v2 hierarchy is mounted here"};
  return standing == Standing::own_scope ? in_own_scope(place->own) : below(base_of(*place));
}

Result<std::unique_ptr<Cgroups>> Cgroups::below(const std::string& base) {
  UniqueFd base_fd = open_at(AT_FDCWD, base, O_RDONLY | O_DIRECTORY);
  if (!base_fd) return failure("cannot open " + base, errno);
  for (int i = 1; i <= most_names; ++i) {
    const std::string name = "ballot-" + std::to_string(::getpid()) + (i == 1 ? "" : "." + std::to_string(i));
    const bool made = ::mkdirat(base_fd.get(), name.c_str(), 0755) == 0;
    if (!made && errno != EEXIST) return failure("cannot make a cgroup in " + base, errno);
    UniqueFd folder = made ? open_at(base_fd.get(), name, O_RDONLY | O_DIRECTORY) : UniqueFd();
    if (!folder || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (::faccessat(base_fd.get(), name.c_str(), F_OK, 0) != 0) continue;  // taken for a dead runner's, and removed
    if (const std::string problem = unfit(folder.get()); !problem.empty()) {
      ::unlinkat(base_fd.get(), name.c_str(), AT_REMOVEDIR);
      return Error{Errc::io, "a cgroup in " + base + problem};
    }
    return std::unique_ptr<Cgroups>(new Cgroups(std::move(base_fd), std::move(folder), name));
  }
  return Error{Errc::io, "cannot get a cgroup of its own in " + base};
}

Cgroups::Cgroups(UniqueFd base, UniqueFd folder, std::string name)
    : base_(std::move(base)), folder_(std::move(folder)), name_(std::move(name)) {
  end_what_dead_runners_left(".");
}

Cgroups::~Cgroups() {
  to_remove_.push_back(name_);
  remove_what_can_be();
}

void Cgroups::end_what_dead_runners_left(const std::string& place) {
  for_each_folder(base_.get(), place, [&](const std::string& name) {
    if (!name.starts_with("ballot-") || (place == "." && name == name_)) return;
    const std::string path = place + "/" + name;
    UniqueFd folder = open_at(base_.get(), path, O_RDONLY | O_DIRECTORY);
    if (!folder || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return;
    if (end_dead_runners_runs(path)) return;
    to_remove_.push_back(path);
    locks_.push_back(std::move(folder));  // or whoever made it just now would take a group that was killed for its own
  });
}

/// False: the folder has to stay, for now or for what is left alone in it.
bool Cgroups::end_dead_runners_runs(const std::string& path) {
  bool any_left = false;
  for_each_folder(base_.get(), path, [&](const std::string& name) {
    const bool left = is_left(base_.get(), path + "/" + name);
    if (!left) write_at(base_.get(), path + "/" + name + "/cgroup.kill", "1");
    any_left |= left;
  });
  if (any_left) return false;
  write_at(base_.get(), path + "/cgroup.kill", "1");
  return remove_tree(base_.get(), path);
}

Cgroups::Made Cgroups::make(const Limits& limits) {
  const bool limited = std::any_of(std::begin(limits_known), std::end(limits_known),
                                   [&](const Limit& limit) { return (limits.*limit.value).has_value(); });
  if (limited)
    if (auto enabled = enable(limits); auto* failed = std::get_if<LaunchFailure>(&enabled)) return std::move(*failed);
  std::string path;
  if (!limited && !free_.empty()) {
    path = std::move(free_.back());
    free_.pop_back();
  } else {
    path = name_ + "/run-" + std::to_string(++made_);
    const bool made = !BALLOT_FAILS("runner.mkdir") && ::mkdirat(base_.get(), path.c_str(), 0755) == 0;
    if (!made && limited) return LaunchFailure{"cgroup", errno};
    if (!made) return nullptr;
  }
  auto run = std::make_unique<RunCgroup>(base_.get(), std::move(path), this, limited);
  if (auto done = run->limit(limits); auto* failed = std::get_if<LaunchFailure>(&done)) return std::move(*failed);
  return run;
}

/// Only once a run asks for it: each controller makes each group below dearer.
std::variant<std::monostate, LaunchFailure> Cgroups::enable(const Limits& limits) const {
  for (const Limit& limit : limits_known) {
    if (!(limits.*limit.value)) continue;
    for (const std::string& path : {std::string("cgroup.subtree_control"), name_ + "/cgroup.subtree_control"}) {
      const UniqueFd file = open_at(base_.get(), path, O_RDONLY);
      const std::string text = file ? read_some(file.get(), 4096) : "";
      const auto words = words_of(text);
      const bool enabled = std::find(words.begin(), words.end(), limit.controller) != words.end();
      if (!enabled && !write_at(base_.get(), path, std::string("+") + limit.controller))
        return LaunchFailure{"limits." + std::string(limit.key) + " (" + path + ")", errno};
    }
  }
  return {};
}

void Cgroups::take_back(const std::string& path, bool as_new) {
  const bool again = as_new && free_.size() < most_free;
  (again ? free_ : to_remove_).push_back(path);
  remove_what_can_be();
}

void Cgroups::remove_what_can_be() {
  std::erase_if(to_remove_, [this](const std::string& path) { return remove_tree(base_.get(), path); });
}

}  // namespace ballot::runner
