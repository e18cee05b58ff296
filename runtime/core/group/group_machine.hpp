// GroupMachine: one group's election as this node takes part in it: its candidacy, its term, and its register.
//
//   phase     | event                                            | next
//   idle      | wanted, a session is open, this node may lead it | candidate
//   candidate | Elected                                          | reading
//   candidate | not wanted any more, or may not lead it          | idle
//   reading   | it is handed over to another candidate           | resigning: the term leads nothing
//   reading   | its registers are read                           | leading
//   leading   | Deposed                                          | candidate
//   leading   | a clean stop, an eviction, a hand-over, not      | resigning, once its jobs are done
//             | wanted any more, may not lead it any more        |
//   resigning | Deposed                                          | idle; evicted: no candidate for 3 T, unless alone
//   any       | the session is lost                              | idle
//
// Requests of the whole group are in GroupRequests, voluntary hand-overs in GroupHandover: both work on its state.
//
//   GroupMachine group("nightly", GroupGuard(guard));
//   group.on_elected(g, event);  ...  group.begin_term(g, its_register);
//   group.advance(g);  // at wake(), and where g.is_dirty was set
//
// Pure; on the loop's thread; used by Groups, which gives it a GroupContext and keeps the table of groups.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/group/group_state.hpp"

namespace ballot::core {

class GroupMachine {
 public:
  using Phase = GroupState::Phase;

  GroupMachine(const std::string& name, GroupGuard guard) { state_.name = name, state_.guard = std::move(guard); }

  Phase phase() const { return state_.phase; }
  bool leads() const { return state_.phase == Phase::leading; }
  /// Led, or being resigned after it was.
  bool is_led() const {
    return leads() || (state_.phase == Phase::resigning && state_.handback != Handback::forwarding);
  }
  /// Led, resigned, or forwarded: its register is this node's to write.
  bool writes_register() const { return leads() || state_.phase == Phase::resigning; }
  const Term& term() const { return state_.term; }
  /// As it was read when the term began, and written since.
  const GroupRegister& known_register() const { return state_.stored.value(); }
  /// The group reads what the term before has left, in the term of this epoch.
  bool is_reading(std::uint64_t epoch) const { return state_.phase == Phase::reading && state_.term.epoch == epoch; }
  /// The group may wait for its jobs.
  bool waits_for_jobs() const {
    const bool ends_pause = state_.requests.resuming && state_.term.paused;
    return state_.drains() || state_.reelects || ends_pause || !state_.requests.asked.empty();
  }
  bool is_evicting() const { return state_.handback == Handback::evicted; }
  /// This node has given the group away, and takes part in its election again later.
  bool cools() const { return state_.cool_until.has_value(); }
  /// `open`: there is a session.
  std::optional<SteadyTime> wake(bool open) const;
  /// The same by the wall clock, as pauses end.
  std::optional<WallTime> wall_wake(WallTime now) const;

  /// Takes the files' limit on runs.
  void limit(bool limited) { state_.term.limited = limited; }

  /// Does what time, its jobs, its requests or the files have made possible.
  void advance(GroupContext& g);
  /// Campaigns, or withdraws.
  void enter_or_leave(GroupContext& g);
  /// Whether this node may lead it may have changed.
  void advance_eligibility(GroupContext& g);

  /// Takes the store's word on this node's fitness to lead the group: see backend::Unfit.
  void on_unfit(GroupContext& g, const std::string& why);
  void forget_unfit() { state_.unfit.clear(); }
  const std::string& unfit() const { return state_.unfit; }
  /// Takes the store's word on the group while this node is a candidate: see backend::Vacancy.
  void on_vacancy(GroupContext& g, bool is_vacant);
  /// Nobody has led it for longer than 2 T, though this node is a candidate.
  bool is_leaderless() const { return state_.vacancy.is_leaderless(); }

