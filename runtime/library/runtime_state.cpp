#include "library/runtime_state.hpp"

#include <signal.h>

#include <algorithm>
#include <exception>
#include <system_error>
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

Error on_loop() { return {Errc::invalid, "the runtime cannot be called from its log"}; }

constexpr Millis longest_wait = std::chrono::hours(24 * 365);
Millis within_reason(Millis time) { return std::clamp(time, Millis(0), longest_wait); }

std::string text_name(const std::string& job) { return "job " + job + " of this program"; }
std::string group_text_name(const std::string& group) { return "group " + group + " of this program"; }

}  // namespace

struct Runtime::State::HostLog {
  explicit HostLog(Log to) : log(std::move(to)) {}

  void write(Level level, std::string_view text, const LogFields& fields) {
    const std::lock_guard lock(mutex);
    if (log) log(level, text, fields);
  }
  void close() {
    const std::lock_guard lock(mutex);
    log = nullptr;
  }

  std::mutex mutex;
  Log log;
};

Runtime::State::State(RuntimeSettings settings)
    : settings_(std::move(settings)),
      host_log_(std::make_shared<HostLog>(settings_.log)),
      log_([to = host_log_](Level level, std::string_view text, const LogFields& fields) {
        to->write(level, text, fields);
      }),
      events_(log_) {
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
                     [this](SteadyTime deadline) { leads_.set_deadline(deadline); },
                     [this](const std::string& group) { end_leaderships(group); }});
}

// ---- what is defined

Result<void> Runtime::State::add(const JobSpec& job) {
  if (fault_) return *fault_;
  const auto function = job.function ? std::make_shared<const JobFunction>(job.function) : nullptr;
  Replaced replaced;
  return change([&] { return add_job(job, function, replaced); });
}

Result<void> Runtime::State::add_job(const JobSpec& job, std::shared_ptr<const JobFunction> function,
                                     Replaced& replaced) {
  const bool own = job_functions_.contains(job.name), is_function = function != nullptr;
  if (is_function && !own && functions_->has(job.name))
    return Error{Errc::invalid, "job " + config::in_quotes(job.name) +
                                    " has the name of a function of add_function(); give it another, or name that "
                                    "function in its keys"};
  auto before = is_function || own ? functions_->put(job.name, std::move(function)) : nullptr;
  if (auto put = jobs_->put(text_name(job.name), library::text_of(job)); !put) {
    if (is_function || own) replaced.push_back(functions_->put(job.name, std::move(before)));
    return put;
  }
  replaced.push_back(std::move(before));
  if (is_function)
    job_functions_.insert(job.name);
  else
    job_functions_.erase(job.name);
  return {};
}

Result<void> Runtime::State::remove(const std::string& job) {
  if (fault_) return *fault_;
  Replaced replaced;
  return change([&]() -> Result<void> {
    if (!jobs_->drop(text_name(job)))
      return Error{Errc::not_found, "this program has added no job " + config::in_quotes(job)};
    if (job_functions_.erase(job) > 0) replaced.push_back(functions_->put(job, nullptr));
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
  if (functions_->has(name))
    return Error{Errc::invalid, "there is a function " + config::in_quotes(name) + " already, or a job that is one"};
  functions_->put(name, std::make_shared<const JobFunction>(std::move(function)));
  return {};
}

Result<void> Runtime::State::add_group(const std::string& name, const std::string& keys) {
  if (fault_) return *fault_;
  return change([&] { return jobs_->put(group_text_name(name), library::text_of_group(name, keys)); });
}

Result<void> Runtime::State::remove_group(const std::string& name) {
  if (fault_) return *fault_;
  return change([&]() -> Result<void> {
    if (jobs_->drop(group_text_name(name))) return {};
    return Error{Errc::not_found, "this program has added no group " + config::in_quotes(name)};
  });
}

// ---- calls from any thread

/// Until there is a loop whoever calls does it. Whoever calls waits until it is done, or never will be.
Result<void> Runtime::State::change(const std::function<Result<void>()>& change) {
  if (is_on_loop()) return on_loop();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return phase_ != Phase::starting; });
  if (phase_ == Phase::made) return change();
  if (phase_ != Phase::started) return stopped();
  const auto slot = std::make_shared<std::optional<Result<void>>>();
  node_->loop().post([this, slot, &change] { fill<void>(slot, change()); });
  return await<void>(lock, slot, SteadyTime::max());
}

