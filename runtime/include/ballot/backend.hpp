// Backend: what a plugin does for ballot. Thin by design: it speaks one store's language; election policy, deadlines,
// claims and catch-up are the core's, written once (docs/design.md).
//
// Threads: every function of Backend is called on the loop thread, must not block and must not throw. A plugin does its
// work on threads of its own and answers through Host::post, from any thread. Every event carries the generation of
// the session that it belongs to; the loop drops those of an older one, and completes its open calls as unknown.
//
// One use, from the loop's side:
//   backend->open({.generation = 1, ...});      ... SessionOpened{timeout 5 s}
//   backend->campaign("nightly");               ... Elected{"nightly", epoch 7}
//   backend->write(11, {{"nightly", 7, "j/backup", text, version}});   ... Wrote{11, {done, version + 1}}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ballot/log.hpp"
#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot {

/// Chosen by the caller, unique within a generation; names the answer.
using RequestId = std::uint64_t;

/// What stands between two terms that both believe they lead.
enum class Capability {
  fenced,      // the store asserts in the same operation that the writer's term leads
  sealed,      // a new term rewrites every register with its epoch before its first launch
  unique_only  // slots are unique, terms may overlap
};

/// This node, as other nodes and `info` see it.
struct SessionRequest {
  std::uint64_t generation = 0;  // grows with every open
  std::string node;
  std::string boot_id;     // of this boot of the machine
  std::string machine_id;  // of the machine, over boots
  std::string host;
  int pid = 0;
  std::string version;
  Millis timeout{0};  // what is asked for; 0: the backend's default. What counts is what SessionOpened grants
};

/// A conditional write: `version` must be the register's (0: it does not exist), and `epoch` must lead `group`.
struct RegisterWrite {
  std::string group;
  std::uint64_t epoch = 0;
  std::string name;   // [a-z]/[A-Za-z0-9._-]+
  std::string value;  // at most 8 KB
  std::uint64_t version = 0;
};

enum class Outcome {
  done,        // committed; for a write, `version` is the register's new one
  conflict,    // refused: the register has another version (told where the store tells it)
  not_leader,  // refused: the term that wrote does not lead
  unknown,     // it may have happened, and may still happen: repeat the identical write
  failed       // it has not happened and will not; `text` says why
};

struct WriteAnswer {
  Outcome outcome = Outcome::unknown;
  std::uint64_t version = 0;
  std::string text;
};

struct Register {
  std::string name;
  std::string value;
  std::uint64_t version = 0;
};

namespace backend {

/// The session stands; `timeout` is T as the store grants it. `revision`: highest store revision seen (0: none).
struct SessionOpened {
  Millis timeout{0};
  Capability capability = Capability::fenced;
  std::string id;
  std::uint64_t revision = 0;
};

/// The session is over, or could not be opened; the last event of its generation. All its terms are over too.
struct SessionClosed {
  Cause cause = Cause::unreachable;
  std::string text;
};

/// The answer to renew(). done: the store's own timer was restarted by an operation sent after renew() was called.
struct Renewed {
  RequestId request = 0;
  Outcome outcome = Outcome::unknown;
  std::string text;
};

/// This node leads `group`. Exactly one for each term, in order with Deposed.
struct Elected {
  std::string group;
  std::uint64_t epoch = 0;                 // larger than any before in this group, but for a resumed term
  bool resumed = false;                    // the term that this node held before its daemon was restarted goes on
  std::optional<SteadyTime> old_deadline;  // of the term before, where it ran on this boot of this machine
  std::optional<WallTime> last_alive;      // when the term before last showed life, where the store can tell
};

/// The term is over: resigned, or the store says so. Nothing more of this epoch.
struct Deposed {
  std::string group;
  std::uint64_t epoch = 0;
  Cause cause = Cause::none;
};

/// The answer to write(): one for each of the batch, in its order. Each is decided on its own.
struct Wrote {
  RequestId request = 0;
  std::vector<WriteAnswer> answers;
};

/// The answer to read() and list(). done: linearizable, absent registers left out.
struct ReadDone {
  RequestId request = 0;
  Outcome outcome = Outcome::unknown;
  std::vector<Register> registers;
  std::string text;
};

}  // namespace backend

struct BackendEvent {
  std::uint64_t generation = 0;
  std::variant<backend::SessionOpened, backend::SessionClosed, backend::Renewed, backend::Elected, backend::Deposed,
               backend::Wrote, backend::ReadDone>
      what;
};

/// What a plugin is given. Outlives the backend.
class Host {
 public:
  /// From any thread; never blocks; order is kept for each posting thread.
  virtual void post(BackendEvent event) noexcept = 0;
  /// From any thread.
  virtual void log(Level level, std::string_view text) noexcept = 0;

 protected:
  ~Host() = default;
};

class Backend {
 public:
  /// Closes whatever is open, without waiting for the store. No event after it returns.
  virtual ~Backend() = default;

  /// Begins a session. Answered by SessionOpened or SessionClosed. Requires: no session open.
  virtual void open(const SessionRequest& request) noexcept = 0;

  /// Restarts the store's timer of this session. Answered by Renewed; at most one in flight. A backend that has not
  /// been asked for T closes its session by itself, so that a hung loop does not keep its groups.
  virtual void renew(RequestId request) noexcept = 0;

  /// Takes part in the group's election until resign(): Elected when this node leads, and again after each Deposed.
  virtual void campaign(const std::string& group) noexcept = 0;

  /// Leaves the group's election, handing over at once. A leader is answered by Deposed{resigned}. Writes sent before
  /// are carried out before.
  virtual void resign(const std::string& group) noexcept = 0;

  /// Each write of the batch is decided on its own. Answered by one Wrote.
  virtual void write(RequestId request, std::vector<RegisterWrite> batch) noexcept = 0;

  /// Linearizable. Answered by ReadDone.
  virtual void read(RequestId request, std::vector<std::string> names) noexcept = 0;

  /// All registers whose name begins with `prefix`. Answered by ReadDone.
  virtual void list(RequestId request, std::string prefix) noexcept = 0;

  /// Withdraws from everything and ends the session. `keep` leaves the terms as they stand, for a daemon that comes
  /// back before their deadline. Answered by SessionClosed{shutdown}.
  virtual void close(bool keep) noexcept = 0;
};

}  // namespace ballot