  // ---- a term
  void on_elected(GroupContext& g, const backend::Elected& event);
  /// The other nodes' records are listed: registers that waited for that are read.
  void on_nodes_listed(GroupContext& g) {
    if (state_.phase == Phase::reading && state_.read_at) read_registers(g);
  }
  /// Its registers could not be read.
  void on_unread(SteadyTime now);
  /// `stored`: its register, in this term. True: whether it is forwarded is known later, by on_observed(); `read` is
  /// kept till then.
  bool considers_forwarding(GroupContext& g, const Register& stored, const std::vector<Register>& read);
  void keep_registers(std::vector<Register> read) { state_.registers = std::move(read); }
  std::vector<Register> take_registers() { return std::exchange(state_.registers, {}); }
  /// Requires: is_reading(). Its jobs are led next.
  void begin_term(GroupContext& g, const std::optional<Register>& stored);
  /// The term, if there is one, is over.
  void end_term(GroupContext& g, Cause cause);
  void on_deposed(GroupContext& g, const backend::Deposed& event);
  /// Nothing of it is launched any more, until it is repaired.
  void halt(GroupContext& g, const std::string& why);
  /// A repair that others have made is known from now on: see GroupGuard.
  void learn_repair(const StoreGuard& guard, const Shown& now) { state_.guard.learn_repair(guard, now); }
  bool knows_of(const StoreGuard& guard) const { return state_.guard.knows_of(guard); }
  /// Takes what a daemon of this node knew of the group before; null: nothing.
  void recall(const StoreGuard& guard, const KnownRow* known) { state_.guard.recall(guard, known); }
  KnownRow known() const { return state_.guard.known(state_.name); }
  /// A job of it that this node does not lead has an older register than this node has seen: `why`.
  void on_older_job(const std::string& why) { state_.guard.on_older_job(why); }
  /// The evidence for the other nodes: see GroupGuard::evidence(); and the number of the last known repair.
  const std::string& evidence(const StoreGuard& guard) const { return state_.guard.evidence(guard); }
  std::uint64_t known_repair() const { return state_.guard.repair(); }
  /// The runner is new, and knows no deadline.
  void forget_deadline() { state_.deadline_sent.reset(); }
  /// Where it has not been sent yet.
  std::optional<TermDeadline> send_deadline(const Session& session);

  // ---- its register
  void on_written(GroupContext& g, const WriteAnswer& answer);
  void on_read(GroupContext& g, const backend::ReadDone& event);

  // ---- requests of the group
  /// Its answer, where there is nothing to do.
  std::optional<Answer> refusal(const Request& request) const;
  void take(GroupContext& g, const Request& request);
  bool waits_for_renewal() const { return state_.requests.repairs_later; }
  /// The store does not show that eviction any more.
  void on_eviction_removed(GroupContext& g);
  /// A run's policy says `reelect`.
  void reelect(GroupContext& g);

  // ---- hand-over
  bool may_hand_over(GroupContext& g);
  /// Nothing would suffer by a hand-over now; asked often enough, nothing of the group is open.
  bool is_quiet(GroupContext& g);
  /// Observed first: whether that session takes part.
  void begin_handover(GroupContext& g, const std::string& session);
  /// Which session is observed for that; "": none.
  std::string_view next_leader() const {
    const bool is_observed = leads() && state_.handback == Handback::handover;
    return is_observed ? std::string_view(state_.handover_session) : std::string_view();
  }
  void call_off_handover() { state_.handback = Handback::none; }
  /// `election`: nullopt where it is not known. True: nobody is waited for, and the term begins with take_registers().
  bool on_observed(GroupContext& g, const std::optional<Election>& election);

  // ---- the stop
  void on_stop(GroupContext& g);
  /// The session is being closed; what is still led is left in the store.
  void on_closing(GroupContext& g);
  /// Every job of it is written and closed, and no run of it is open that ends with its term.
  bool is_at_rest(const GroupContext& g) const;
  /// It is at rest, and is not left to a restart.
  bool may_resign(const GroupContext& g) const;
  void resign(GroupContext& g, Cause cause);

 private:
  bool may_take_part(const GroupContext& g) const;
  Cause ineligible_cause(const GroupContext& g) const {
    return g.is_node_fit && state_.unfit.empty() ? Cause::resigned : Cause::unfit;
  }
  void read_registers(GroupContext& g);
  void count_terms(const GroupContext& g, const GroupRegister& before);
  void log_halt(GroupContext& g);
  void depose_jobs(GroupContext& g);
  void advance_reelection(GroupContext& g);
  void advance_handback(GroupContext& g);
  void write(GroupContext& g);

  GroupState state_;
};

}  // namespace ballot::core
