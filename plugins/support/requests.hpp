// Requests: what a plugin has asked its store and waits for. They are sent in the order of asking, but only some that
// are not urgent are under way, so many as are answered within a tenth of a second: a store keeps a connection's
// order, and so what is urgent is never behind ten thousand others. Where no answer comes for long, what is under way
// is answered as late: it may have happened, and may still happen. Knows nothing of what is asked, nor how it is sent.
// One thread: answers that arrive on another come to this one by a Mailbox.
//
//   requests.ask([=](std::uint64_t number) { client.get(path, number); }, [](const Reply& reply) { ... });
//   for (Message& one : mailbox.take()) requests.answer(one.number, one.reply);
//   requests.time_out(boot_now(), 2s, Reply{timed_out});      // from time to time: not before due(2s)
//
//   | state     | means                                     | next                                      |
//   | --------- | ----------------------------------------- | ----------------------------------------- |
//   | waiting   | as much as may be is under way            | under way                                 |
//   | under way | it was sent                               | done: answer(), or time_out()             |
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "ballot/time.hpp"
#include "support/clock.hpp"

namespace ballot::support {

/// Urgent requests are sent at once; those of low priority when none of normal priority waits, and fewer of them at
/// once: normal requests of other sessions then have more of the store. But at most some normal ones come between two.
enum class Priority { normal, urgent, low };

/// Which answers can be lost: only all of a connection at a time, or any one.
enum class Missing { all, one };

template <class Reply>
class Requests {
 public:
  /// Sends it. What cannot be sent is answered too, but not from within.
  using Send = std::function<void(std::uint64_t number)>;
  using Done = std::function<void(const Reply&)>;
  static constexpr std::size_t widest = 512, narrowest = 16;

  explicit Requests(Missing missing = Missing::all) : missing_(missing) {}

  /// `weight`: how many simple ones it counts as.
  void ask(Send send, Done done, Priority priority = Priority::normal, std::size_t weight = 1) {
    Request request{std::move(send), std::move(done), priority == Priority::urgent ? 0 : weight, {}};
    if (priority == Priority::urgent) return start(std::move(request));
    auto& queue = priority == Priority::low ? low_ : waiting_;
    queue.push_back(std::move(request));
    if (queue.size() == 1) send_some();
  }

  /// One that has been answered as late is not again.
  void answer(std::uint64_t number, const Reply& reply) {
    last_answer_ = boot_now();
    const auto found = under_way_.find(number);
    if (found != under_way_.end()) end(found, reply);
    go_on();
  }
  /// Answers what has been under way for `patience`, where the store has been silent for as long, or any answer may be
  /// missing: then also what waits while it is silent.
  void time_out(SteadyTime now, Millis patience, const Reply& late) {
    if (const auto at = due(patience); !at || now < *at) return;
    while (!under_way_.empty() && under_way_.begin()->second.sent + patience <= now) end(under_way_.begin(), late);
    if (missing_ == Missing::one && last_answer_ + patience <= now)
      for (auto* queue : {&waiting_, &low_})
        for (const Request& one : std::exchange(*queue, {})) one.done(late);
    go_on();
  }
  std::optional<SteadyTime> due(Millis patience) const {
    if (under_way_.empty()) return std::nullopt;
    const SteadyTime sent = under_way_.begin()->second.sent;
    return (missing_ == Missing::all ? std::max(last_answer_, sent) : sent) + patience;
  }

  /// Nothing is under way, or waits.
  bool idle() const noexcept { return weight_ == 0 && waiting_.empty() && low_.empty(); }
  /// Requests that wait are never sent, and not answered.
  void forget_waiting() {
    waiting_.clear();
    low_.clear();
  }

 private:
  struct Request {
    Send send;
    Done done;
    std::size_t weight = 0;  // 0: urgent
    SteadyTime sent{};
  };
  using UnderWay = std::map<std::uint64_t, Request>;
  static constexpr Millis slow_answer{100};
  static constexpr std::size_t share_of_low = 8;   // of the window: others may have more to do than this session
  static constexpr std::size_t most_between = 16;  // of normal priority, before one of low priority that waits

  void start(Request request) {
    weight_ += request.weight;
    request.sent = boot_now();
    const Send send = std::move(request.send);
    const std::uint64_t number = ++last_;
    under_way_.emplace_hint(under_way_.end(), number, std::move(request));
    send(number);
  }

  /// Many at once, as each that is sent alone may wake a thread.
  void go_on() {
    if (weight_ <= window_ / 2) send_some();
  }

  void send_some() {
    while (!waiting_.empty() && weight_ < window_) {
      send_next(waiting_);
      if (!low_.empty() && ++between_ >= most_between) send_low();
    }
    while (waiting_.empty() && !low_.empty() && weight_ < window_ / share_of_low) send_low();
  }

  void send_low() {
    between_ = 0;
    send_next(low_);
  }

  void send_next(std::deque<Request>& queue) {
    Request next = std::move(queue.front());
    queue.pop_front();
    start(std::move(next));
  }

  void end(typename UnderWay::iterator request, const Reply& reply) {
    const Done done = std::move(request->second.done);
    const std::size_t weight = request->second.weight;
    weight_ -= weight;
    const bool slow = boot_now() - request->second.sent > slow_answer;
    window_ = slow ? std::max(narrowest, window_ - std::min(weight, window_)) : std::min(widest, window_ + weight);
    under_way_.erase(request);
    done(reply);
  }

  const Missing missing_;
  std::deque<Request> waiting_, low_;
  UnderWay under_way_;      // by number, that is by time
  std::size_t weight_ = 0;  // of what is under way and not urgent
  std::size_t window_ = widest;
  std::size_t between_ = 0;  // of normal priority, since the last of low priority
  std::uint64_t last_ = 0;
  SteadyTime last_answer_{};
};

}  // namespace ballot::support
