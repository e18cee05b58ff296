/// \file
/// Runtime: ballot inside of another program: jobs that are commands or functions, elected, launched and recorded as
/// `ballot serve` does it, and leadership for parts of the program itself. docs/embedding.md shows a whole program.
///
/// \code
///   ballot::RuntimeSettings settings;
///   settings.state_dir = "/var/lib/myservice";
///   ballot::Runtime runtime(settings);
///   runtime.add({.name = "compact", .schedule = {"*/5 * * * *"}, .function = compact});
///   if (auto started = runtime.start(); !started) return fail(started.error());
///   ...
///   runtime.stop();
/// \endcode
///
/// Leaves the process alone: no signal handler, no waitpid() but for its own child, no umask, no output, no exit().
/// Several can be in one process, each with a state_dir and so a ledger of its own. Its threads have all signals
/// blocked.
///
/// Threads: any may call anything, also callbacks and functions, but for stop() in these, and for everything in `log`.
/// Callbacks are called one at a time, in their order, on one thread of the runtime's own: one that takes long delays
/// those after it, and nothing else; what one throws is logged. None is called after stop() has returned.
///
/// ABI: libballot.so.0; what is declared in this header and in those that it includes keeps its meaning and its layout
/// while the number is the same.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/export.hpp"
#include "ballot/function.hpp"
#include "ballot/ledger.hpp"
#include "ballot/log.hpp"
#include "ballot/options.hpp"
#include "ballot/policy.hpp"
#include "ballot/time.hpp"

