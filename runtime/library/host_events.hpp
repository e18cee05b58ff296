// HostEvents: what a host is told by a runtime, and which of its groups the runtime leads. Callbacks are called on one
// thread of their own; they may be set and replaced at any time, and count from then on.
//
// Threads: any; stop() and drop() not from a call of the host's code.
//
//   HostEvents host(runtime, log);
//   host.on_elected([](const Leadership& leads) { ... });
//   host.begin_leadership({"nightly", 7, deadline});     // by the loop
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "ballot/runtime.hpp"
#include "library/event_thread.hpp"
#include "library/host_call.hpp"
#include "library/leaderships.hpp"

namespace ballot::library {

/// A callback of the host, which may be replaced while it is called.
template <class What>
class HostCallback {
 public:
  using Function = std::function<void(const What&)>;

  void set(Function function) {
    auto next = function ? std::make_shared<const Function>(std::move(function)) : nullptr;
    const std::lock_guard lock(mutex_);
    function_.swap(next);  // what was there ends after the lock
  }
  /// Null: there is none.
  std::shared_ptr<const Function> get() const {
    const std::lock_guard lock(mutex_);
    return function_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Function> function_;
};

class HostEvents {
 public:
  /// `runtime` names it to HostCall.
  HostEvents(const void* runtime, Log log) : runtime_(runtime), thread_(std::move(log)) {}

  void on_elected(std::function<void(const Leadership&)> elected) { elected_.set(std::move(elected)); }
  void on_lost(std::function<void(const Leadership&)> lost) { lost_.set(std::move(lost)); }
  void on_run_ended(std::function<void(const Row&)> ended) { run_ended_.set(std::move(ended)); }
  void on_refused(std::function<void(const Error&)> refused) { refused_.set(std::move(refused)); }
  void on_ended(std::function<void(const Result<void>&)> ended) { ended_.set(std::move(ended)); }

  void begin_leadership(const Leadership& leads);
  /// Before the store is told: nobody else leads what is not led here any more. "": of all groups.
  void end_leaderships(const std::string& group, SteadyTime until);
  bool is_led(const std::string& group, std::uint64_t epoch) const { return leads_.is_led(group, epoch); }
  void set_deadline(SteadyTime deadline) { leads_.set_deadline(deadline); }
  std::optional<Leadership> leadership(const std::string& group, SteadyTime now) const {
    return leads_.find(group, now);
  }

  void tell_run_ended(const Row& row) { tell(run_ended_, row); }
  void tell_refused(const Error& error) { tell(refused_, error); }
  void tell_ended(const Result<void>& ended);

  /// This thread is in a callback, or in a function of called().
  bool is_in_call() const { return HostCall::is_under_way(runtime_); }
  /// The function, as the runtime calls it.
  std::shared_ptr<const JobFunction> called(JobFunction function) const;

  void start() { thread_.start(); }
  /// See EventThread::stop().
  void stop(SteadyTime until) { thread_.stop(until); }
  void drop() { thread_.drop(); }
  void leave() { thread_.leave(); }
  /// The runtime is left to itself: it leads nothing whatever it says, and calls no function that it has not begun.
  void abandon();

 private:
  template <class What>
  void tell(const HostCallback<What>& callback, const What& what) {
    if (callback.get()) thread_.post(call_of(callback, what));
  }
  template <class What>
  std::function<void()> call_of(const HostCallback<What>& callback, const What& what) const {
    return [runtime = runtime_, &callback, what] {
      const auto function = callback.get();
      const HostCall call(runtime);
      if (function) (*function)(what);
    };
  }

  const void* const runtime_;
  const std::shared_ptr<std::atomic<bool>> is_abandoned_ = std::make_shared<std::atomic<bool>>(false);
  Leaderships leads_;
  HostCallback<Leadership> elected_, lost_;
  HostCallback<Row> run_ended_;
  HostCallback<Error> refused_;
  HostCallback<Result<void>> ended_;
  EventThread thread_;  // last: it calls the others
};

}  // namespace ballot::library
