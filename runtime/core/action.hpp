// What the core wants done. The shell performs the actions of a step in their order and reports back as events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ballot/backend.hpp"
#include "ballot/ledger.hpp"
#include "ballot/log.hpp"
#include "ballot/optional_time.hpp"
#include "base/runner_wire.hpp"
#include "core/event.hpp"
#include "core/record/register.hpp"
#include "schedule/definition.hpp"

namespace ballot::core {

// ---- to the backend

struct OpenSession {
  std::uint64_t generation = 0;
};
struct CloseSession {
  bool keep = false;
};
struct Renew {
  RequestId request = 0;
};
struct Campaign {
  std::string group;
};
struct Resign {
  std::string group;
};
struct Write {
  RequestId request = 0;
  std::vector<RegisterWrite> batch;
};
struct Read {
  RequestId request = 0;
  std::vector<std::string> names;
};
struct List {
  RequestId request = 0;
  std::string prefix;
};
struct Create {
  RequestId request = 0;
  std::vector<ballot::Record> records;
};
struct Remove {
  RequestId request = 0;
  std::vector<std::string> names;
};
struct Watch {
  std::string prefix;
};
struct Observe {
  RequestId request = 0;
  std::string group;
};

// ---- to the runner

/// The claim is confirmed: start the attempt. The shell makes the child's environment from this and the definition.
struct Launch {
  runner::AttemptId id;
  std::string group;  // of its term: the job's files may name another one by now
  schedule::DefinitionPtr definition;
  WallTime slot{};
  Trigger trigger = Trigger::schedule;
  std::uint64_t epoch = 0;
  std::uint64_t fence = 0;  // 0: it has no confirmed claim
  bool terminate = true;    // it ends with its term
  SteadyTime launch_not_after{};
  Defaulted<RunVariables> variables{};
};

/// The deadline of a term that has runs: before its first launch, and after each renewal.
struct TermDeadline {
  std::string group;
  std::uint64_t epoch = 0;
  SteadyTime at{};
  Millis grace{0};
};

struct KillRun {
  runner::AttemptId id;
  Reason reason = Reason::operator_;
  int signal = 15;
  Millis grace{0};
};

/// The attempt's last row was recorded: RowsDurable follows once it is durable. Only then is its run closed in the
/// register.
struct AwaitRecorded {
  runner::AttemptId id;
};

/// These rows were recorded: RowsDurable follows once they are durable. Only then do their ranges leave the register.
struct AwaitSettled {
  Settled settled;
};

/// The attempt's end is in its register and in the ledger: the runner may forget it.
struct Forget {
  runner::AttemptId id;
};

/// The runner of another node of this host, whose daemon has died, is asked which of its runs go on: answered by
/// RunnerWord, at once and as they end; by nothing where it does not answer within 100 ms. `socket` "": no more is to
/// be known.
struct AskRunner {
  std::string node;
  std::string socket;
};

// ---- to the ledger, to people

struct RecordRow {
  Row row;
  bool if_absent = false;  // only where the ledger has nothing of the slot: evidence of a term before
  /// Figures that no row has: of a run that has been claimed, how long the store took to confirm the claim; of a slot's
  /// first attempt that has started, how long after it was due.
  std::optional<Millis> claim_took{}, start_lateness{};
};
struct RecordTerm {
  TermRow term;
  std::optional<Cause> elected_after{};  // of a term that an election begins: why the term before had ended
};
struct RecordDefinition {
  DefinitionRow row;                     // without its keys
  schedule::DefinitionPtr definition{};  // whose row it is; null: no file of this node says it
};
/// What the store has shown: the ledger keeps it for the daemon's next start.
struct RecordKnown {
  KnownRow known;
};
struct RecordPause {
  PauseRow pause;
};
/// Somebody asks for it, and this node does it, or answers that nobody does.
struct RecordRequest {
  RequestRow request;
};
struct RecordAnswer {
  AnswerRow answer;
};
struct RecordOutput {
  runner::AttemptId id;
  Output output;
  bool is_mailed = false;  // a Notify of this run may want it, before its Forget
};

/// Somebody is to be notified, by the hooks, the mail or the ping of the definition. Each at most once: a run's end by
/// the term whose register write closed it, wherever it ran; what was expected otherwise (late, slow, overdue) by the
/// term whose register write says so.
struct Notify {
  enum class Event { started, ended, missed, late, slow, overdue };
  Event event = Event::ended;
  Row row;  // of a range of missed slots: one for all; of a job that is overdue: since `slot`
  schedule::DefinitionPtr definition;
  bool recovered = false;                 // the first success after a failure, or of a job that was overdue
  Millis expected{0};                     // late, slow, overdue: what the job's file says
  OptionalTime<WallTime> last_success{};  // overdue: none, there was none
};

/// The answer to whoever asked. ok: done; `run` for a trigger, and whether somebody had asked for that run before.
struct Reply {
  Asker asker = 0;
  bool ok = false;
  std::string text;  // why not; or what was done
  std::optional<RunId> run;
  Errc code = Errc::invalid;  // where not ok
  bool repeats = false;
};

/// The end of a run that somebody triggered and waits for.
struct RunEnded {
  Asker asker = 0;
  Row row;
};

/// A line for the log.
struct Notice {
  Level level = Level::info;
  std::string text;
  std::vector<std::pair<std::string, std::string>> fields;
};

/// The stop is complete; or, with `refusal`, the store does not have this node: another daemon bears its name.
struct Stopped {
  std::string refusal;
};

using Action = std::variant<OpenSession, CloseSession, Renew, Campaign, Resign, Write, Read, List, Create, Remove,
                            Watch, Observe, Launch, TermDeadline, KillRun, AwaitRecorded, AwaitSettled, Forget,
                            AskRunner, RecordRow, RecordTerm, RecordDefinition, RecordKnown, RecordPause, RecordRequest,
                            RecordAnswer, RecordOutput, Notify, Reply, RunEnded, Notice, Stopped>;
using Actions = std::vector<Action>;

/// The key under which the runner knows a term's deadline.
std::uint64_t term_key(std::string_view group, std::uint64_t epoch);

}  // namespace ballot::core