namespace ballot {

namespace library {
struct RuntimeMaker;  ///< of `ballot serve`, whose files and flags are no settings
}

/// How a runtime is reached over HTTP: each as the key of its name in [http] of docs/commands.md; files are absolute
/// paths.
struct RuntimeHttp {
  std::string listen = {};     ///< "127.0.0.1:8780", "[::]:8780", or the path of a socket. "": nothing listens
  std::string advertise = {};  ///< the URL by which others reach it; "": made of `listen` and the host's name
  std::string base_path = {};  ///< before each path: "/ballot"
  /// Beyond this machine a certificate and its key are needed, and tokens.
  ///@{
  std::string tls_cert = {}, tls_key = {}, tls_client_ca = {}, tls_ca = {}, tokens = {};
  ///@}
  bool anonymous_viewer = false;  ///< anonymous = "viewer": who shows no token may see what a viewer sees
  /// What a proxy says of users, and which proxies are believed.
  ///@{
  std::string proxy_user_header = {}, proxy_groups_header = {};
  std::vector<std::pair<std::string, std::string>> proxy_roles = {};  ///< a group, and the name of its role
  std::vector<std::string> trusted_proxies = {};                      ///< addresses, ranges of them, or "socket"
  ///@}
  bool job_metrics = true;  ///< metrics of each job
};

/// What a runtime is made with. "" and nullopt: as the file has it, else the default that is named here.
struct RuntimeSettings {
  std::string file;     ///< a ballot.toml, which must exist and be trusted as `ballot serve` has it. "": none is read
  std::string node;     ///< the host's name. Of two runtimes on one host that share a store, each has its own
  std::string backend;  ///< "local": groups are led by one process of this host
  std::string name_space;         ///< of the backend: what shares nothing with others. A networked one has no default
  Options options;                ///< of the backend's table, over the file's: {"servers", ...}
  bool allow_open_store = false;  ///< of root: a store that asks nobody who he is will do
  std::optional<Millis> session_timeout;  ///< how long leadership survives silence; from 2 s
  std::string jobs_dir;                   ///< of job files, watched. Without a file: none
  std::string state_dir;     ///< ledger and registers, private to this runtime. Without a file it must be set
  std::string run_dir;       ///< sockets; at most some 90 bytes. Without a file: state_dir/run
  std::string plugin_dir;    ///< of BACKEND.so; where the package has them
  std::string program_dir;   ///< of ballot-runner and ballot-ping; where the package has them
  int function_threads = 4;  ///< functions at once; from 1
  bool commands = true;      ///< false: no runner is started; jobs with commands or mail, and all hooks, are refused
  /// Where `ballot status`, `trigger`, `kill` and all that ask a daemon find this runtime: a path of at most 107 bytes,
  /// for the process's user and the group `ballot`. "": nobody can ask; a file's [control] is not used.
  std::string control_socket;
  /// The API and the metrics of docs/api.md, on a thread of their own; roles by groups are those of `control_socket`.
  /// Without `listen`: none, or as the file has it.
  RuntimeHttp http;
  /// The program `ballot`, which the runner starts a second after a crash, so that others lead at once. "": they lead
  /// once the session has timed out, or somebody calls `ballot resign --session RUN_DIR/session`.
  std::string handover_program;
  std::string credentials_dir;  ///< of secrets with relative paths. "": there is none
  bool dry_run = false;         ///< all but the launch: slots become `skipped: dry_run`
  Log log;                      ///< null: nothing is logged
};

/// A job that the program defines.
struct JobSpec {
  std::string name;                        ///< 1 to 64 letters, digits, '_', '-'
  std::string group = "default";           ///< whose leader runs it
  std::vector<std::string> schedule = {};  ///< cron expressions, "@every 5m", ...; none: by trigger() only
  std::vector<std::string> command = {};   ///< a program and its arguments, or
  JobFunction function = {};               ///< a function: exactly one of the two
  /// The keys that most jobs set, by their names in docs/jobs.md; none: as the default there.
  ///@{
  std::optional<std::string> description = {}, timezone = {};
  std::optional<bool> enabled = {};
  std::optional<RunOn> run_on = {};
  std::optional<Concurrency> concurrency = {};
  std::optional<Millis> jitter = {}, start_deadline = {}, deadline = {};
  std::optional<int> retries = {};
  std::optional<Millis> retry_delay = {};
  std::optional<Misfire> misfire = {};
  std::optional<Guarantee> guarantee = {};
  std::optional<OnLeadershipLost> on_leadership_lost = {};
  ///@}
  std::string keys = {};  ///< all others, in TOML: "max_running = 2\non_success = \"rerun\""; of no other job or group
};

/// A job, as this node knows it.
struct JobInfo {
  std::string name;                           ///< `JOB@NODE` where run_on = "each"
  std::string group;                          ///< whose leader runs it
  std::string leader;                         ///< that node; "": none is known
  std::string state;                          ///< a word or two of `ballot jobs`: "active", "paused", "halted" ...
  std::string trouble;                        ///< why it is halted; "": it is not
  std::optional<WallTime> next = {};          ///< slot; none: there is none, or only its leader knows
  std::optional<WallTime> paused_at = {};     ///< it, or its group; none: it is not, or that is not known here
  std::string paused_by = {};                 ///< who asked for it: "NODE uid UID", "NODE by its program"
  std::optional<WallTime> paused_until = {};  ///< when that ends by itself; none: somebody has to resume
  std::string pause_reason = {};              ///< why it was; "": nobody said
};

/// A term of this node's: it leads a group.
struct Leadership {
  std::string group;        ///< that it leads
  std::uint64_t epoch = 0;  ///< grows from term to term of the group: a fencing token for stores that compare it
  SteadyTime until{};       ///< CLOCK_BOOTTIME: it leads until then, unless the term is renewed; it mostly is
};

/// How a runtime is.
struct RuntimeStatus {
  /// In a word.
  enum class State {
    healthy,        ///< nothing is wrong
    degraded,       ///< it schedules, and something is wrong
    not_scheduling  ///< it has no session, or no runner, or stops
  };
  State state = State::not_scheduling;  ///< in a word
  std::vector<std::string> degraded;    ///< why, each with the word in front that monitoring looks for: "ledger: ..."
  int groups = 0;                       ///< that it leads
  int jobs = 0;                         ///< that are defined
  int open_runs = 0;                    ///< of the jobs that it leads
  std::string summary;                  ///< all this in a line: "healthy: leads 2 groups, 14 jobs, 1 run open"
};

/// Which rows of the ledger. Empty lists and absent values: any.
struct HistoryQuery {
  std::vector<std::string> jobs = {};      ///< by name
  std::vector<std::string> groups = {};    ///< by name
  std::vector<Status> statuses = {};       ///< any of them
  std::optional<RunId> run = {};           ///< with all its attempts
  std::optional<WallTime> since = {};      ///< of the slot; inclusive
  std::optional<WallTime> until = {};      ///< exclusive
  std::optional<std::int64_t> limit = 50;  ///< the newest; none: all
};

/// What a trigger says beside its job.
struct TriggerWith {
  /// Variables of its run, of those that the job's `trigger_env` allows; in all at most 1024 bytes, with an '=' and an
  /// end each. Values without NUL.
  std::map<std::string, std::string, std::less<>> env = {};
  bool alone = false;  ///< jobs that come `after` this one have no slot of it
};

/// What a pause may be given.
struct PauseTerms {
  std::optional<WallTime> until = {};  ///< it ends by itself then; none: somebody has to resume
  std::string reason = {};             ///< one line, at most 256 bytes; "": none
};

/// Past slots of a job that are to be run, by its present schedule; as `ballot backfill` has them.
struct BackfillQuery {
  /// Which slots of those times are run.
  enum class Which {
    unsuccessful,  ///< whose runs have not succeeded: those of the next two
    failed,        ///< whose last run failed, timed out, was killed or lost
    missed,        ///< that did not run
    all            ///< also those that have succeeded
  };
  WallTime since{};                    ///< slots from then on,
  std::optional<WallTime> until = {};  ///< and before; none: up to now
  Which which = Which::unsuccessful;   ///< of these
  int parallel = 1;                    ///< so many at once, as far as the job lets its runs overlap; at most 16
};

/// One runtime: see above.
class BALLOT_API Runtime {
 public:
  /// Reads the file, where there is one; what is wrong with the settings, or missing on the machine (io:
  /// descriptors), is what add() and start() return. Throws std::bad_alloc at most.
  explicit Runtime(RuntimeSettings settings);
  /// As stop(), with a bound of 5 s. In a callback or a function it does not wait: a thread of its own stops the
  /// runtime once that has returned; without any, it stops by itself, and calls nobody any more.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Defines a job, or defines it anew: running it goes on as it was begun. Before or after start(); it counts before
  /// a job of its name in any file. As with every edit, slots that were due before are not made up for.
  /// Errors: invalid, with everything that is wrong, by field: "job x of this program, retries: must be ...", or by
  /// line of `keys`.
  Result<void> add(const JobSpec& job);
  /// Takes back what add() has defined; runs go on. not_found: add() has defined no such job.
  Result<void> remove(const std::string& job);

