#include "library/event_thread.hpp"

#include <exception>
#include <string>
#include <utility>

namespace ballot::library {

void EventThread::start() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::idle) return;
  thread_ = std::thread([this] { run(); });
  state_ = State::runs;
}

void EventThread::post(std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::runs) return;
  callbacks_.push_back(std::move(callback));
  changed_.notify_one();
}

void EventThread::stop(Rest rest) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::runs) return;
    state_ = State::stopping;
    if (rest == Rest::dropped) callbacks_.clear();
    changed_.notify_one();
  }
  thread_.join();
  const std::lock_guard lock(mutex_);
  state_ = State::idle;
}

void EventThread::call(const std::function<void()>& callback) const {
  try {
    callback();
  } catch (const std::exception& thrown) {
    const char* const text = thrown.what();
    log_(Level::error, "a callback threw: " + std::string(text ? text : "an exception without a text"), {});
  } catch (...) {
    log_(Level::error, "a callback threw something that is no std::exception", {});
  }
}

void EventThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!callbacks_.empty()) {
      const auto callback = std::move(callbacks_.front());
      callbacks_.pop_front();
      lock.unlock();
      call(callback);
      lock.lock();
    } else if (state_ == State::stopping) {
      return;
    } else {
      changed_.wait(lock);
    }
  }
}

}  // namespace ballot::library
