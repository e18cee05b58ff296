// Vacancy: for how long a group has been without a leader, as the store shows it to a candidate. Longer than 2 T is
// more than any election takes: it is logged and shown.
//
//   state      | event                                     | next
//   none       | the store shows that nobody leads         | vacant
//   vacant     | 2 T have passed                           | leaderless, which is logged
//   vacant     | somebody leads, or it is no candidate     | none
//   leaderless | the same                                  | none, which is logged
//
// Pure; used by GroupMachine only.
#pragma once

#include <optional>
#include <string>

#include "core/job/job_context.hpp"

namespace ballot::core {

class Vacancy {
 public:
  void begin(const Context& c);
  void end(Context& c, const std::string& group);
  void advance(Context& c, const std::string& group);
  std::optional<SteadyTime> wake() const;
  bool is_leaderless() const { return state_ == State::leaderless; }

 private:
  enum class State { none, vacant, leaderless };

  State state_ = State::none;
  SteadyTime since_{}, logged_at_{};
};

}  // namespace ballot::core
