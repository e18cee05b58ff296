#include "io/file_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace ballot::io {
namespace {

namespace asio = boost::asio;

constexpr std::uint32_t entries_come_and_go = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
constexpr std::uint32_t inside = entries_come_and_go | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::size_t most_names = 10'000;  // beyond them reading everything is cheaper
constexpr Millis retry_delay = std::chrono::seconds(10);

}  // namespace

/// Watches the directory, and each folder on the way to it for the entry that leads on.
struct FileWatch::State : std::enable_shared_from_this<State> {
  State(asio::io_context& loop, int fd, const std::string& path, OnChanged callback, WatchDelays p)
      : descriptor(loop, fd),
        rest(loop),
        retry(loop),
        directory(std::filesystem::absolute(path).lexically_normal()),
        on_changed(std::move(callback)),
        delays(p) {
    if (!directory.has_filename()) directory = directory.parent_path();
  }

  void attach() {
    for (const auto& [watch, entry] : watches) ::inotify_rm_watch(descriptor.native_handle(), watch);
    watches.clear();
    problem.clear();
    std::filesystem::path folder = "/";
    for (const auto& entry : directory.relative_path()) {
      if (!add(folder, entries_come_and_go, entry)) return;
      folder /= entry;
    }
    add(directory, inside, {});
  }

  /// False if there is no such folder now: the watch on its parent reports when that changes.
  bool add(const std::filesystem::path& folder, std::uint32_t events, const std::string& entry) {
    const int watch = ::inotify_add_watch(descriptor.native_handle(), folder.c_str(), events | IN_ONLYDIR);
    if (watch >= 0) {
      watches[watch] = entry;
      return true;
    }
    if (errno == ENOENT || errno == ENOTDIR) return false;
    // A folder on the way that may not be read can still be passed: what lies behind it is watched all the same.
    const bool passable = errno == EACCES && !entry.empty();
    problem = "cannot watch " + folder.string() + " for changes: " + std::strerror(errno) +
              (errno == ENOSPC ? "; raise fs.inotify.max_user_watches" : "");
    retry_later();
    return passable;
  }

  void retry_later() {
    retry.expires_after(retry_delay);
    retry.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (!error && self->alive) self->replaced();
    });
  }

  void wait() {
    descriptor.async_wait(descriptor.wait_read, [self = shared_from_this()](boost::system::error_code error) {
      if (error || !self->alive) return;
      self->read();
      self->wait();
    });
  }

  void read() {
    alignas(inotify_event) std::array<char, 64 * 1024> buffer;
    const ssize_t size = ::read(descriptor.native_handle(), buffer.data(), buffer.size());
    bool moved = false;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      at += static_cast<ssize_t>(sizeof *event + event->len);
      moved |= take(*event);
    }
    if (moved)
      replaced();
    else if (everything || !names.empty())
      changed();
  }

  /// True if the watches are no longer on what they should be on.
  bool take(const inotify_event& event) {
    if (event.mask & IN_Q_OVERFLOW) return true;
    const auto watch = watches.find(event.wd);
    if (watch == watches.end()) return false;
    if (event.mask & (IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF)) return true;
    if (!watch->second.empty()) return event.len > 0 && watch->second == event.name;
    if (event.len > 0) names.insert(event.name);
    if (event.len == 0 || names.size() > most_names) everything = true;  // no name: its own mode or owner
    return false;
  }

  void replaced() {
    attach();
    everything = true;
    changed();
  }

  void changed() {
    const auto now = std::chrono::steady_clock::now();
    if (!first_change) first_change = now;
    rest.expires_at(std::min(now + delays.quiet, *first_change + delays.most));
    rest.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (error || !self->alive) return;
      self->first_change.reset();
      const auto changed_names = std::exchange(self->names, {});
      if (std::exchange(self->everything, false))
        self->on_changed({});
      else if (!changed_names.empty())
        self->on_changed({changed_names.begin(), changed_names.end()});
    });
  }

  asio::posix::stream_descriptor descriptor;
  asio::steady_timer rest, retry;
  std::filesystem::path directory;
  OnChanged on_changed;
  WatchDelays delays;
  std::map<int, std::string> watches;  // and the entry that leads on; "" for the directory itself
  std::optional<std::chrono::steady_clock::time_point> first_change;
  std::set<std::string> names;  // that changed and have not been reported
  bool everything = false;      // may have changed
  std::string problem;
  bool alive = true;
};

Result<std::unique_ptr<FileWatch>> FileWatch::open(asio::io_context& loop, const std::string& directory,
                                                   OnChanged on_changed, WatchDelays delays) {
  const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0)
    return Error{Errc::io, "cannot watch " + directory + " for changes: " + std::strerror(errno) +
                               "; raise fs.inotify.max_user_instances"};
  auto state = std::make_shared<State>(loop, fd, directory, std::move(on_changed), delays);
  state->attach();
  state->wait();
  return std::unique_ptr<FileWatch>(new FileWatch(std::move(state)));
}

FileWatch::FileWatch(std::shared_ptr<State> state) : state_(std::move(state)) {}

FileWatch::~FileWatch() {
  state_->alive = false;
  boost::system::error_code ignored;
  state_->descriptor.close(ignored);
  state_->rest.cancel();
  state_->retry.cancel();
}

const std::string& FileWatch::problem() const { return state_->problem; }

}  // namespace ballot::io
