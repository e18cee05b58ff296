// EventThread: one thread that makes the host's callbacks, in their order, so that one that takes long holds up nothing
// but those after it. What a callback throws is logged.
//
//   state    | call or event                       | next
//   idle     | start()                             | runs
//   runs     | stop(), drop()                      | stopping: what is called is waited for
//   stopping | the queue and the last are done     | idle
//   runs     | leave(), as from a callback         | idle: the thread ends by itself, and touches nothing of this
//   object
//
// Thread: post() and post_last() from any; stop() and drop() not from a callback.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "ballot/log.hpp"
#include "ballot/time.hpp"

namespace ballot::library {

class EventThread {
 public:
  explicit EventThread(Log log);
  ~EventThread() { drop(); }
  EventThread(const EventThread&) = delete;
  EventThread& operator=(const EventThread&) = delete;

  void start();
  void post(std::function<void()> callback);
  /// Called once nothing else is to be called. Nothing may be posted after it.
  void post_last(std::function<void()> callback);

  /// What was posted is called as far as it can begin until then, and the last in any case. A callback that is under
  /// way is waited for.
  void stop(SteadyTime until);
  /// Nothing begins any more; a callback that is under way is waited for.
  void drop();
  /// The same without waiting.
  void leave();

 private:
  struct State;
  static void run(State& state);
  void end(SteadyTime until, bool calls_last);

  const std::shared_ptr<State> state_;  // the thread's too
  std::thread thread_;
};

}  // namespace ballot::library
