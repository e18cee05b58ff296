// Groups: the groups of one session: those it waits for, and those it leads. All is decided within a change of the
// store; what a change that fails has undone is made good later. Knows nothing of files and of who listens. One thread.
//
//   Groups groups(store, entry, host);
//   store.write([&] { groups.campaign("nightly", events);  groups.end_left();  return true; });
//   groups.end_change(events);                              // or, where it failed: groups.undo(calls, events)
//
//   | state     | means                                    | leaves it                                              |
//   | --------- | ---------------------------------------- | ------------------------------------------------------ |
//   | leading   | the present term is this session's       | resigned: out; evicted: postponed                      |
//   | waiting   | it is a candidate, and another one leads | it is vacant: leading; a failed commit: postponed      |
//   | postponed | it is a candidate again, not before      | campaigned for: leading or waiting                     |
//   |           | `resume_at_`                             |                                                        |
//
// A group is vacant where its last term has ended, or its leader's byte in the lock file is free, or its lease is past.
// The epoch under the write lock decides who follows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "opening.hpp"
#include "store.hpp"
#include "support/calls.hpp"
#include "support/predecessor.hpp"
#include "support/wait_notice.hpp"

namespace ballot::local {

class Groups {
 public:
  /// Before it campaigns anew for a group that it has lost, or could not campaign for.
  static constexpr Millis pause{250};

  /// `store` and `host` outlive this.
  Groups(Store& store, const Entry& entry, Host& host);

  // In a change.
  void campaign(const std::string& group, Events& events);
  void resign(const std::string& group);
  /// Campaigns for one of vacancies().
  void try_to_lead(const std::string& group, Events& events);
  /// False: nobody leads it.
  bool evict(const std::string& group);
  /// Finds the terms of this session that somebody has ended; others have the first chance to follow.
  void find_losses();
  /// The groups to campaign for now. A session that waits checks few others, however many groups they lead.
  std::vector<std::string> vacancies();
  /// Ends the terms that were left without a commit. True: some term has ended in this change, which others follow.
  bool end_left();

  // After it.
  void end_change(Events& events);
  /// Nothing of the change has happened, but that who resigns does not lead: that term is ended by a change that can be
  /// made. A campaign is made later, also one that the change did not come to.
  void undo(const std::vector<Call>& calls, Events& events);

  bool waits() const noexcept { return !waiting_.empty(); }
  bool has_unended() const noexcept { return !unended_.empty(); }
  /// Something is to be done that nobody notifies of: poll.
  bool polls() const noexcept { return has_unended() || !postponed_.empty(); }

 private:
  enum class State { postponed, waiting, leading };
  struct Group {
    State state = State::postponed;
    std::int64_t id = 0;  // 0: not known
    std::uint64_t epoch = 0;
  };
  struct Left {
    Group group;
    Cause cause = Cause::none;
  };

  void enter_state(const std::string& name, Group& group, State state);
  void postpone(const std::string& name);
  void lead(Group& group, TermRow& term, Events& events);
  void leave(const std::string& name);
  bool is_vacant(const TermRow& term);
  bool is_led(const TermRow& term);
  Predecessor predecessor_of(const TermRow& term);
  const std::set<std::int64_t>& living();

  RegisterDb& db_;
  Liveness& liveness_;
  const Entry entry_;
  std::unordered_map<std::string, Group> groups_;
  std::map<std::int64_t, std::string> waiting_;  // by id
  std::set<std::string> postponed_;
  SteadyTime resume_at_{};
  support::WaitNotice notice_;
  Events vacancies_;                               // to be posted after the change
  std::map<std::int64_t, std::uint64_t> unended_;  // epochs, by group, of terms that were left without a commit
  // Of this change:
  std::optional<std::set<std::int64_t>> living_;  // sessions that may lead
  std::set<std::string> tried_;                   // campaigned for
  std::map<std::int64_t, std::uint64_t> ending_;  // as unended_, until it is committed
  std::map<std::string, Left> left_;              // led until it is done
  std::map<std::string, std::string> waits_for_;  // by group: the node that leads; "": nobody is waited for
  bool term_ended_ = false;
};

}  // namespace ballot::local
