/// \file
/// Backend: what a plugin does for ballot. Thin by design: it speaks one store's language; election policy, deadlines,
/// claims and catch-up are the core's, written once (docs/developers/design.md).
///
/// Threads: every function of Backend is called on the loop thread, must not block and must not throw. A plugin does
/// its work on threads of its own and answers through Host::post, from any thread. Every event carries the generation
/// of the session that it belongs to; the loop drops those of an older one, and completes its open calls as unknown.
///
/// One use, from the loop's side:
/// \code
///   backend->open({.generation = 1, ...});      ... SessionOpened{timeout 5 s}
///   backend->campaign("nightly");               ... Elected{"nightly", epoch 7}
///   backend->write(11, {{"nightly", 7, "j/backup", text, version}});   ... Wrote{11, {done, version + 1}}
/// \endcode
///
/// Beside the registers, which only the present term changes, a store holds records: created once, never changed,
/// removed by whoever needs them no more, and not fenced. Requests, their answers and the outcomes of runs are records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ballot/log.hpp"
#include "ballot/options.hpp"
#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot {

/// Chosen by the caller, unique within a generation; names the answer.
using RequestId = std::uint64_t;

/// What excludes one of two terms that both believe they lead. A run is started only after a write of its job's
/// register, so either keeps its slot to one of them.
enum class Capability {
  fenced,  ///< the store asserts in the same operation that the writer's term leads, else not_leader
  sealed   ///< it compares the version alone: a term's first write of a register, over the version that this term has
           ///< read, shuts out whatever earlier terms still send to that register
};

/// As people read it.
constexpr std::string_view to_string(Capability capability) {
  return capability == Capability::fenced ? "fenced" : "sealed";
}

/// This node, as other nodes and `info` see it.
struct SessionRequest {
  std::uint64_t generation = 0;  ///< grows with every open
  std::string node;              ///< its name
  std::string boot_id;           ///< of this boot of the machine
  std::string machine_id;        ///< of the machine, over boots
  std::string host;              ///< of the machine, for people
  int pid = 0;                   ///< of its process
  std::string version;           ///< of ballot
  std::string control;           ///< the path of the control socket; "" for none
  Millis timeout{0};  ///< what is asked for; 0: the backend's default. What counts is what SessionOpened grants
  /// Only reads: it has no node's name, takes no part in elections, need not be renewed, and disturbs none.
  bool observer = false;
  /// As SessionOpened gave it for a session whose daemon is dead: it is opened again, to be left on that daemon's
  /// behalf by resign() and close(); nothing else is asked but observe(), read() and list(), and it need not be
  /// renewed. Closed with superseded where the daemon lives, with expired where the session is over.
  std::string handle = {};
  /// Of a candidate of one group: that group. Candidates of different groups may have the same name. "": of any group.
  std::string only_group = {};
  /// The session before is not to be gone on with: somebody else leaves on its behalf just now, and is not waited for.
  bool anew = false;
};

/// A conditional write: `version` must be the register's (0: it does not exist), and `epoch` must lead `group`.
struct RegisterWrite {
  std::string group;          ///< whose term writes
  std::uint64_t epoch = 0;    ///< of that term
  std::string name;           ///< [a-z]/[A-Za-z0-9._@-]+
  std::string value;          ///< at most 8 KB
  std::uint64_t version = 0;  ///< that it must have
};

/// What a store made of a request.
enum class StoreResult {
  done,        ///< committed; for a write, `version` is the register's new one
  conflict,    ///< refused: the register has another version (given where the store reports it)
  not_leader,  ///< refused: the term that wrote does not lead
  unknown,     ///< it may have happened, and may still happen: repeat the identical write
  failed       ///< it has not happened and will not; `text` says why
};

/// What became of one of a batch.
struct WriteAnswer {
  StoreResult outcome = StoreResult::unknown;  ///< in a word
  std::uint64_t version = 0;                   ///< of the register; 0: not known
  std::string text;                            ///< for people
};

/// A register, or a record, as it was read.
struct Register {
  std::string name;   ///< all of it
  std::string value;  ///< as it was written
  /// Of a register: not 0, and larger after each change than any before, whoever leads, also when the store was
  /// restarted; a smaller one shows that the store has gone back. Versions of two registers say nothing of each other.
  std::uint64_t version = 0;
};

/// A record to be created.
struct Record {
  std::string name;   ///< as a register's; no register has it
  std::string value;  ///< at most 8 KB
};

