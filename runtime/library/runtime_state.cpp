#include "library/runtime_state.hpp"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "config/names.hpp"
#include "io/clocks.hpp"
#include "library/job_text.hpp"
#include "library/runtime_config.hpp"
#include "library/settings.hpp"

namespace ballot {
namespace {

constexpr Millis late_answer{5000};  // beyond the patience of whoever asks
constexpr Millis flush_patience{10'000};
constexpr Millis longest_forced{2000};  // of a stop's bound, for what is done when its time is up

SteadyTime boot_now() { return io::read_clocks().steady; }

Error stopped() { return {Errc::unavailable, "the runtime is not running: it was not started, or has stopped"}; }

/// Threads that are begun while it lives take no signal from the host.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

Log log_of(const RuntimeSettings& settings) {
  if (settings.log) return settings.log;
  return [](Level, std::string_view, const LogFields&) {};
}

std::string text_name(const std::string& job) { return "job " + job + " of this program"; }
std::string group_text_name(const std::string& group) { return "group " + group + " of this program"; }

}  // namespace

Runtime::State::State(RuntimeSettings settings) : settings_(std::move(settings)), log_(log_of(settings_)) {
  auto config = library::config_of(settings_);
  if (!config) {
    fault_ = config.error();
    return;
  }
  config_ = *std::move(config);
  make_node();
}

void Runtime::State::make_node() {
  library::NodeSettings settings = library::node_settings(config_, library::programs_of(settings_));
  settings.engine.version = BALLOT_VERSION;
  settings.engine.functions = functions_;
  settings.engine.function_threads = settings_.function_threads;
  config::JobSettings jobs = library::job_settings(config_);
  jobs.has_function = [table = functions_](std::string_view name) { return table->has(name); };
  jobs.has_runner = settings_.commands;
  node_ = std::make_unique<library::Node>(std::move(settings), log_);
  jobs_ = std::make_unique<library::JobFolder>(
      *node_, config::JobsDir(config_.jobs_dir, std::move(jobs), {config_.file, config_.groups}), log_);
  node_->on_records({[this](const Row& row) { on_row(row); }, [this](const TermRow& term) { on_term(term); },
                     [this](SteadyTime deadline) { leads_.set_deadline(deadline); }});
}

// ---- what is defined

Result<void> Runtime::State::add(const JobSpec& job) {
  if (fault_) return *fault_;
  return change([this, job]() -> Result<void> {
    const auto before = functions_->find(job.name);
    if (job.function && before && !is_own_function(job.name))
      return Error{Errc::invalid, "job " + config::in_quotes(job.name) +
                                      " has the name of a function of add_function(); give it another, or name that "
                                      "function in its keys"};
    if (job.function) functions_->put(job.name, job.function);
    auto put = jobs_->put(text_name(job.name), library::text_of(job));
    if (put) {
      if (job.function)
        job_functions_.insert(job.name);
      else if (job_functions_.erase(job.name) > 0)
        functions_->remove(job.name);
    } else if (job.function) {
      before ? functions_->put(job.name, *before) : functions_->remove(job.name);
    }
    return put;
  });
}

Result<void> Runtime::State::remove(const std::string& job) {
  if (fault_) return *fault_;
  return change([this, job]() -> Result<void> {
    if (!jobs_->drop(text_name(job)))
      return Error{Errc::not_found, "this program has added no job " + config::in_quotes(job)};
    if (job_functions_.erase(job) > 0) functions_->remove(job);
    return {};
  });
}

Result<void> Runtime::State::add_function(const std::string& name, JobFunction function) {
  if (fault_) return *fault_;
  if (!config::is_name(name))
    return Error{Errc::invalid,
                 config::in_quotes(name) + " is not a valid name of a function: 1 to 64 letters, digits, '_' and '-'"};
  if (!function) return Error{Errc::invalid, "function " + config::in_quotes(name) + " is empty"};
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::made) return Error{Errc::invalid, "functions are added before start()"};
  functions_->put(name, std::move(function));
  return {};
}

Result<void> Runtime::State::add_group(const std::string& name, const std::string& keys) {
  if (fault_) return *fault_;
  return change([this, name, keys] { return jobs_->put(group_text_name(name), library::text_of_group(name, keys)); });
}

Result<void> Runtime::State::remove_group(const std::string& name) {
  if (fault_) return *fault_;
  return change([this, name]() -> Result<void> {
    if (jobs_->drop(group_text_name(name))) return {};
    return Error{Errc::not_found, "this program has added no group " + config::in_quotes(name)};
  });
}

// ---- calls from any thread

/// Until there is a loop whoever calls does it.
Result<void> Runtime::State::change(std::function<Result<void>()> change) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return phase_ != Phase::starting; });
  if (phase_ == Phase::made) return change();
  if (phase_ != Phase::started) return stopped();
  const auto slot = std::make_shared<std::optional<Result<void>>>();
  node_->loop().post([this, slot, change = std::move(change)] { fill<void>(slot, change()); });
  return await<void>(lock, slot, SteadyTime::max());
}

template <class T>
Result<T> Runtime::State::await(std::unique_lock<std::mutex>& lock, const Slot<T>& slot, SteadyTime until) {
  while (!*slot && phase_ != Phase::ended) {
    const Millis left = until == SteadyTime::max() ? Millis(1000) : until - boot_now();
    if (left <= Millis(0)) return Error{Errc::timeout, "no answer in time: what becomes of it is unknown"};
    changed_.wait_for(lock, left);
  }
  if (*slot) return **slot;
  return stopped();
}

template <class T>
void Runtime::State::fill(const Slot<T>& slot, Result<T> value) {
  const std::lock_guard lock(mutex_);
  *slot = std::move(value);
  changed_.notify_all();
}

