#include "library/event_thread.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "base/exception_text.hpp"
#include "io/clocks.hpp"

namespace ballot::library {

struct EventThread::State {
  enum class Phase { idle, runs, stopping };

  explicit State(Log to) : log(std::move(to)) {}

  void call(const std::function<void()>& callback) const;

  const Log log;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> callbacks;
  std::function<void()> last;
  Phase phase = Phase::idle;
  SteadyTime begins_until{};  // stopping
};

EventThread::EventThread(Log log) : state_(std::make_shared<State>(std::move(log))) {}

void EventThread::start() {
  const std::lock_guard lock(state_->mutex);
  if (state_->phase != State::Phase::idle) return;
  thread_ = std::thread([state = state_] { run(*state); });
  state_->phase = State::Phase::runs;
}

void EventThread::post(std::function<void()> callback) {
  const std::lock_guard lock(state_->mutex);
  if (state_->phase != State::Phase::runs) return;
  state_->callbacks.push_back(std::move(callback));
  state_->changed.notify_one();
}

void EventThread::post_last(std::function<void()> callback) {
  const std::lock_guard lock(state_->mutex);
  if (state_->phase != State::Phase::runs) return;
  state_->last = std::move(callback);
  state_->changed.notify_one();
}

void EventThread::end(SteadyTime until, bool calls_last) {
  const std::lock_guard lock(state_->mutex);
  if (state_->phase != State::Phase::runs) return;
  state_->phase = State::Phase::stopping;
  state_->begins_until = until;
  if (!calls_last) state_->last = nullptr;
  state_->changed.notify_one();
}

void EventThread::stop(SteadyTime until) {
  end(until, true);
  if (!thread_.joinable()) return;
  thread_.join();
  const std::lock_guard lock(state_->mutex);
  state_->phase = State::Phase::idle;
}

void EventThread::drop() {
  end(SteadyTime::min(), false);
  stop(SteadyTime::min());
}

void EventThread::leave() {
  end(SteadyTime::min(), false);
  if (thread_.joinable()) thread_.detach();
}

void EventThread::State::call(const std::function<void()>& callback) const {
  try {
    callback();
  } catch (const std::exception& thrown) {
    log(Level::error, "a callback threw: " + exception_text(thrown), {});
  } catch (...) {
    log(Level::error, "a callback threw something that is no std::exception", {});
  }
}

void EventThread::run(State& state) {
  std::unique_lock lock(state.mutex);
  for (;;) {
    const bool stops = state.phase == State::Phase::stopping;
    if (stops && io::read_clocks().steady >= state.begins_until) state.callbacks.clear();
    std::function<void()> next;
    if (!state.callbacks.empty()) {
      next = std::move(state.callbacks.front());
      state.callbacks.pop_front();
    } else {
      next = std::exchange(state.last, nullptr);
    }
    if (next) {
      lock.unlock();
      state.call(next);
      next = nullptr;
      lock.lock();
    } else if (stops) {
      return;
    } else {
      state.changed.wait(lock);
    }
  }
}

}  // namespace ballot::library
