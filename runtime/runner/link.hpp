// Link: the listening socket, the one connection with a daemon, and those that watch. Nothing here blocks.
//
//   | role    | meaning                                           | moves to                                        |
//   | unknown | greeted with Hello; has not said what it is for   | waiting; gone: what it says is something else   |
//   | waiting | wants to command, to watch, or to read an output  | daemon, watcher, reader: by admit()             |
//   | daemon  | commands; there is one                            | gone: it closed, or another one took its place  |
//   | watcher | is sent the ends of runs                          | gone: it closed, said something, reads too slowly |
//   | reader  | was sent what a run has printed                   | waiting: it asks again; gone: it closed, asks   |
//   |         |                                                   | before it has read the answer                   |
//
// Peers of another user than this process's own are refused, but for root. What is sent while nobody is connected
// is dropped: the runner keeps what matters.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <utility>

#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "runner/listener.hpp"
#include "runner/peer.hpp"
#include "runner/poller.hpp"

namespace ballot::runner {

class Link {
 public:
  Link(UniqueFd listener, Poller& poller);

  /// With a daemon.
  bool connected() const { return daemon_.connected(); }
  bool is_listener(int fd) const { return fd == listener_.descriptor(); }
  bool is_connection(int fd) const { return connected() && fd == daemon_.descriptor(); }

  /// Takes connections that wait, and greets them.
  void accept();
  /// Sees to it that the runner can be found: see Listener.
  void keep_listening() { listener_.restore(); }
  /// Of the others than the daemon: reads what came from the one with this descriptor, if it is one of them.
  void receive_other(int fd, std::string& buffer);
  /// Somebody waits for admit().
  bool has_waiting() const;

  /// The connections that admit() lets in: each but the readers' is to be sent the inventory.
  struct Admitted {
    bool daemon = false;
    std::list<Peer*> watchers;
    std::list<Peer*> resigners;                       // watchers that resign on the daemon's behalf
    std::list<std::pair<Peer*, ShowOutput>> readers;  // and what each is to be answered
  };
  /// Lets those in that wait. A daemon takes the place of the present one, of several the newest.
  Admitted admit();
  /// As the last daemon said.
  const std::string& owner() const { return owner_; }

  /// The daemon's: see Peer.
  void receive(std::string& buffer) { daemon_.receive(buffer); }
  std::optional<ToRunner> next() { return daemon_.next(); }
  void send(const FromRunner& message) { daemon_.send(message); }
  std::size_t backlog() const { return daemon_.backlog(); }

  /// To all that watch.
  void notify_watchers(const Ended& ended);
  void flush();

 private:
  enum class Role { unknown, wants_to_command, wants_to_watch, wants_to_resign, wants_to_read, watcher, reader };
  struct Other {
    Peer peer;
    Role role = Role::unknown;
    std::string owner{};
    ShowOutput wanted{};

    /// The connection waits for nothing from admit().
    bool is_settled() const { return role == Role::unknown || role == Role::watcher || role == Role::reader; }
  };

  bool take_one();
  static void take_role(Other& other);
  void drop_gone();

  Listener listener_;
  UniqueFd spare_;  // closed to accept, and refuse, a connection when no descriptors are left
  Poller& poller_;
  Peer daemon_;
  std::string owner_;
  std::list<Other> others_;  // oldest first
};

}  // namespace ballot::runner
