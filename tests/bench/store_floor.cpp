#include "bench/store_floor.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "bench/machine.hpp"
#include "config/config_file.hpp"
#include "io/plugin_loader.hpp"

namespace ballot::bench {

namespace {

constexpr std::size_t a_batch = 50, children_at_a_time = 16;
constexpr std::size_t size_of_register = 500;  // as that of a job with one open run
constexpr const char* group = "floor";

int signals_of_children() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  ::pthread_sigmask(SIG_BLOCK, &child, nullptr);
  return ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

SteadyTime boot_now() {
  timespec at{};
  ::clock_gettime(CLOCK_BOOTTIME, &at);
  return SteadyTime(Millis(at.tv_sec * 1000 + at.tv_nsec / 1'000'000));
}

std::string plugins_beside(const std::filesystem::path& program) {
  return program.parent_path().parent_path() / "plugins";
}

std::unique_ptr<Backend> make_backend(Host& host, const std::string& folder, const std::string& text) {
  config::Config config;
  config::Diagnostics problems;
  config::Findings findings("ballot.toml", problems);
  const auto named = [](const std::string& backend) { return backend.empty() ? "local" : backend; };
  const auto find = [&](const std::string&, const std::string& backend) {
    const std::string name = named(backend);
    const auto plugin = load_plugin_of(backend_kind, plugins_beside(BALLOT_PROGRAM), name);
    if (!plugin) fail(plugin.error().what);
    return config::Backends{{name, *plugin}};
  };
  config::read_config_file(text, find, config, findings);
  const std::string name = named(config.coordination.backend);
  const auto plugin = load_plugin_of(backend_kind, plugins_beside(BALLOT_PROGRAM), name);
  if (!plugin) fail(plugin.error().what);
  BackendSettings settings;
  settings.name_space = config.coordination.name_space;
  settings.state_dir = folder;
  if (const auto table = config.backends.find(name); table != config.backends.end())
    settings.options = table->second.options;
  Error error;
  std::unique_ptr<Backend> backend((*plugin)->create(host, settings, error));
  if (!backend) fail(error.what);
  return backend;
}

}  // namespace

StoreFloor::StoreFloor(const std::string& folder, const std::string& configuration, int children)
    : wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      children_(signals_of_children()),
      backend_(make_backend(*this, folder, configuration)) {
  SessionRequest request;
  request.generation = 1;
  request.node = "floor";
  request.boot_id = "boot";
  request.machine_id = "machine";
  request.host = "host";
  request.pid = ::getpid();
  backend_->open(request);
  timeout_ = await<backend::SessionOpened>().timeout;
  renew_at_ = boot_now() + timeout_ / 10;
  backend_->campaign(group);
  epoch_ = await<backend::Elected>().epoch;
  for (int i = 0; i < children; ++i) registers_.push_back({"j/floor-" + std::to_string(i)});
  std::vector<std::size_t> all(registers_.size());
  std::iota(all.begin(), all.end(), 0u);
  write(Purpose::close, all);
  while (!writes_.empty())
    for (const BackendEvent& event : wait({}))
      if (const auto* wrote = std::get_if<backend::Wrote>(&event.what)) take(*wrote);
}

StoreFloor::~StoreFloor() { backend_->close(false); }

void StoreFloor::post(BackendEvent event) noexcept {
  {
    const std::lock_guard hold(mutex_);
    events_.push_back(std::move(event));
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto size = ::write(wakeup_.get(), &one, sizeof one);
}

/// Until there is an event, or a child has ended.
std::vector<BackendEvent> StoreFloor::wait(std::optional<SteadyTime> until) {
  renew_when_due();
  const SteadyTime end = std::min(renew_at_, until.value_or(SteadyTime::max()));
  pollfd files[] = {{wakeup_.get(), POLLIN, 0}, {children_.get(), POLLIN, 0}};
  ::poll(files, 2, static_cast<int>(std::max(Millis(0), end - boot_now()).count()));
  std::uint64_t count = 0;
  [[maybe_unused]] const auto size = ::read(wakeup_.get(), &count, sizeof count);
  const std::lock_guard hold(mutex_);
  return std::exchange(events_, {});
}

template <class What>
What StoreFloor::await() {
  const SteadyTime end = boot_now() + std::chrono::seconds(30);
  while (boot_now() < end)
    for (const BackendEvent& event : wait(end)) {
      if (const auto* found = std::get_if<What>(&event.what)) return *found;
      if (const auto* closed = std::get_if<backend::SessionClosed>(&event.what)) fail("no session: " + closed->text);
    }
  fail("the store does not answer");
}

void StoreFloor::renew_when_due() {
  if (epoch_ == 0 || boot_now() < renew_at_) return;
  renew_at_ = boot_now() + timeout_ / 10;
  backend_->renew(++last_request_);
}

void StoreFloor::write(Purpose purpose, const std::vector<std::size_t>& children) {
  for (std::size_t i = 0; i < children.size(); i += a_batch) {
    const auto end = children.begin() + static_cast<std::ptrdiff_t>(std::min(children.size(), i + a_batch));
    std::vector<std::size_t> some(children.begin() + static_cast<std::ptrdiff_t>(i), end);
    std::vector<RegisterWrite> batch;
    for (const std::size_t child : some)
      batch.push_back(
          {group, epoch_, registers_[child].name, std::string(size_of_register, 'x'), registers_[child].version});
    writes_.emplace(++last_request_, Asked{purpose, std::move(some)});
    backend_->write(last_request_, std::move(batch));
  }
}

void StoreFloor::take(const backend::Wrote& wrote) {
  const auto found = writes_.find(wrote.request);
  if (found == writes_.end()) return;
  for (std::size_t i = 0; i < wrote.answers.size(); ++i) {
    if (wrote.answers[i].outcome != StoreResult::done) fail("the floor's write is refused: " + wrote.answers[i].text);
    const std::size_t child = found->second.children[i];
    registers_[child].version = wrote.answers[i].version;
    if (found->second.purpose == Purpose::claim) claimed_.push_back(child);
  }
  writes_.erase(found);
}

void StoreFloor::spawn(std::size_t child, const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  if (::posix_spawn(&pid, command[0].c_str(), nullptr, nullptr, arguments.data(), environ) != 0) fail("cannot spawn");
  live_.emplace(pid, child);
}

void StoreFloor::reap() {
  signalfd_siginfo ignored;
  while (::read(children_.get(), &ignored, sizeof ignored) > 0) continue;
  std::erase_if(live_, [this](const auto& one) {
    int status = 0;
    if (::waitpid(one.first, &status, WNOHANG) != one.first) return false;
    if (status != 0) fail("the floor's child failed");
    ended_.push_back(one.second);
    return true;
  });
}

void StoreFloor::rest(Millis span) {
  const SteadyTime end = boot_now() + span;
  while (boot_now() < end) wait(end);
}

void StoreFloor::burst(WallTime instant, const std::vector<std::string>& command) {
  rest(instant - wall_now());
  std::vector<std::size_t> all(registers_.size());
  std::iota(all.begin(), all.end(), 0u);
  write(Purpose::claim, all);
  std::size_t closing = 0;
  while (closing < registers_.size() || !writes_.empty()) {
    for (const BackendEvent& event : wait({}))
      if (const auto* wrote = std::get_if<backend::Wrote>(&event.what)) take(*wrote);
    reap();
    while (!claimed_.empty() && live_.size() < children_at_a_time) {
      spawn(claimed_.back(), command);
      claimed_.pop_back();
    }
    closing += ended_.size();
    if (!ended_.empty()) write(Purpose::close, std::exchange(ended_, {}));
  }
}

}  // namespace ballot::bench
