// RequestDesk: what people ask, from acceptance to answer, and what this node does for others' requests. It says in
// order what is to be done in the store and replied to whoever asked; what a request asks for is for others to do.
//
//   asked here  | event                                        | next
//   unsent      | a session is open; its run is known          | sent
//   sent        | the store has it                             | stored; a pause of all instances: answered, and gone
//   sent        | the store does not say whether it has it, or | of a trigger: in question
//               | the session is lost                          | of anything else: sent again
//   in question | its fate is read: the store has it           | stored
//   in question | its fate is read: nothing has come of it     | sent again
//   any         | the same trigger is asked for again          | as it was: all who ask are answered alike
//   stored      | its record is gone, or was another node's,   | answered as that one is: its answer, or the job's
//               | where the same trigger was asked for         | register once the record is gone
//   any         | done here: the answer waits until the        | answered
//               | request is out of the store                  |
//   any         | an answer is read, or was given up           | answered; gone, unless the run's end is waited for
//   not unsent  | past its time, a trigger                     | its fate is read: done, or certainly not
//   any         | past its time, anything else                 | answered: timeout
//   answered    | the run has ended                            | gone
//
// A trigger in question may have been refused already: sent again before its fate is read, it would be run after all.
//
//   for (auto& errand : desk.accept(now, ask, open)) perform(errand);
//
// Pure; used by Core only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"
#include "core/request/asked_runs.hpp"
#include "core/request/given_answers.hpp"
#include "core/request/request.hpp"
#include "core/store/store_client.hpp"

namespace ballot::core {

class RequestDesk {
 public:
  /// The request is in the store: it is taken up by the node whose it is to do.
  struct TakeUp {
    Request request;
  };
  /// All jobs' registers are listed: on_runs_listed().
  struct ListRuns {
    RunId request;
  };
  /// Its answer and its job's register are read: on_fate().
  struct ReadFate {
    RunId request;
    std::string job;
  };
  /// What came of it is recorded: "done", "refused", "expired"; with the request where no node has taken it up.
  struct Conclude {
    RunId request;
    std::string result, text;
    std::optional<Request> unrecorded;
  };
  using Errand = std::variant<StoreClient::RecordOp, TakeUp, ListRuns, ReadFate, Conclude, Reply, RunEnded>;
  using Errands = std::vector<Errand>;

  /// `node`: this one's name.
  explicit RequestDesk(std::string node = "") : node_(std::move(node)) {}

  // ---- what is asked here. `open`: there is a session.
  Errands accept(Now now, const Ask& ask, bool open);
  Errands on_opened();
  void on_lost() {
    for (auto& [id, asked] : asked_) asked.fate_asked = false;
  }
  /// The store does not say whether it has the request, or which runs there are. True: go_on() is due a little later.
  bool on_unknown(const RunId& request);
  /// `registers`: all jobs'.
  Errands on_runs_listed(const RunId& request, const std::vector<Register>& registers, bool open);
  /// Asks the store again where it has not said enough.
  Errands go_on();
  /// `existed`: the store had such a record before: an earlier attempt's to create it, or another node's.
  Errands on_stored(const RunId& request, bool existed = false);
  Errands on_not_stored(const RunId& request, const std::string& why);
  /// The reply may be given: the request is out of the store.
  Errands on_withdrawn(const RunId& request);
  /// Of a trigger past its time, or one that another node was asked for too. `registers`: the request and its answer,
  /// as far as they are there, and its job's.
  Errands on_fate(Now now, const RunId& request, const std::vector<Register>& registers);
  /// True: go_on() is due a little later.
  bool on_fate_unknown(Now now, const RunId& request);
  /// Removes requests that no client waits for any longer.
  Errands expire(Now now, bool open);
  /// All of it: the daemon stops.
  Errands give_up(const std::string& why);

