#include "runner/link.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/failpoint.hpp"
#include "runner/log.hpp"

namespace ballot::runner {
namespace {

constexpr std::size_t most_others = 16;
constexpr std::size_t most_watcher_backlog = 64u << 20;  // of one that watches: the inventory may be long

UniqueFd open_spare() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool may_connect(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  if (peer.uid == ::geteuid() || peer.uid == 0) return true;
  log("refused a connection of user " + std::to_string(peer.uid) + " (process " + std::to_string(peer.pid) + ")");
  return false;
}

}  // namespace

Link::Link(UniqueFd listener, Poller& poller)
    : listener_(std::move(listener), poller), spare_(open_spare()), poller_(poller) {}

void Link::accept() {
  for (std::size_t i = 0; i < most_others && take_one(); ++i) continue;
  drop_gone();
}

/// False: none waits, or no more can be taken now.
bool Link::take_one() {
  UniqueFd connection(BALLOT_FAILS("runner.accept")
                          ? -1
                          : ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!connection && (errno == EMFILE || errno == ENFILE)) {
    spare_.reset();
    UniqueFd(::accept(listener_.descriptor(), nullptr, nullptr)).reset();
    spare_ = open_spare();
    log("refused a connection: no descriptors are left");
  }
  if (!connection) return false;
  if (!may_connect(connection.get()) || !poller_.add(connection.get(), EPOLLIN)) return true;
  others_.push_back({Peer(std::move(connection))});
  others_.back().peer.send(Hello{protocol, ::getpid()});
  if (others_.size() <= most_others) return true;
  const auto idle =
      std::find_if(others_.begin(), others_.end(), [](const Other& o) { return o.role == Role::unknown; });
  (idle != others_.end() ? idle : others_.begin())->peer.close();
  drop_gone();
  return true;
}

void Link::receive_other(int fd, std::string& buffer) {
  const auto found = std::find_if(others_.begin(), others_.end(), [fd](const Other& other) {
    return other.peer.connected() && other.peer.descriptor() == fd;
  });
  if (found == others_.end()) return;
  if (found->is_settled()) found->peer.receive(buffer);
  take_role(*found);
  drop_gone();
}

/// What a daemon says behind its Command is read once it is let in.
void Link::take_role(Other& other) {
  if (!other.is_settled()) return;
  const auto message = other.peer.next();
  if (!message) return;
  const bool first = other.role == Role::unknown;
  const auto* command = std::get_if<Command>(&*message);
  const auto* watch = std::get_if<Watch>(&*message);
  const auto* show = std::get_if<ShowOutput>(&*message);
  if (first && command) {
    other.role = Role::wants_to_command;
    other.owner = command->owner;
  } else if (first && watch) {
    other.role = watch->resigns ? Role::wants_to_resign : Role::wants_to_watch;
  } else if (show && other.role != Role::watcher && other.peer.backlog() == 0) {
    other.role = Role::wants_to_read;
    other.wanted = *show;
  } else {
    log("dropped a connection that commands without having said that it does");
    other.peer.close();
  }
}

bool Link::has_waiting() const {
  return std::any_of(others_.begin(), others_.end(), [](const Other& o) { return !o.is_settled(); });
}

Link::Admitted Link::admit() {
  Admitted admitted;
  for (auto other = others_.begin(); other != others_.end();) {
    if (other->role == Role::wants_to_command) {
      if (connected()) log("a newer connection takes the place of the present one");
      daemon_ = std::move(other->peer);
      owner_ = std::move(other->owner);
      admitted.daemon = true;
      other = others_.erase(other);
      continue;
    }
    if (other->role == Role::wants_to_watch || other->role == Role::wants_to_resign) {
      (other->role == Role::wants_to_resign ? admitted.resigners : admitted.watchers).push_back(&other->peer);
      other->role = Role::watcher;
    }
    if (other->role == Role::wants_to_read) {
      other->role = Role::reader;
      admitted.readers.emplace_back(&other->peer, other->wanted);
    }
    ++other;
  }
  return admitted;
}

void Link::notify_watchers(const Ended& ended) {
  if (others_.empty()) return;
  Ended without_output = ended;
  without_output.output.head.clear();
  without_output.output.tail.clear();
  for (Other& other : others_) {
    if (other.role != Role::watcher) continue;
    other.peer.send(without_output);
    if (other.peer.backlog() > most_watcher_backlog) other.peer.close();
  }
}

void Link::flush() {
  daemon_.flush(poller_);
  for (Other& other : others_) other.peer.flush(poller_);
  drop_gone();
}

void Link::drop_gone() {
  std::erase_if(others_, [](const Other& other) { return !other.peer.connected() && other.is_settled(); });
}

}  // namespace ballot::runner
