// EventThread: one thread that makes the host's callbacks, in their order, so that one that takes long holds up nothing
// but those after it. What a callback throws ends the process, as with any thread.
//
// Thread: post() from any; stop() not from a callback.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ballot::library {

class EventThread {
 public:
  EventThread() = default;
  ~EventThread() { stop(); }
  EventThread(const EventThread&) = delete;
  EventThread& operator=(const EventThread&) = delete;

  void start();
  void post(std::function<void()> callback);
  /// What was posted is called first. After it nothing is.
  void stop();

 private:
  enum class State { idle, runs, stopping };

  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> callbacks_;
  State state_ = State::idle;
  std::thread thread_;
};

}  // namespace ballot::library