/// A node that takes part in a group's election.
struct Candidate {
  std::string id;  ///< of its session, unique in the store
  /// as of SessionRequest
  ///@{
  std::string node, machine_id, boot_id, host, version, control;
  ///@}
  int pid = 0;                             ///< as of SessionRequest
  WallTime since{};                        ///< when it began to campaign
  Millis timeout{0};                       ///< of its session
  std::optional<WallTime> last_seen;       ///< when its session was renewed last, where the store knows
  bool leads = false;                      ///< it is the leader
  bool readable = true;                    ///< false: its entry is of no version that is known; only `id` is set
  std::optional<WallTime> stored_at = {};  ///< `since` by the store's own clock, where it has one
};

/// One election as the store shows it.
struct Election {
  std::string group;        ///< its name
  std::uint64_t epoch = 0;  ///< of the present term, or of the last one; 0: there never was one
  std::vector<Candidate>
      candidates;  ///< in the order in which they may lead, where known; the leader first, but for intruders
};

/// What a store says of itself, for people: facts as name and value, such as {"servers", "3"}, and what is wrong with
/// it.
struct StoreState {
  std::vector<std::pair<std::string, std::string>> facts = {};  ///< name and value
  std::vector<std::string> warnings = {};                       ///< what is wrong
};

/// What a backend posts.
namespace backend {

/// The session is open; `timeout` is T as the store grants it. `revision`: highest store revision seen (0: none).
struct SessionOpened {
  Millis timeout{0};                           ///< T
  Capability capability = Capability::fenced;  ///< of the store
  std::string id;                              ///< unique in the store
  std::uint64_t revision = 0;                  ///< 0: none
  /// A secret: with it anybody may leave on behalf of this session once its daemon is dead. "": nobody may.
  std::string handle = {};
  /// What the clock that all nodes share said while the session was opened; none where the store has none.
  std::optional<WallTime> store_clock = {};
};

/// The session is over, or could not be opened; the last event of its generation. All its terms are over too.
///
/// `superseded` of a session that was opening is final: a daemon that lives has the node's name, so this one stops
/// where it never had a session. `text` names the other daemon's pid and host. A daemon lives where it has a lock that
/// is released with its process, or its session was seen to be renewed twice. A dead daemon's session is no reason: it
/// is resumed, ended, or waited for. `superseded` of a session that was open: another session has taken its place; a
/// new one may be opened.
struct SessionClosed {
  Cause cause = Cause::unreachable;  ///< in a word
  std::string text;                  ///< for people
  /// The store answers, and refused a write that a session takes: it is full perhaps. `text` says why.
  bool refuses_writes = false;
};

/// The answer to renew(). done: the store's own timer was restarted by an operation sent after renew() was called.
struct Renewed {
  RequestId request = 0;                       ///< that is answered
  StoreResult outcome = StoreResult::unknown;  ///< in a word
  std::string text;                            ///< for people
  std::optional<WallTime> store_clock = {};    ///< as of SessionOpened, between renew() and this answer
  std::uint64_t revision = 0;                  ///< highest store revision seen (0: none)
  /// The sending time from which the session lasts for T, where it is an earlier one than that of this renewal: not all
  /// stores have committed a renewal when they answer it. None: that of this renewal.
  std::optional<SteadyTime> counts_from = {};
  /// The store has lost something that it had acknowledged to this session; `text` says what.
  bool gone_back = false;
};

/// An outage, for a leader that keeps its terms (on_outage = "hold"). Only from a backend that was made with
/// BackendSettings::hold, and while the session is open: a majority of the store's servers, each asked at `asked` or
/// later, has itself answered that it has no quorum; a server that is silent has said nothing. Nobody can be elected
/// then, so the session lasts until T/3 after `asked` at least, though nothing renews it; each such finding moves that
/// on. Posted whenever it is found, and found at least every T/6 while it is so. A backend closes no session for want
/// of renewals until then.
struct Outage {
  SteadyTime asked{};  ///< when the first of them was asked
};

/// This node leads `group`. Exactly one for each term, in order with Deposed.
struct Elected {
  std::string group;        ///< that it leads
  std::uint64_t epoch = 0;  ///< larger than any before in this group, but for a resumed term
  bool resumed = false;     ///< the term that this node had before its daemon was restarted goes on
  /// Until when runs of terms before it that did not end cleanly may go on, by this machine's boot clock: the last
  /// moment of them all, not of the last one alone. None: the store has ended their sessions, or they ran on another
  /// boot of this machine. T from now where the session of one still exists (it was evicted, or its entry was deleted).
  std::optional<SteadyTime> old_deadline;
  std::optional<WallTime> last_alive;  ///< when the term before last showed life, where the store knows
  std::uint64_t revision = 0;          ///< the store's, of a committed write by which the term began (0: none)
  /// For the group's hooks, on_promote and on_demote of this term: NAME=VALUE each.
  std::vector<std::string> environment = {};
};

/// The term is over: resigned, or the store says so. Nothing more of this epoch.
struct Deposed {
  std::string group;          ///< that it led
  std::uint64_t epoch = 0;    ///< as of Elected
  Cause cause = Cause::none;  ///< in a word
};

/// Whether this node may lead a group, where the store has a say in it: a health check, a maintenance. It may until the
/// first of these, and again in the next session. Nothing is elected while it may not; what it leads is resigned by the
/// loop, in order. Posted when it changes.
struct Unfit {
  std::string group;  ///< "": all
  std::string why;    ///< for people; "": it may lead it again, as far as this is concerned
};

/// The answer to write(), create() and remove(): one for each of the batch, in its order. Each is decided on its own.
struct Wrote {
  RequestId request = 0;             ///< that is answered
  std::vector<WriteAnswer> answers;  ///< in the order of the batch
};

/// Whether a group that this node campaigns in is without a leader, as far as the store shows. Posted when it changes;
/// the group counts as led until the first of these, and from Elected on. A backend that cannot tell posts none.
struct Vacancy {
  std::string group;       ///< that this node is a candidate of
  bool is_vacant = false;  ///< nobody leads it
};

/// Registers or records under the watched prefix may have changed: list them. Comes once after watch(), and may come
/// for nothing; a change is never kept silent, and a watch that was lost is reported as a change.
struct Changed {
  /// Letter by letter as watch() was given it, whatever the store calls what it watches. Where a name lies under
  /// several prefixes that are watched, each of them is reported.
  std::string prefix;
};

/// The answer to observe().
struct Observed {
  RequestId request = 0;                       ///< that is answered
  StoreResult outcome = StoreResult::unknown;  ///< in a word
  std::vector<Election> elections;             ///< in no order
  std::string text;                            ///< for people
  StoreState store = {};  ///< for a session that only observes; else, and where nothing is known of it, empty
};

/// The answer to read() and list(). done: linearizable, absent registers left out.
struct ReadDone {
  RequestId request = 0;                       ///< that is answered
  StoreResult outcome = StoreResult::unknown;  ///< in a word
  std::vector<Register> registers;             ///< that are there
  std::string text;                            ///< for people
};

}  // namespace backend

