// What the daemon and the runner say to each other over the runner's Unix stream socket.
//
// A frame is a u32 length (little-endian, of what follows), a u8 kind (the place in the variant), and the fields in the
// order of the struct: integers, flags, words and times (milliseconds) as 8 bytes little-endian, texts and lists with a
// u32 count in front, an optional as a flag and then its value, a run's id as its 16 bytes. Either side closes on a
// frame that it cannot read. The runner keeps every run, and the end of every run until it is acknowledged, so that a
// daemon that comes back finds them.
//
// Whoever connects says first what it is there for: one daemon commands, any number watch, or read what runs print. A
// runner of a ballot before ShowOutput ends the connection that says it.
//
//   daemon:  <- Hello  -> Command, Successor  <- Running..., Ended..., Ready  -> Start ...  <- Started ...
//   watcher: <- Hello  -> Watch               <- Running..., Ended..., Ready                <- Ended as runs end
//   reader:  <- Hello  -> ShowOutput          <- Shown                        -> ShowOutput <- Shown ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/job.hpp"
#include "ballot/ledger.hpp"
#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot::runner {

inline constexpr std::uint32_t protocol = 3;

/// In the environment of a Start: what the run's child leaves behind goes on when the child ends by itself. It stands
/// there because a runner of a ballot before reads a Start of the present form only, and takes this for a variable: it
/// ends what is left, as it does of any run.
inline constexpr std::string_view leaves_background = "BALLOT_BACKGROUND=leave";

/// Names an attempt over its whole life.
struct AttemptId {
  RunId run;
  int attempt = 0;
  auto operator<=>(const AttemptId&) const = default;
};

// ---- from the daemon

/// This connection commands, in place of one that did. Answered with the inventory, once all that the one before had
/// sent is read and started.
struct Command {
  std::string owner;  // whose runner this is: see Ready
};

/// This connection only watches: whatever else it sends ends it. Answered as Command is; what ends later is sent as it
/// ends. Outputs stay with the runner.
struct Watch {
  bool resigns = false;  // it is `ballot resign`: whoever waits for a daemon to come back need not wait any longer
};

/// What the runner is to start when its daemon is gone: 1 s later, at each later end of a run, and again where it ended
/// with 69; never while somebody has locked `lock`, nor before `not_before`. After Leave it is forgotten.
struct Successor {
  std::vector<std::string> argv;  // argv[0] is a path
  std::vector<std::string> environment;
  std::string lock;
  SteadyTime not_before{};
};

/// Start a child. Answered by Started, Refused or CannotStart, then, after Started, by one Ended; the first answer can
/// take until launch_not_after. An attempt that the runner has already is not started again: the answer is its
/// state. With an identity the child has a session and a session keyring of its own.
struct Start {
  AttemptId id;
  std::string job;                // for the inventory and the log
  std::vector<std::string> argv;  // exec'd byte for byte; argv[0] without a slash is looked up in the child's PATH
  std::vector<std::string> environment;  // NAME=VALUE, the whole of it; see leaves_background
  std::string working_dir;
  bool set_identity = false;  // uid, gid and groups are set, and verified, before exec
  std::uint32_t uid = 0, gid = 0;
  std::vector<std::uint32_t> groups;
  std::uint32_t umask = 022;
  int nice = 0;
  bool no_new_privs = false;  // neither the child nor what it starts gains privileges by executing a program
  Limits limits;
  std::string standard_input;     // what the child reads; empty: /dev/null
  std::int64_t output_limit = 0;  // bytes kept of the output: head and tail, half each; 0: discard all; most: 32 MiB
  bool stream_output = false;     // also send each chunk as Printed
  SteadyTime launch_not_after{};  // checked last, right before exec: past it, Refused. What has not exec'd by it is
                                  // killed: Refused where it was not about to, else Ended with leadership_lost
  int kill_signal = 15;
  Millis kill_grace{0};
  std::optional<Millis> deadline;  // of the attempt: past it TERM, kill_grace, KILL; Ended says deadline
  std::uint64_t term_key = 0;      // which term's deadline this run hangs on; no number is used a second time
  bool terminate = true;           // the run is ended at its term's deadline: without one, Refused
};

