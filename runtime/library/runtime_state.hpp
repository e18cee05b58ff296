// Runtime::State: what is behind a Runtime: a node with a thread for its loop, the job folder with the program's own
// jobs, its functions, and the thread of its callbacks. It belongs to the loop's thread too, so that one that does not
// end in time outlives the Runtime.
//
// A stop has a bound, and parts of it: runs are asked to end so that some time is left, then the loop is stopped, then
// functions are waited for, and what is left goes to the store and the ledger.
//
//   phase    | call or event                          | next
//   made     | start()                                | starting
//   starting | the node has started                   | started; after an error: made
//   started  | stop()                                 | stopping
//   started  | the store refuses this node            | ended
//   stopping | all is handed over, or the time is up  | ended
//   made     | stop()                                 | ended
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
#include "io/function_table.hpp"
#include "library/event_thread.hpp"
#include "library/job_folder.hpp"
#include "library/leaderships.hpp"
#include "library/node.hpp"

namespace ballot {

class [[gnu::visibility("hidden")]] Runtime::State : public std::enable_shared_from_this<Runtime::State> {
 public:
  explicit State(RuntimeSettings settings);

  /// Set before start().
  struct Callbacks {
    std::function<void(const Leadership&)> elected, lost;
    std::function<void(const Row&)> run_ended;
    std::function<void(const Error&)> refused;
  } callbacks;

  Result<void> add(const JobSpec& job);
  Result<void> remove(const std::string& job);
  Result<void> add_function(const std::string& name, JobFunction function);
  Result<void> add_group(const std::string& name, const std::string& keys);
  Result<void> remove_group(const std::string& name);

  Result<void> start();
  Result<void> stop(const Stop& how);

  std::optional<Leadership> leadership(const std::string& group) const;
  Result<RunId> trigger(const std::string& job, Millis patience);
  /// Its path, once all that was recorded is in it.
  Result<std::string> flushed_ledger();

 private:
  enum class Phase { made, starting, started, stopping, ended };

  /// What a call waits for; the loop's thread fills it in. Both under the mutex.
  template <class T>
  using Slot = std::shared_ptr<std::optional<Result<T>>>;

  /// What functions were replaced: they are destroyed by whoever calls, as their destructors are the host's.
  using Replaced = std::vector<std::shared_ptr<const JobFunction>>;

  void make_node();
  Result<void> change(const std::function<Result<void>()>& change);
  Result<void> add_job(const JobSpec& job, std::shared_ptr<const JobFunction> function, Replaced& replaced);
  bool is_on_loop() const { return std::this_thread::get_id() == loop_id_; }
  Result<void> abandon(std::thread thread);
  template <class T>
  Result<T> await(std::unique_lock<std::mutex> & lock, const Slot<T>& slot, SteadyTime until);
  template <class T>
  void fill(const Slot<T>& slot, Result<T> value);
  bool wait_until_ended(std::unique_lock<std::mutex> & lock, SteadyTime until);

  void run();
  void begin_thread();
  Result<void> start_node();
  void end_node(const Result<void>& ran);
  void end_leaderships(const std::string& group);
  void on_row(const Row& row);
  void on_term(const TermRow& term);

  /// The host's, until the runtime is left to itself.
  struct HostLog;

  const RuntimeSettings settings_;
  const std::shared_ptr<HostLog> host_log_;
  const Log log_;
  std::optional<Error> fault_;  // of the settings
  config::Config config_;
  const std::shared_ptr<io::FunctionTable> functions_ = std::make_shared<io::FunctionTable>();
  std::set<std::string> job_functions_;  // those of add(): of jobs of the same name
  library::Leaderships leads_;
  library::EventThread events_;
  std::unique_ptr<library::Node> node_;
  std::unique_ptr<library::JobFolder> jobs_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Phase phase_ = Phase::made;
  Slot<void> started_;
  SteadyTime functions_by_ = SteadyTime::min();  // may be waited for
  bool forced_ = false;                          // the stop did not come to its end in time
  bool loop_has_ended_ = false;
  bool is_over_ = false;  // nothing of it goes on: stop() has done its work
  Result<void> ended_;    // how it did
  std::thread thread_;    // the loop's; whoever takes it stops the runtime
  std::atomic<std::thread::id> loop_id_{};
};

}  // namespace ballot
