// EventThread: one thread that makes the host's callbacks, in their order, so that one that takes long holds up nothing
// but those after it. What a callback throws is logged.
//
// Thread: post() from any; stop() not from a callback.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "ballot/log.hpp"

namespace ballot::library {

class EventThread {
 public:
  explicit EventThread(Log log) : log_(std::move(log)) {}
  ~EventThread() { stop(Rest::dropped); }
  EventThread(const EventThread&) = delete;
  EventThread& operator=(const EventThread&) = delete;

  void start();
  void post(std::function<void()> callback);
  enum class Rest { called, dropped };
  /// What was posted is called first, or not at all; a callback that is under way is waited for. After it none begins.
  void stop(Rest rest);

 private:
  enum class State { idle, runs, stopping };

  void run();
  void call(const std::function<void()>& callback) const;

  const Log log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> callbacks_;
  State state_ = State::idle;
  std::thread thread_;
};

}  // namespace ballot::library
