// Ticks: the slots of `ballot run cron`, whose candidates have no job register but one small register for the group:
// up to where its ticks are settled. A tick is claimed in it, under the term's epoch, before its child is started: so
// no tick runs twice, and one that falls into an election is found, and made up for, by the next leader.
//
//   state    | event                                | next
//   idle     | lead()                               | reading
//   reading  | ReadDone                             | ready; absent: writing, as a first leader's cursor is now
//   ready    | claim(), skip()                      | writing
//   writing  | done; conflict, and what is there is | ready; a claim is confirmed
//            | what was written                     |
//   writing  | unknown                              | writing: the identical write again
//   writing  | any other refusal                    | reading: what is there decides
//   any      | drop()                               | idle
//
// Pure. Used beside a Candidacy, in its session.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "core/record/register.hpp"
#include "schedule/plan.hpp"

namespace ballot::core {

/// What the register says.
struct TickRegister {
  WallTime cursor{};  // every tick up to it is settled; only grows
  std::string run;    // that claimed the tick at the cursor; "" for none
  std::string node;   // that wrote last
  std::vector<Anchor> anchors;
  RareList<std::string> unknown;  // fields of a newer version, as read
  bool operator==(const TickRegister&) const = default;
};

std::string tick_register(std::string_view group);  // "t/NAME"
std::string to_text(const TickRegister&);
Result<TickRegister> parse_tick_register(std::string_view text);

class Ticks {
 public:
  enum class State { idle, reading, ready, writing };

  /// Older ticks are passed over, not made up for; as a job's start_deadline.
  static constexpr Millis oldest = std::chrono::minutes(5);

  struct Look {
    std::optional<WallTime> due;   // the newest tick that is not settled
    std::vector<WallTime> passed;  // older ones, not run
    bool passed_more = false;      // and some that are older than `oldest`
    std::optional<WallTime> next;  // when the first one after now is due
  };

  Ticks(schedule::Plan plan, std::string group, std::string node)
      : plan_(std::move(plan)), group_(std::move(group)), node_(std::move(node)) {}

  /// A term begins: what is settled is read.
  void lead(std::uint64_t epoch, RequestId& last_request, Actions& out);
  /// The term is over: nothing is asked or confirmed any more.
  void drop();

  /// What is due. Requires: ready.
  Look look(Now now) const;
  /// Settles everything up to `slot`, whose child is `run`'s. Requires: ready.
  void claim(WallTime slot, const std::string& run, RequestId& last_request, Actions& out) {
    claiming_ = true;
    write(slot, run, last_request, out);
  }
  /// Settles everything up to `slot` without a child. Requires: ready.
  void skip(WallTime slot, RequestId& last_request, Actions& out) { write(slot, "", last_request, out); }

  /// The store's answers. Returns the slot whose claim they confirm.
  std::optional<WallTime> on(Now now, const backend::Wrote& event, RequestId& last_request, Actions& out);
  std::optional<WallTime> on(Now now, const backend::ReadDone& event, RequestId& last_request, Actions& out);
  /// Asks again what was not answered well. To be called at wake().
  void on_time(Now now, RequestId& last_request, Actions& out);
  std::optional<SteadyTime> wake() const { return again_at_; }

  State state() const { return state_; }
  /// What makes its register unreadable; "" where nothing does.
  const std::string& trouble() const { return trouble_; }

 private:
  void write(WallTime slot, const std::string& run, RequestId& last_request, Actions& out);
  void send_write(RequestId& last_request, Actions& out);
  void read(RequestId& last_request, Actions& out);
  void begin(Now now, RequestId& last_request, Actions& out);
  std::optional<WallTime> settled();
  bool anchor_new_schedules(Now now);
  std::vector<WallTime> anchors() const;

  const schedule::Plan plan_;
  const std::string group_, node_;
  State state_ = State::idle;
  std::uint64_t epoch_ = 0;
  TickRegister stored_, wanted_;  // as read or written last; as being written
  std::uint64_t version_ = 0;
  bool claiming_ = false;  // wanted_ is a claim
  bool written_ = false;   // wanted_ was sent, and may have been committed
  RequestId request_ = 0;  // in flight; 0: none
  std::optional<SteadyTime> again_at_;
  std::string trouble_;
};

}  // namespace ballot::core