  /// A function that job files name: `function = "NAME"`. Before start(), so that the files find it. invalid: `name`
  /// is no valid name, or is taken, or it is too late.
  Result<void> add_function(const std::string& name, JobFunction function);

  /// Takes part in an election, with or without jobs. `keys`: those of [group.NAME] in docs/jobs.md, in TOML.
  Result<void> add_group(const std::string& name, const std::string& keys = {});
  /// Takes back what add_group() has defined. not_found: it has defined no such group.
  Result<void> remove_group(const std::string& name);

  // Callbacks may be set and replaced at any time, also from one of them. A new one is called for what happens from
  // then on; the one that it replaces may still be under way.

  /// A term of this node's has begun, or is over: handed back, lost, or past its deadline.
  ///@{
  void on_elected(std::function<void(const Leadership&)> elected);
  void on_lost(std::function<void(const Leadership&)> lost);
  ///@}
  /// An attempt of a run on this node has ended; the row as it is in the ledger, at least once.
  void on_run_ended(std::function<void(const Row&)> ended);
  /// The runtime has ended by itself: another node has its name (conflict), or its namespace was moved to another store
  /// (refused).
  void on_refused(std::function<void(const Error&)> refused);
  /// The runtime has ended, by itself or by a stop, with what stop() returns: the last callback. Not called where
  /// start() has failed, or stop() has left the runtime to itself.
  void on_ended(std::function<void(const Result<void>&)> ended);

  /// Loads the plugin, opens the ledger, starts the runner (where commands are to be run) and campaigns. Errors:
  /// those of the settings (invalid); the plugin's (not_found, refused, corrupt); conflict (another runtime, of any
  /// process, has the run_dir or writes the ledger, or another program has the control socket); io. It may be called
  /// again after an error.
  Result<void> start();

  /// How to stop.
  struct Stop {
    /// Runs may go on for so long before commands are killed and functions are asked to stop; at most three eighths
    /// of the bound.
    Millis wait{0};
    Millis bound = std::chrono::seconds(10);  ///< it returns by then
    /// Terms and commands are left as they are, for a runtime that is started before the session times out: of an
    /// upgrade. Nothing is waited for but functions, which are stopped. The first call says it.
    bool leave = false;
  };
  /// Hands over what it leads, ends its runs, and stores what it has recorded. Called again it does nothing. Before
  /// start(): it cannot be started any more. Errors: timeout, where some had not ended by the bound: commands are
  /// then the runner's, which ends them with their terms; functions have been abandoned, and their runs are `lost`;
  /// where it is still starting, it stops once it has started. invalid, where this is a callback or a function:
  /// nothing has been done, and request_stop() is for these.
  ///
  /// Callbacks that have not begun by the bound are not called, but for on_ended(). What is under way then is waited
  /// for, beyond the bound: a callback, the destructor of a function that add() has replaced, and for a second at
  /// most a line that `log` has not returned from; after that second `log` may still be within it.
  Result<void> stop(const Stop& how);
  Result<void> stop() { return stop(Stop()); }  ///< with these defaults
  /// Begins a stop and returns: on_ended() says when it is done, and stop() waits for it and bounds it. Until then
  /// the wait is as long as is asked for. Called again it does not wait for runs any more. Before the end of start()
  /// too. Also from a callback or a function; from a signal's handler it is not, but from a thread that waits for
  /// signals.
  void request_stop(const Stop& how);
  void request_stop() { request_stop(Stop()); }  ///< with these defaults

