// FunctionPool: the threads that call functions of the host program, as many at once as there are threads, in the order
// in which they came. What a function throws ends with it. Knows nothing of jobs.
//
//   call state | event                                  | next
//   waiting    | a thread is free                       | calling, or refused: it is past `not_after`
//   waiting    | withdraw()                             | withdrawn: it is never called
//   calling    | the function has returned or thrown    | done
//
// Threads are begun as they are needed, with the signal mask of whoever adds the call. One more requests stops, as
// what a function has registered for that runs there. Thread: add(), stop() and close() the owner's; reports come as
// `take()` on the owner's thread after `wake`, which is called from any.
//
//   FunctionPool pool(4, [&] { loop.post([&] { for (auto& report : pool.take()) ...; }); });
//   auto call = pool.add({function, facts, not_after});
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "ballot/function.hpp"

namespace ballot::io {

class FunctionPool {
 public:
  struct Call {
    std::shared_ptr<const JobFunction> function;
    RunFacts facts;
    SteadyTime not_after{};
  };

  using Number = std::uint64_t;
  struct Report {
    enum class What { begun, refused, returned, threw };
    Number number = 0;
    What what = What::begun;
    Now at{};
    std::optional<JobResult> result = {};  // returned
    std::string text = {};                 // threw
  };

  /// `wake`: there is something to take; not called again before it was. From any thread; it must not call the pool,
  /// nor block. Requires: threads > 0.
  FunctionPool(int threads, std::function<void()> wake);
  /// As close(), without waiting.
  ~FunctionPool();
  FunctionPool(const FunctionPool&) = delete;
  FunctionPool& operator=(const FunctionPool&) = delete;

  Number add(Call call);
  /// True: it was waiting, and will not be called.
  bool withdraw(Number number);
  /// The call's stop token is stopped soon, on another thread.
  void stop(Number number);
  std::vector<Report> take();

  /// `wake` is not called any more, what waits is dropped, and threads that are free end. False: some function, or what
  /// one has registered for its stop, had not returned by `until`; its thread ends when it does, and touches nothing of
  /// this object. Where all have returned, `until` may be past.
  bool close(SteadyTime until);
  /// `until` is asked again some times a second, as it may become another; it must not call the pool.
  bool close(const std::function<SteadyTime()>& until);

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);
  static void request_stops(const std::shared_ptr<State>& state);
  static void call(State& state, Number number, const Call& call, std::stop_token stop);

  const std::shared_ptr<State> state_;
};

}  // namespace ballot::io
