// Runtime::State: what is behind a Runtime: a service with a thread for its loop, the program's own jobs and functions,
// and the thread of its callbacks. It belongs to the loop's thread too, so that one that does not end in time outlives
// the Runtime.
//
// A stop() has a bound, and parts of it: runs are asked to end so that some time is left, then the loop is stopped,
// then functions are waited for, and what is left goes to the store and the ledger.
//
//   phase             | call or event                                | next
//   made              | start()                                      | starting
//   made              | stop(), request_stop()                       | over
//   starting          | the service has started                      | started
//   starting          | it has not                                   | made; over, where a stop was requested
//   started           | stop(), request_stop(), also while starting  | stopping
//   started           | the store refuses this node                  | closing
//   stopping          | all is handed over                           | closing
//   stopping          | the time of stop() is up                     | forced: the loop is stopped
//   forced            | the loop has ended                           | closing
//   closing           | functions have returned, all is stored       | ended
//   ended             | stop()                                       | over: its thread has been joined
//   stopping, forced, | the bound of stop() is up                    | over: its thread is left to itself, and changes
//   closing           |                                              | no phase any more
//
// Threads: any, as Runtime says.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ballot/runtime.hpp"
#include "config/config.hpp"
#include "core/request/request.hpp"
#include "io/clocks.hpp"
#include "io/function_outputs.hpp"
#include "io/function_table.hpp"
#include "io/message.hpp"
#include "library/host_events.hpp"
#include "library/host_log.hpp"
#include "library/job_text.hpp"
#include "library/runtime_config.hpp"
#include "library/service.hpp"

namespace ballot {

class [[gnu::visibility("hidden")]] Runtime::State : public std::enable_shared_from_this<Runtime::State> {
 public:
  State(library::RuntimeOrigin origin, RuntimeSettings settings);

  library::HostEvents& host() { return host_; }

  Result<void> add(const JobSpec& job);
  Result<void> remove(const std::string& job);
  Result<void> add_function(const std::string& name, JobFunction function);
  Result<void> add_group(const std::string& name, const std::string& keys);
  Result<void> remove_group(const std::string& name);

  Result<void> start();
  Result<void> stop(const Stop& how);
  void request_stop(Stop how);
  /// Nobody waits for it any more.
  void leave();

  /// What takes the answer to a call, once; later ones count no more.
  template <class T>
  using Done = std::function<void(Result<T>)>;
  /// Asks the loop, where there is one: `ask` is called there. Errors: unavailable, timeout.
  template <class T>
  Result<T> ask_loop(Millis patience, const std::function<void(library::Service&, Done<T>)>& ask);
  /// Has whoever leads do it, in the name of this program. The run of a trigger.
  Result<std::optional<RunId>> request(core::Request request, const std::string& run_suffix, Millis patience);
  /// As people ask their daemon; the answer's text.
  Result<std::string> ask_daemon(io::Message question, Millis patience);
  std::optional<Leadership> leadership(const std::string& group) const;
  /// Where the ledger is read, once all that was recorded is in it.
  Result<library::LedgerPlace> flushed_ledger();

 private:
  enum class Phase { made, starting, started, stopping, forced, closing, ended, over };  // in their order

  /// What a call waits for; the loop's thread fills it in. Both under the mutex.
  template <class T>
  using Slot = std::shared_ptr<std::optional<Result<T>>>;

  /// What functions were replaced: they are destroyed by whoever calls, as their destructors are the host's.
  using Replaced = std::vector<std::shared_ptr<const JobFunction>>;

  void make_service(library::RuntimeOrigin origin);
  /// A change of what is defined, with all that it needs: a caller that has given it up may be gone before it is done.
  struct Change {
    std::function<Result<void>(Replaced&)> make;
    Replaced replaced = {};
  };

  Result<void> change(std::function<Result<void>(Replaced&)> make);
  Result<void> put_text(const std::string& name, const library::ProgramText& text);
  Result<void> add_job(const std::string& name, const library::ProgramText& text,
                       std::shared_ptr<const JobFunction> function, Replaced& replaced);
  bool is_on_loop() const { return std::this_thread::get_id() == loop_id_; }
  Result<void> abandon(std::unique_lock<std::mutex> & lock, std::thread thread);
  template <class T>
  Result<T> await(std::unique_lock<std::mutex> & lock, const Slot<T>& slot, SteadyTime until);
  template <class T>
  void fill(const Slot<T>& slot, Result<T> value);
  bool wait(std::unique_lock<std::mutex> & lock, SteadyTime until, const std::function<bool()>& holds);
  bool is_over();
  bool has_loop() const { return phase_ >= Phase::started && phase_ < Phase::closing; }
  void move_to(Phase next);
  void begin_stop(const Stop& how);
  void note_stop(Stop how);
  Result<void> stop_loop(std::unique_lock<std::mutex> & lock, const Stop& how, SteadyTime by);

  void run();
  void begin_thread();
  Result<void> start_service();
  void end_service(const Result<void>& ran);
  void on_row(const Row& row);
  void on_term(const TermRow& term);

  const RuntimeSettings settings_;
  const std::shared_ptr<library::HostLog> host_log_;
  const Log log_;
  std::optional<Error> fault_;  // of the settings
  config::Config config_;
  const std::shared_ptr<io::FunctionTable> functions_ = std::make_shared<io::FunctionTable>();
  std::set<std::string> job_functions_;  // those of add(): of jobs of the same name
  library::HostEvents host_;
  std::unique_ptr<library::Service> service_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Phase phase_ = Phase::made;
  Slot<void> started_;
  std::optional<Stop> requested_;                // while it was starting
  SteadyTime functions_by_ = SteadyTime::min();  // may be waited for
  Result<void> ended_;                           // how it has
  std::thread thread_;                           // the loop's; whoever takes it stops the runtime
  std::atomic<std::thread::id> loop_id_{};
};

template <class T>
void Runtime::State::fill(const Slot<T>& slot, Result<T> value) {
  const std::lock_guard lock(mutex_);
  if (*slot) return;
  *slot = std::move(value);
  changed_.notify_all();
}

template <class T>
Result<T> Runtime::State::ask_loop(Millis patience, const std::function<void(library::Service&, Done<T>)>& ask) {
  if (fault_) return *fault_;
  if (is_on_loop()) return Error{Errc::invalid, "the runtime cannot be called from its log"};
  std::unique_lock lock(mutex_);
  if (!has_loop()) return Error{Errc::unavailable, "the runtime is not running: it was not started, or has stopped"};
  const auto slot = std::make_shared<std::optional<Result<T>>>();
  service_->loop().post(
      [this, ask, slot] { ask(*service_, [this, slot](Result<T> value) { fill<T>(slot, std::move(value)); }); });
  return await<T>(lock, slot, io::read_clocks().steady + patience);
}

template <class T>
Result<T> Runtime::State::await(std::unique_lock<std::mutex>& lock, const Slot<T>& slot, SteadyTime until) {
  while (!*slot && phase_ < Phase::closing) {
    const Millis left = until == SteadyTime::max() ? Millis(1000) : until - io::read_clocks().steady;
    if (left <= Millis(0)) return Error{Errc::timeout, "no answer in time: what becomes of it is unknown"};
    changed_.wait_for(lock, left);
  }
  if (*slot) return **slot;
  return Error{Errc::unavailable, "the runtime is not running: it was not started, or has stopped"};
}

}  // namespace ballot