/// One of them, and which session it is of.
struct BackendEvent {
  std::uint64_t generation = 0;  ///< as of SessionRequest
  /// What has happened.
  std::variant<backend::SessionOpened, backend::SessionClosed, backend::Renewed, backend::Elected, backend::Deposed,
               backend::Wrote, backend::ReadDone, backend::Changed, backend::Observed, backend::Outage, backend::Unfit,
               backend::Vacancy>
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

/// One store: see above.
class Backend {
 public:
  /// Closes whatever is open, without waiting for the store. No event after it returns.
  virtual ~Backend() = default;

  /// The tables [group.GROUP.NAME] of this backend, by group, of which check_group_table() has found nothing wrong.
  /// Comes before open() where there are any, and again whenever they have changed: all of them each time.
  virtual void configure(std::map<std::string, Options> groups) noexcept { (void)groups; }

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

  /// Creates each record that does not exist. Answered by one Wrote: done, or conflict where it exists, whatever its
  /// value.
  virtual void create(RequestId request, std::vector<Record> records) noexcept = 0;

  /// Removes records. Answered by one Wrote: done also where there was none. Requires: no register is named.
  virtual void remove(RequestId request, std::vector<std::string> names) noexcept = 0;

  /// Reports changes under `prefix` by Changed until the session ends.
  virtual void watch(const std::string& prefix) noexcept = 0;

  /// The group's election; of all groups where it is "". Answered by Observed; a group that never was is left out.
  virtual void observe(RequestId request, const std::string& group) noexcept = 0;

  /// Ends the present term of the group without asking its leader, which gets Deposed{evicted} and may campaign
  /// again. Answered by Wrote with one answer: done, or conflict where nobody leads.
  virtual void evict(RequestId request, const std::string& group) noexcept = 0;

  /// All registers and records whose name begins with `prefix`. Answered by ReadDone.
  virtual void list(RequestId request, std::string prefix) noexcept = 0;

  /// Withdraws from everything and ends the session. `keep` leaves the terms as they are, for a daemon that comes
  /// back before their deadline. Answered by SessionClosed: shutdown, or unreachable where the store has not confirmed
  /// that the session has ended: its terms then last until their deadlines.
  virtual void close(bool keep) noexcept = 0;
};

}  // namespace ballot
