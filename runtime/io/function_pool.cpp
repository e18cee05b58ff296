#include "io/function_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/assert.hpp"
#include "base/exception_text.hpp"
#include "io/clocks.hpp"

namespace ballot::io {
namespace {

constexpr Millis asked_again_after{100};  // until when a close may wait
constexpr Millis tidied_within{1000};     // what a call leaves behind: its function's destructor

}  // namespace

/// Belongs to the threads as well: one that does not come back may outlive the pool.
struct FunctionPool::State {
  struct Waiting {
    Number number;
    Call call;
  };

  explicit State(int most_threads) : most(most_threads) {}

  const int most;
  std::mutex mutex;
  std::condition_variable has_work, has_stops, has_ended;
  std::function<void()> wake;  // null: closed
  std::deque<Waiting> waiting;
  std::map<Number, std::stop_source> calling;
  std::vector<std::stop_source> stops;
  std::vector<Report> reports;
  Number last = 0;
  int threads = 0, idle = 0, busy = 0;  // that have not ended; that wait for a call; that are in the host's code
  bool stopper_runs = false, stopper_is_busy = false;
  std::vector<std::thread> handles;

  /// Code of the host is under way.
  bool is_busy() const { return busy > 0 || stopper_is_busy; }

  /// A machine that has no more threads: what waits gets one of those that there are, or is refused.
  void begin_worker(const std::shared_ptr<State>& self) {
    try {
      handles.emplace_back([self] { work(self); });
      ++threads;
    } catch (const std::system_error&) {
      if (threads > 0) return;
      report({waiting.back().number, Report::What::refused, read_clocks()});
      waiting.pop_back();
    }
  }
  /// Without a thread of their own they are requested here: what a function has registered for that takes its time.
  void begin_stopper(const std::shared_ptr<State>& self) {
    if (stopper_runs) return;
    try {
      handles.emplace_back([self] { request_stops(self); });
      stopper_runs = true;
    } catch (const std::system_error&) {
      for (std::stop_source& stop : std::exchange(stops, {})) stop.request_stop();
    }
  }

  /// Requires: locked, so that nobody is woken once close() has returned.
  void report(Report report) {
    if (!wake) return;
    reports.push_back(std::move(report));
    if (reports.size() == 1) wake();
  }
};

FunctionPool::FunctionPool(int threads, std::function<void()> wake) : state_(std::make_shared<State>(threads)) {
  BALLOT_ASSERT(threads > 0, "a pool has threads");
  state_->wake = std::move(wake);
}

FunctionPool::~FunctionPool() { close(SteadyTime::min()); }

bool FunctionPool::close(SteadyTime until) {
  return close([until] { return until; });
}

FunctionPool::Number FunctionPool::add(Call call) {
  const std::lock_guard lock(state_->mutex);
  state_->waiting.push_back({++state_->last, std::move(call)});
  if (static_cast<std::size_t>(state_->idle) >= state_->waiting.size() || state_->threads == state_->most) {
    state_->has_work.notify_one();
  } else {
    state_->begin_worker(state_);
  }
  return state_->last;
}

bool FunctionPool::withdraw(Number number) {
  const std::lock_guard lock(state_->mutex);
  return std::erase_if(state_->waiting, [&](const auto& one) { return one.number == number; }) > 0;
}

void FunctionPool::stop(Number number) {
  const std::lock_guard lock(state_->mutex);
  const auto call = state_->calling.find(number);
  if (call == state_->calling.end()) return;
  state_->stops.push_back(call->second);
  state_->has_stops.notify_one();
  state_->begin_stopper(state_);
}

std::vector<FunctionPool::Report> FunctionPool::take() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->reports, {});
}

/// Threads that are free end at once, whatever the time.
bool FunctionPool::close(const std::function<SteadyTime()>& until) {
  std::unique_lock lock(state_->mutex);
  state_->wake = nullptr;
  const auto dropped = std::exchange(state_->waiting, {});  // ends with its functions below, unlocked
  for (const auto& [number, stop] : state_->calling) state_->stops.push_back(stop);
  if (!state_->stops.empty()) state_->begin_stopper(state_);
  state_->has_work.notify_all();
  state_->has_stops.notify_all();
  const SteadyTime leisure = read_clocks().steady + tidied_within;
  while (state_->is_busy()) {
    const SteadyTime now = read_clocks().steady, at = state_->calling.empty() ? std::max(until(), leisure) : until();
    if (now >= at) break;
    state_->has_ended.wait_for(lock, std::min(at - now, asked_again_after));
  }
  const bool returned = !state_->is_busy();
  if (returned) state_->stops.clear();  // nobody is there to be stopped
  std::vector<std::thread> handles = std::exchange(state_->handles, {});
  lock.unlock();
  for (std::thread& thread : handles) returned ? thread.join() : thread.detach();
  return returned;
}

void FunctionPool::work(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  while (state->wake) {
    if (state->waiting.empty()) {
      ++state->idle;
      state->has_work.wait(lock);
      --state->idle;
      continue;
    }
    State::Waiting next = std::move(state->waiting.front());
    state->waiting.pop_front();
    const Now now = read_clocks();
    if (now.steady > next.call.not_after) {
      state->report({next.number, Report::What::refused, now});
      continue;
    }
    const std::stop_token stop = state->calling[next.number].get_token();
    state->report({next.number, Report::What::begun, now});
    ++state->busy;
    lock.unlock();
    call(*state, next.number, next.call, stop);
    next.call.function.reset();  // its last owner may be this thread: not under the lock
    lock.lock();
    --state->busy;
    state->has_ended.notify_all();
  }
  --state->threads;
}

void FunctionPool::call(State& state, Number number, const Call& call, std::stop_token stop) {
  Report report{number, Report::What::threw, {}};
  try {
    report.result = (*call.function)(call.facts, std::move(stop));
    report.what = Report::What::returned;
  } catch (const std::exception& thrown) {
    report.text = exception_text(thrown);
  } catch (...) {
    report.text = "something that is no std::exception";
  }
  report.at = read_clocks();
  const std::lock_guard lock(state.mutex);
  state.calling.erase(number);
  state.report(std::move(report));
}

/// Calls the stop callbacks that functions have registered, which may take their time.
void FunctionPool::request_stops(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    if (!state->stops.empty()) {
      auto stops = std::exchange(state->stops, {});
      state->stopper_is_busy = true;
      lock.unlock();
      for (std::stop_source& stop : stops) stop.request_stop();
      stops.clear();
      lock.lock();
      state->stopper_is_busy = false;
      state->has_ended.notify_all();
    } else if (state->wake) {
      state->has_stops.wait(lock);
    } else {
      break;
    }
  }
  state->stopper_runs = false;
}

}  // namespace ballot::io
