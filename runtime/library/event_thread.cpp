#include "library/event_thread.hpp"

#include <utility>

namespace ballot::library {

void EventThread::start() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::idle) return;
  state_ = State::runs;
  thread_ = std::thread([this] { run(); });
}

void EventThread::post(std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::runs) return;
  callbacks_.push_back(std::move(callback));
  changed_.notify_one();
}

void EventThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::runs) return;
    state_ = State::stopping;
    changed_.notify_one();
  }
  thread_.join();
  const std::lock_guard lock(mutex_);
  state_ = State::idle;
}

void EventThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!callbacks_.empty()) {
      const auto callback = std::move(callbacks_.front());
      callbacks_.pop_front();
      lock.unlock();
      callback();
      lock.lock();
    } else if (state_ == State::stopping) {
      return;
    } else {
      changed_.wait(lock);
    }
  }
}

}  // namespace ballot::library