template <class T>
Result<T> Runtime::State::await(std::unique_lock<std::mutex>& lock, const Slot<T>& slot, SteadyTime until) {
  while (!*slot && !loop_has_ended_) {
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
  if (is_on_loop()) return on_loop();
  patience = within_reason(patience);
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
  if (is_on_loop()) return on_loop();
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
  try {
    begin_thread();
  } catch (const std::system_error& error) {
    *started_ = Error{Errc::io, "cannot begin a thread: " + std::string(error.what())};
  }
  changed_.wait(lock, [this] { return started_->has_value(); });
  if (**started_) return {};
  std::thread thread = std::move(thread_);
  lock.unlock();
  if (thread.joinable()) thread.join();
  events_.stop(library::EventThread::Rest::dropped);
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
  loop_id_ = std::this_thread::get_id();
  const auto started = start_node();
  {
    const std::lock_guard lock(mutex_);
    if (started) phase_ = Phase::started;
    *started_ = started;
    changed_.notify_all();
  }
  if (started) end_node(node_->run());
  loop_id_ = std::thread::id();
}

/// Threads and descriptors can be used up.
Result<void> Runtime::State::start_node() try {
  if (auto made = library::make_folders(config_); !made) return made;
  if (auto started = node_->start(library::Resume::allowed); !started) return started;
  jobs_->open();
  return {};
} catch (const std::exception& thrown) {
  return Error{Errc::io, "cannot start: " + std::string(thrown.what())};
}

void Runtime::State::end_node(const Result<void>& ran) {
  SteadyTime functions_by;
  bool forced = false;
  {
    const std::lock_guard lock(mutex_);
    functions_by = functions_by_, forced = forced_;
    loop_has_ended_ = true;
    changed_.notify_all();
  }
  end_leaderships("");
  const bool returned = node_->close_functions(functions_by);
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

/// The first one does it, and whoever else calls meanwhile waits for that one.
Result<void> Runtime::State::stop(const Stop& how) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return phase_ != Phase::starting; });
  if (phase_ == Phase::made) return phase_ = Phase::ended, is_over_ = true, Result<void>();
  std::thread thread = std::move(thread_);
  if (!thread.joinable()) {
    changed_.wait(lock, [this] { return is_over_; });
    return ended_;
  }
  const Millis bound = within_reason(how.bound), reserve = std::min(bound / 4, longest_forced);
  const SteadyTime by = boot_now() + bound, forced_at = by - reserve;
  functions_by_ = by - reserve / 2;
  if (phase_ == Phase::started) {
    phase_ = Phase::stopping;
    const Millis wait = std::min(within_reason(how.wait), (bound - reserve) / 2);
    node_->loop().post([this, wait] { node_->stop({config::OnStop::Kind::wait, wait}); });
  }
  if (!wait_until_ended(lock, forced_at) && !loop_has_ended_) {
    forced_ = true;
    node_->loop().post([this] { node_->loop().stop(); });
  }
  const bool ended = wait_until_ended(lock, by);
  lock.unlock();
  const auto left = ended ? Result<void>() : abandon(std::move(thread));
  if (ended) thread.join();
  events_.stop(ended ? library::EventThread::Rest::called : library::EventThread::Rest::dropped);
  lock.lock();
  if (!ended) ended_ = left;
  is_over_ = true;
  changed_.notify_all();
  return ended_;
}

/// What it says from here on nobody hears.
Result<void> Runtime::State::abandon(std::thread thread) {
  thread.detach();
  host_log_->close();
  leads_.end_all("");
  return Error{Errc::timeout, "the runtime did not stop in time, and is left to itself"};
}

// ---- what the host is told

void Runtime::State::on_row(const Row& row) {
  if (!callbacks.run_ended || !row.run || !is_final(row.status) || row.node != config_.node) return;
  events_.post([this, row] { callbacks.run_ended(row); });
}

void Runtime::State::on_term(const TermRow& term) {
  if (term.ended_at) {
    if (leads_.is_led(term.group, term.epoch)) end_leaderships(term.group);
    return;
  }
  leads_.begin(term.group, term.epoch);
  if (!callbacks.elected) return;
  const Leadership leads{term.group, term.epoch, node_->deadline()};
  events_.post([this, leads] { callbacks.elected(leads); });
}

/// Before the store is told: nobody else leads what is not led here any more. "": of all groups.
void Runtime::State::end_leaderships(const std::string& group) {
  const SteadyTime until = boot_now();
  for (const auto& [name, epoch] : leads_.end_all(group)) {
    if (!callbacks.lost) continue;
    const Leadership lost{name, epoch, until};
    events_.post([this, lost] { callbacks.lost(lost); });
  }
}

}  // namespace ballot