/// Stops a run: the signal to all processes of the run, KILL `grace` later. A second one only shortens.
/// `reason`: operator_, replaced, leadership_lost or shutdown; Ended says the first one given.
struct Kill {
  AttemptId id;
  Reason reason = Reason::operator_;
  int signal = 15;
  Millis grace{0};
};

/// The term's runs with `terminate` get their signal at deadline - grace and KILL at deadline - 200 ms; no run of
/// the term is exec'd past it. The latest one given counts, also without the daemon.
struct Deadline {
  std::uint64_t term_key = 0;
  SteadyTime at{};
  Millis grace{0};
};

/// The end of the attempt is recorded: forget it.
struct Ack {
  AttemptId id;
};

/// Exit once no run is left; what ended and was not acknowledged is kept till then only for a daemon that asks. A new
/// connection takes it back.
struct Leave {};

/// Answered by a Pong, after all that was said before it.
struct Ping {};

/// What the attempt has printed, from this byte on: answered by a Shown. The next question comes after the answer.
struct ShowOutput {
  AttemptId id;
  std::int64_t from = 0;
};

using ToRunner = std::variant<Start, Kill, Deadline, Ack, Leave, Ping, Command, Watch, Successor, ShowOutput>;

// ---- from the runner

/// First on every connection. After Command or Watch follow a Running for each child and an Ended for each
/// unacknowledged end, then Ready.
struct Hello {
  std::uint32_t protocol = 0;
  std::int64_t pid = 0;
};

struct Running {
  AttemptId id;
  std::string job;
  std::int64_t pid = 0;
  WallTime started_at{};
};

struct Ready {
  bool commanded = true;  // a daemon is connected; else nothing is started any more but by one that comes back
  std::string owner;      // as the last Command said
};

struct Started {
  AttemptId id;
  std::int64_t pid = 0;
  WallTime started_at{};
};

/// Past launch_not_after, or past the term's deadline, or a `terminate` run without one: nothing was exec'd.
struct Refused {
  AttemptId id;
};

/// Nothing was exec'd: `stage` is the step that failed ("exec", "chdir", "setresuid", "limits.cpu_time", "clone", ...).
struct CannotStart {
  AttemptId id;
  std::string stage;
  int error = 0;  // errno
};

struct Printed {
  AttemptId id;
  std::string bytes;
};

/// The child is gone and its output is read, to the end or for 2 s. Exactly one of exit_code and signal; of a function,
/// which no runner has, neither: without a reason it has succeeded.
/// `reason`: none, deadline, or what Kill or the term's deadline (leadership_lost) gave; set only if stopping it
/// had begun before the child ended. Else oom, where the kernel has killed the child for its memory.
struct Ended {
  AttemptId id;
  std::optional<int> exit_code{}, signal{};
  Reason reason = Reason::none;
  WallTime started_at{}, ended_at{};
  Millis duration{0};
  Leftover leftover = Leftover::none;
  Output output{};
};

struct Pong {};

/// See OutputPiece: `bytes` stand at `begin` of the `total` that were printed by now.
struct Shown {
  AttemptId id;
  bool known = false;  // it has the attempt; else nothing else is set
  bool ended = false;  // no more will be printed
  std::int64_t begin = 0, total = 0;
  std::string bytes{};
};

using FromRunner = std::variant<Hello, Running, Ready, Started, Refused, CannotStart, Printed, Ended, Pong, Shown>;

// ---- frames

std::string encode(const ToRunner& message);
std::string encode(const FromRunner& message);
void append(const ToRunner& message, std::string& out);
void append(const FromRunner& message, std::string& out);

/// Takes whole frames out of a stream of bytes. A frame is at most 64 MiB.
class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  /// The next message, or none yet; an error is final.
  Result<std::optional<ToRunner>> next_to_runner();
  Result<std::optional<FromRunner>> next_from_runner();

 private:
  std::string buffer_;
  std::size_t taken_ = 0;
};

}  // namespace ballot::runner
