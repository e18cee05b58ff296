// SimLink: one node's way to the store, with its faults. Belongs to the simulated machine, so that it outlives the
// daemons that come and go on it; changed at any time. SimChannel: one direction of it, in order of sending.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "support/sim/sim_loop.hpp"
#include "support/sim/sim_traffic.hpp"

namespace ballot {

/// Chances are in 1,000 and concern one request each; delays are one way.
struct SimLink {
  Millis delay_min{1};
  Millis delay_max{3};
  Millis slow_answers{0};       // what comes back takes so much longer
  Millis request_timeout{800};  // what has no answer by then is answered `unknown`
  Millis read_takes{0};         // what the store reads for this node takes so long an entry, one after the other
  SteadyTime read_by{};         // when it has read what it was asked for
  unsigned lose_request = 0;    // never arrives
  unsigned lose_answer = 0;     // is carried out, and not answered
  unsigned late_request = 0;    // is not answered, and carried out within late_max: perhaps after its session
  Millis late_max{10'000};
  unsigned duplicate = 0;     // a write is carried out a second time within late_max
  unsigned never_answer = 0;  // what is not answered is not even answered `unknown`
  unsigned lose_renewal = 0;  // a renewal is lost, in addition
  unsigned refuse_write = 0;  // a write is answered `failed` and not carried out (a full disk)
  Millis expiry_shift{0};     // sessions opened from here last T + this in the store
  /// Groups that the store finds this node unfit to lead, and why; "" for all. Change it by SimNode::find_unfit().
  std::map<std::string, std::string> unfit{};
  bool cut = false;          // nothing passes
  bool answers_cut = false;  // requests arrive, answers and events do not
  bool frozen = false;       // the process is stopped: SIGSTOP. Hold its loop too
  SimTraffic traffic{};      // what this node and the store have said to each other

  /// The store reads so many.
  void serve(SteadyTime now, std::size_t entries) {
    read_by = std::max(read_by, now) + read_takes * static_cast<Millis::rep>(entries);
  }
};

class SimChannel {
 public:
  using Task = SimLoop::Task;

  /// While `blocked`, what is kept waits and what is not is lost.
  SimChannel(SimLoop& loop, SimLoop::Owner owner, std::function<bool()> blocked)
      : loop_(loop), owner_(owner), blocked_(std::move(blocked)) {}
  SimChannel(const SimChannel&) = delete;
  SimChannel& operator=(const SimChannel&) = delete;

  void send(Millis delay, Task task) { push(delay, false, std::move(task)); }
  void send_kept(Millis delay, Task task) { push(delay, true, std::move(task)); }

 private:
  static constexpr Millis poll{20};
  struct Message {
    SteadyTime ready;
    bool kept;
    Task task;
  };

  void push(Millis delay, bool kept, Task task) {
    const SteadyTime ready = loop_.now() + delay;
    last_ = std::max(last_, ready);
    queue_.push_back({last_, kept, std::move(task)});
    wake(last_);
  }

  void wake(SteadyTime time) {
    loop_.at(time, owner_, [this] { pump(); });
  }

  void pump() {
    while (!queue_.empty() && queue_.front().ready <= loop_.now()) {
      if (blocked_()) {
        std::erase_if(queue_, [this](const Message& message) { return !message.kept && message.ready <= loop_.now(); });
        retry_later();
        return;
      }
      const Task task = std::move(queue_.front().task);
      queue_.pop_front();
      task();
    }
  }

  void retry_later() {
    if (queue_.empty() || retrying_) return;
    retrying_ = true;
    loop_.after(poll, owner_, [this] {
      retrying_ = false;
      pump();
    });
  }

  SimLoop& loop_;
  SimLoop::Owner owner_;
  std::function<bool()> blocked_;
  bool retrying_ = false;
  SteadyTime last_{};
  std::deque<Message> queue_;
};

}  // namespace ballot