  /// Reads the job files again, also where their folder shows no change. `why`, for the log: who asks.
  Result<void> reload(const std::string& why);

  /// Errors: unavailable (it has not started, or has stopped), timeout.
  Result<RuntimeStatus> status(Millis patience = Millis(5000)) const;
  /// Whether its loop still answers, for whoever keeps a watchdog: cheap. Errors: as status().
  Result<void> ping(Millis patience = Millis(5000)) const;

  /// What this node leads now, by the clock: past its deadline it is nothing. Cheap; asks no store.
  std::optional<Leadership> leadership(const std::string& group) const;

  /// Runs a job now, on whichever node leads its group. The run's id, once its slot is claimed. Errors: not_found (no
  /// such job); refused, conflict (the leader does not start it; the text says why: an overlap, a pause, a halt);
  /// unavailable (no leader, or the runtime does not run); timeout (what becomes of it is unknown); invalid (a
  /// variable that the job does not allow).
  ///@{
  Result<RunId> trigger(const std::string& job, Millis patience = Millis(30'000));
  Result<RunId> trigger(const std::string& job, const TriggerWith& with, Millis patience = Millis(30'000));
  ///@}
  /// Has a run ended, wherever it goes on: a command is killed, a function's stop requested. It returns once the
  /// run's node has taken it up. Errors: as trigger(); not_found: no such run is open.
  Result<void> kill(const RunId& run, Millis patience = Millis(30'000));

  /// Once it has returned, nothing of the job, or of any job of the group, starts but what is triggered; runs go on.
  /// A pause stays over restarts and failovers. Errors: as trigger().
  ///@{
  Result<void> pause(const std::string& job, Millis patience = Millis(30'000));
  Result<void> pause_group(const std::string& group, Millis patience = Millis(30'000));
  Result<void> pause(const std::string& job, const PauseTerms& terms, Millis patience = Millis(30'000));
  Result<void> pause_group(const std::string& group, const PauseTerms& terms, Millis patience = Millis(30'000));
  ///@}
  /// Slots that have passed become `skipped: paused`. A job is paused still while its group is, and the reverse:
  /// jobs() says so. Errors: as trigger().
  ///@{
  Result<void> resume(const std::string& job, Millis patience = Millis(30'000));
  Result<void> resume_group(const std::string& group, Millis patience = Millis(30'000));
  ///@}

  /// Has past slots run, oldest first, by whoever leads the job, over any failover; what was done, in words. Which
  /// slots have not succeeded the ledgers of the fleet say. Errors: as trigger(); invalid (more slots than can be, or
  /// too scattered: the text says what to ask for); conflict (one goes on); unavailable, also where a node does not
  /// answer that may know of a success.
  Result<std::string> backfill(const std::string& job, const BackfillQuery& slots, Millis patience = Millis(30'000));
  /// Begins no more slots of it; runs go on. Errors: as trigger().
  Result<std::string> stop_backfill(const std::string& job, Millis patience = Millis(30'000));

  /// All jobs that this node's files and its program define, by name, with their leaders as the store says. Errors:
  /// as status().
  Result<std::vector<JobInfo>> jobs(Millis patience = Millis(5000)) const;
  /// The job's slots to come, at most `count` of them, and 100. Errors: as status(); not_found (no such job here);
  /// refused: it has an `@every`, and this node does not know yet from when on that counts.
  Result<std::vector<WallTime>> next_slots(const std::string& job, int count = 5, Millis patience = Millis(5000)) const;

  /// Rows of this node's ledger, by slot, then attempt, newest first, with all that was recorded before the call, but
  /// for what waits in the spool while the ledger is degraded, which status() says; before start(), and while it
  /// stops, as far as it is written. Errors: timeout, after 10 s, where what was recorded is stored nowhere, or the
  /// loop hangs; not_found, denied, refused, corrupt, io, where there is no ledger that can be read.
  Result<std::vector<Row>> history(const HistoryQuery& query) const;
  /// What an attempt printed, or a function printed and returned as text; none: of the last attempt. Of one that goes
  /// on on this node, what it has printed so far. Errors: as history(); not_found (no such run or attempt here);
  /// unavailable: its runner does not answer.
  Result<Output> output(const RunId& run, std::optional<int> attempt = {}) const;
  /// The same of a row's attempt; empty, where the slot had no run.
  Result<Output> output(const Row& row) const;

 private:
  class State;
  friend struct library::RuntimeMaker;
  [[gnu::visibility("hidden")]] explicit Runtime(State& state);

  std::shared_ptr<State> state_;
};

}  // namespace ballot