  // ---- what this node does for whoever asked, here or elsewhere
  /// Takes the list of records under q/. `stopping`: nothing is taken up.
  Errands on_records(Now now, const std::vector<Register>& records, bool stopping);
  /// This node does it. `group`: whose term it ends with; "": none's.
  void take(const Request& request, const std::string& group) {
    taken_[request.id] = {group, request.by, request.until};
  }
  void on_term_ended(const std::string& group);
  /// The request is done, or will not be; nullopt: it was withdrawn.
  Errands answer(Now now, const RunId& request, std::optional<Answer> answer);
  /// A run that somebody waits for has ended.
  Errands on_run_ended(const Row& row);

  // ---- time
  std::optional<SteadyTime> wake(bool open) const;
  /// The node that is to remove a record may be dead by then: the records are listed again.
  void clean_up_at(Now now, WallTime at);
  std::optional<SteadyTime> cleanup() const { return cleanup_at_; }
  /// True, once: it is time.
  bool begin_cleanup(SteadyTime now) {
    if (!cleanup_at_ || *cleanup_at_ > now) return false;
    return cleanup_at_.reset(), true;
  }

 private:
  enum class Phase {
    unsent,
    sent,         // it may be in the store
    in_question,  // a trigger that may be, or may have been done: nobody knows before its fate is read
    stored,
    answered  // the run's end is still waited for
  };
  struct Asked {
    std::vector<Asker> askers;  // the first one, and those who have repeated it
    Request request;
    SteadyTime until{};
    WallTime at{};
    std::string run_suffix{};
    std::set<std::string> gone{};  // as of Ask
    NamedRun run{};                // that it names, once that is known
    Phase phase = Phase::unsent;
    bool existed = false;            // such a record was there when it was to be created:
    bool shared = false;             // another node's, for the same run
    bool missed = false;             // by a list since its fate was asked for it is not there
    bool was_gone = false;           // when its fate was read, and its answer was not there yet
    bool goes_on = false;            // the store is asked again by go_on()
    bool was_sent = false;           // before, and the store did not say whether that arrived: it still may
    std::optional<Answer> answer{};  // given once the request is out of the store, so that nobody does it again
    std::optional<SteadyTime> fate_at{};
    bool fate_asked = false;

    bool is_answered() const { return phase == Phase::answered; }
    bool is_sent() const { return phase != Phase::unsent; }
    bool is_trigger() const { return request.kind == Request::Kind::trigger; }
  };

  void send(Errands& errands, Asked& asked);
  void resume(Errands& errands, const RunId& request, Asked& asked);
  void join(Errands& errands, const Ask& ask, Asked& asked);
  void reply(Errands& errands, const RunId& request, const Answer& answer, bool repeats = false);
  void tell_end(Errands& errands, const Asked& asked, const Row& row);
  void ask_fate(Errands& errands, const RunId& request, Asked& asked);
  void reply_fate(Errands& errands, Asked& asked, const Answer& answer);
  void follow_gone(Errands& errands, const std::set<RunId>& there);
  void conclude(Errands& errands, const RunId& request, std::string result, const Answer& answer);
  void expire(Errands& errands, const RunId& request, const Answer& answer);
  void tell_answer(Errands& errands, const RunId& request);
  void expire(Errands& errands, Now now, bool open, const RunId& id, Asked& asked);
  void on_request_record(Errands& errands, Now now, const RunId& id, const Register& record, bool stopping);
  void answer_again(Errands& errands, Now now, const Request& request, Answer answer);
  void on_answer_record(Errands& errands, Now now, const RunId& id, const Register& record);
  void on_end_record(Errands& errands, Now now, const RunId& id, const Register& record);
  static SteadyTime wake_of(const Asked& asked, bool open);

  std::map<RunId, Asked> asked_;  // by request
  struct Taken {
    std::string group;  // whose term it ends with
    std::string by;     // who made it,
    WallTime until{};   // and how long they wait
  };
  std::map<RunId, Taken> taken_;  // requests that this node does
  std::string node_;
  GivenAnswers answered_;
  std::map<RunId, Request> refused_;  // made here, and whoever asked was told no; till nobody begins it any more
  std::optional<SteadyTime> cleanup_at_;
};

}  // namespace ballot::core