bool Runtime::State::wait_until_ended(std::unique_lock<std::mutex>& lock, SteadyTime until) {
  while (phase_ != Phase::ended) {
    const Millis left = until - boot_now();
    if (left <= Millis(0)) return false;
    changed_.wait_for(lock, left);
  }
  return true;
}

std::optional<Leadership> Runtime::State::leadership(const std::string& group) const {
  return leads_.find(group, boot_now());
}

Result<RunId> Runtime::State::trigger(const std::string& job, Millis patience) {
  if (fault_) return *fault_;
  std::unique_lock lock(mutex_);
  if (phase_ != Phase::started) return stopped();
  const auto slot = std::make_shared<std::optional<Result<RunId>>>();
  core::Request request;
  request.kind = core::Request::Kind::trigger;
  request.job = job;
  request.by = config_.node + " by its program";
  node_->loop().post([this, slot, request, patience] {
    node_->ask(
        request, "", patience,
        [this, slot](const core::Reply& reply) {
          if (reply.ok && reply.run) return fill<RunId>(slot, *reply.run);
          fill<RunId>(slot, Error{reply.code, reply.text});
        },
        nullptr);
  });
  return await<RunId>(lock, slot, boot_now() + patience + late_answer);
}

Result<std::string> Runtime::State::flushed_ledger() {
  if (fault_) return *fault_;
  std::unique_lock lock(mutex_);
  if (phase_ == Phase::started || phase_ == Phase::stopping) {
    const auto slot = std::make_shared<std::optional<Result<void>>>();
    node_->loop().post([this, slot] { node_->flush([this, slot] { fill<void>(slot, {}); }); });
    static_cast<void>(await<void>(lock, slot, boot_now() + flush_patience));  // else as far as it is written
  }
  return config_.history.path;
}

// ---- from start to end

Result<void> Runtime::State::start() {
  if (fault_) return *fault_;
  std::unique_lock lock(mutex_);
  if (phase_ != Phase::made) return Error{Errc::invalid, "the runtime was started before; make another one"};
  phase_ = Phase::starting;
  started_ = std::make_shared<std::optional<Result<void>>>();
  begin_thread();
  changed_.wait(lock, [this] { return started_->has_value(); });
  if (**started_) return {};
  std::thread thread = std::move(thread_);
  lock.unlock();
  thread.join();
  events_.stop();
  lock.lock();
  phase_ = Phase::made;
  changed_.notify_all();
  return **started_;
}

void Runtime::State::begin_thread() {
  const SignalsBlocked blocked;
  events_.start();
  thread_ = std::thread([self = shared_from_this()] { self->run(); });
}

void Runtime::State::run() {
  const auto started = start_node();
  {
    const std::lock_guard lock(mutex_);
    if (started) phase_ = Phase::started;
    *started_ = started;
    changed_.notify_all();
  }
  if (started) end_node(node_->run());
}

Result<void> Runtime::State::start_node() {
  if (auto made = library::make_folders(config_); !made) return made;
  if (auto started = node_->start(library::Resume::allowed); !started) return started;
  jobs_->open();
  return {};
}

void Runtime::State::end_node(const Result<void>& ran) {
  SteadyTime close_by;
  bool forced = false;
  {
    const std::lock_guard lock(mutex_);
    close_by = close_by_, forced = forced_;
  }
  const bool returned = node_->close_functions(close_by);
  const std::int64_t lost = node_->close();
  if (!ran && callbacks.refused) events_.post([this, error = ran.error()] { callbacks.refused(error); });
  Result<void> ended = ran;
  if (!returned)
    ended = Error{Errc::timeout, "functions had not returned; their runs are recorded as lost by the next start"};
  else if (forced)
    ended = Error{Errc::timeout, "runs had not ended; commands are the runner's, and end with their terms"};
  else if (lost > 0)
    ended = Error{Errc::io, std::to_string(lost) + " records could be stored nowhere"};
  const std::lock_guard lock(mutex_);
  ended_ = std::move(ended);
  phase_ = Phase::ended;
  changed_.notify_all();
}

Result<void> Runtime::State::stop(const Stop& how) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return phase_ != Phase::starting; });
  if (phase_ == Phase::made) return phase_ = Phase::ended, Result<void>();
  if (!thread_.joinable()) return ended_;
  const SteadyTime by = boot_now() + how.bound;
  const Millis wait = std::min(how.wait, how.bound);
  close_by_ = by;
  if (phase_ == Phase::started) {
    phase_ = Phase::stopping;
    node_->loop().post([this, wait] { node_->stop({config::OnStop::Kind::wait, wait}); });
  }
  if (!wait_until_ended(lock, by - std::min(how.bound / 4, longest_forced))) {
    forced_ = true;
    node_->loop().post([this] { node_->loop().stop(); });
  }
  const bool ended = wait_until_ended(lock, by);
  std::thread thread = std::move(thread_);
  lock.unlock();
  if (!ended) {
    thread.detach();
    return Error{Errc::timeout, "the runtime did not stop in time, and is left to itself"};
  }
  thread.join();
  events_.stop();
  return ended_;
}

// ---- what the host is told

void Runtime::State::on_row(const Row& row) {
  if (!callbacks.run_ended || !core::is_ended_row(row, config_.node)) return;
  events_.post([this, row] { callbacks.run_ended(row); });
}

void Runtime::State::on_term(const TermRow& term) {
  const bool begins = !term.ended_at;
  if (begins)
    leads_.begin(term.group, term.epoch);
  else if (!leads_.end(term.group, term.epoch))
    return;
  const auto& callback = begins ? callbacks.elected : callbacks.lost;
  if (!callback) return;
  events_.post([this, &callback, group = term.group, epoch = term.epoch] {
    callback({group, epoch, leads_.deadline()});
  });
}

}  // namespace ballot
