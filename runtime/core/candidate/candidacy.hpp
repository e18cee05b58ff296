// Candidacy: one node's part in the election of one group that has no jobs: the policy of `ballot run` and
// `ballot election`. It says by its own clock whether it leads, whatever events the store has or has not sent.
//
//   state     | event                             | next
//   outside   | Enter, and a session is open      | following: it campaigns; not before its pause is over
//   following | Elected                           | leading
//   following | Leave                             | outside: it resigns
//   leading   | a renewal is overdue, clocks step | leading, in doubt, until a renewal that is sent later is confirmed
//   leading   | the deadline passes,              | following: campaigns once the session was closed in the store and
//             | SessionClosed                     | another one is open
//   leading   | Deposed                           | following; evicted: outside for 3 T, unless there is no other
//   leading   | somebody asks to evict it         | leading, asked to leave: whoever acts for it sends Leave
//   leading   | Leave                             | leaving: it resigns, and begins nothing more
//   leading   | the store finds this node unfit   | leading, asked to leave; then outside while it is unfit
//   following | the store finds this node unfit   | outside: it resigns, and campaigns once it is fit again
//   leaving   | Deposed, the deadline,            | outside, for a moment (evicted: 3 T), so that another one is next
//             | SessionClosed                     |
//   any       | Close                             | closed, once the store confirms it
//
// Pure: it is given now and an event, and returns what the store is to be asked. Knows nothing of children and clocks.
//
//   for (Action& action : candidacy.step(now, Enter{})) ...
//   if (candidacy.may_act(now)) ...                 // leads, beyond doubt, and the term before is over
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/action.hpp"
#include "core/event.hpp"
#include "core/request/request.hpp"
#include "core/session/session.hpp"

namespace ballot::core {

/// Take part in the election from now on, until Leave.
struct Enter {};
/// Hand over, and take part no more.
struct Leave {};
/// Withdraw, and end the session. Nothing may follow but what the store answers.
struct Close {};

/// A candidate's state, as last stepped.
struct CandidateStatus {
  enum class State { outside, following, leading, leaving, closed };

  State state = State::outside;
  bool connected = false;       // a session is open
  bool in_doubt = false;        // leads, but a renewal is overdue: begin nothing
  bool asked_to_leave = false;  // somebody evicts it, or it is unfit: end what runs, then send Leave
  std::uint64_t epoch = 0;      // of the term, while it leads or leaves
  SteadyTime deadline{};        // of the term: past it, it does not lead
  Millis grace{0};              // how long before the deadline what runs gets its signal
  SteadyTime acts_from{};       // until then what the term before has started may still run
  Cause cause = Cause::none;    // why its last term ended
  int failures = 0;             // sessions that were lost or could not be opened, in a row
  std::string trouble;          // what the last of them said
  std::string unfit;            // why this node may not lead, as the store says
  bool unconfirmed = false;     // closed while it led, and the store does not say that the term has ended
  bool refused = false;         // the session is over for good: another candidate has this name; or the first one was
                                // not permitted (`cause` is auth_failed)

  bool leads() const { return state == State::leading; }
  bool operator==(const CandidateStatus&) const = default;
};

class Candidacy {
 public:
  using Event = std::variant<Tick, Enter, Leave, Close, BackendEvent>;

  /// `stop_grace`: how long what runs may take to end once it gets its signal.
  Candidacy(std::string group, Millis stop_grace) : group_(std::move(group)), stop_grace_(stop_grace) {}

  /// The first step begins the session.
  Actions step(Now now, const Event& event);
  std::optional<SteadyTime> wake() const;

  const CandidateStatus& status() const { return status_; }
  const Session& session() const { return session_; }
  /// Whether something may be begun now.
  bool may_act(Now now) const {
    return status_.leads() && !status_.asked_to_leave && session_.may_claim(now, budget()) &&
           now.steady >= status_.acts_from;
  }
  /// What runs is not started later: the end of the term would reach it at once.
  SteadyTime launch_not_after() const { return session_.deadline() - budget(); }
  /// For whoever asks the store for more in the same session: raise it for each request.
  RequestId& last_request() { return last_request_; }

 private:
  using State = CandidateStatus::State;

  RequestId next_request() { return ++last_request_; }
  Millis budget() const { return session_.terminate_budget(stop_grace_); }

  void on(Now now, Enter);
  void on(Now now, Leave);
  void on(Now now, Close);
  void on(Now now, Tick) { campaign(now); }
  void on(Now now, const BackendEvent& event);
  void on(Now now, const backend::SessionOpened& event);
  void on(Now now, const backend::SessionClosed& event);
  void on(Now now, const backend::Renewed& event) { session_.on_renewed(now, event); }
  void on(Now now, const backend::Outage& event) { session_.on_outage(now, event); }
  void on(Now now, const backend::Unfit& event);
  void on(Now, const backend::Vacancy&) {}
  void on(Now now, const backend::Elected& event);
  void on(Now now, const backend::Deposed& event);
  void on(Now now, const backend::Changed& event);
  void on(Now now, const backend::Observed& event);
  void on(Now now, const backend::ReadDone& event);
  void on(Now, const backend::Wrote&) {}

  void campaign(Now now);
  void observe_others(Now now);
  void end_term(Now now, Cause cause);
  void lose_session(Now now, Cause cause, const std::string& text);
  void answer_evictions(Now now);

  const std::string group_;
  const Millis stop_grace_;
  Session session_;
  CandidateStatus status_;
  RequestId last_request_ = 0;
  Actions out_;
  bool wanted_ = false;  // Enter came after the last Leave
  bool closing_ = false;
  bool was_open_ = false;  // some session has been
  SteadyTime rejoins_at_{};
  std::optional<SteadyTime> observe_at_;     // while it stays out after an eviction: for others
  RequestId observing_ = 0, listing_ = 0;    // in flight; 0: none
  std::string unfit_here_, unfit_anywhere_;  // as the store says: to lead this group, to lead any
  std::vector<RunId> evictions_;             // requests that are answered once it has left
};

}  // namespace ballot::core
