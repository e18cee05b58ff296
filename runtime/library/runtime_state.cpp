#include "library/runtime_state.hpp"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "base/exception_text.hpp"
#include "base/signals_blocked.hpp"
#include "config/names.hpp"
#include "core/record/record_text.hpp"
#include "io/clocks.hpp"
#include "library/host_log.hpp"
#include "library/job_text.hpp"
#include "library/settings.hpp"
#include "library/state_views.hpp"

namespace ballot {
namespace {

constexpr Millis late_answer{5000};  // beyond the patience of whoever asks
constexpr Millis flush_patience{10'000};
constexpr Millis line_patience{1000};   // with the host's log, which may hang
constexpr Millis longest_forced{2000};  // of a stop's bound, for what is done when its time is up

SteadyTime boot_now() { return io::read_clocks().steady; }

Error stopped() { return {Errc::unavailable, "the runtime is not running: it was not started, or has stopped"}; }

Error on_loop() { return {Errc::invalid, "the runtime cannot be called from its log"}; }

constexpr Millis longest_wait = std::chrono::hours(24 * 365);
Millis within_reason(Millis time) { return std::clamp(time, Millis(0), longest_wait); }

config::OnStop on_stop(const Runtime::Stop& how) {
  using Kind = config::OnStop::Kind;
  if (how.leave) return {Kind::leave, Millis(0)};
  return {how.wait > Millis(0) ? Kind::wait : Kind::kill, how.wait};
}

Result<void> end_of_stop(bool functions_returned, bool forced, std::int64_t lost_records) {
  if (!functions_returned)
    return Error{Errc::timeout, "functions had not returned; their runs are recorded as lost by the next start"};
  if (forced) return Error{Errc::timeout, "runs had not ended; commands are the runner's, and end with their terms"};
  if (lost_records > 0) return Error{Errc::io, std::to_string(lost_records) + " records could be stored nowhere"};
  return {};
}

std::string text_name(const std::string& job) { return "job " + job + " of this program"; }
std::string group_text_name(const std::string& group) { return "group " + group + " of this program"; }

/// The answer to a question that the program asks as people ask their daemon: its text.
class AnswerText : public io::AnswerSink {
 public:
  explicit AnswerText(std::function<void(Result<std::string>)> done) : done_(std::move(done)) {}

  void send(const io::Message&) override {}
  void finish(std::string line) override {
    if (std::exchange(is_over_, true)) return;
    const auto message = io::decode(line);
    const auto error = message ? io::to_error(*message) : std::optional(message.error());
    done_(error ? Result<std::string>(*error) : message->text("text").value_or(""));
  }
  bool is_over() const override { return is_over_; }

 private:
  const std::function<void(Result<std::string>)> done_;
  bool is_over_ = false;
};

constexpr Millis longest_question = std::chrono::hours(1);  // of a question

}  // namespace

Runtime::State::State(library::RuntimeOrigin origin, RuntimeSettings settings)
    : settings_(std::move(settings)),
      host_log_(std::make_shared<library::HostLog>(settings_.log)),
      log_([to = host_log_](Level level, std::string_view text, const LogFields& fields) {
        to->write(level, text, fields);
      }),
      host_(this, log_) {
  if (!origin.config) fault_ = origin.config.error();
  try {
    if (!fault_) make_service(std::move(origin));
  } catch (const std::exception& thrown) {
    fault_ = {Errc::io, "cannot make the runtime: " + exception_text(thrown)};
  }
}

void Runtime::State::make_service(library::RuntimeOrigin origin) {
  config_ = *std::move(origin.config);
  library::ServiceSettings settings{library::node_settings(config_, origin.programs), library::job_settings(config_),
                                    settings_.handover_program, std::move(origin.control_key)};
  settings.node.ledger.trims_heap = !origin.is_host;
  if (origin.is_host && settings_.file.empty()) settings.ledger_keys = "state_dir";
  io::EngineSettings& engine = settings.node.engine;
  engine.version = BALLOT_VERSION;
  engine.control = config_.control_socket;
  engine.dry_run = settings_.dry_run;
  engine.credentials = settings_.credentials_dir;
  engine.functions = functions_;
  engine.function_outputs = std::make_shared<io::FunctionOutputs>();
  engine.function_threads = settings_.function_threads;
  if (origin.is_host)
    settings.jobs.has_function = [table = functions_](std::string_view name) { return table->has(name); };
  settings.jobs.has_runner = settings_.commands;
  service_ = std::make_unique<library::Service>(config_, std::move(settings), log_);
  service_->add_observer({[this](const core::RecordRow& record) { on_row(record.row); },
                          [this](const core::RecordTerm& record) { on_term(record.term); },
                          [this](SteadyTime deadline) { host_.set_deadline(deadline); },
                          [this](const std::string& group) { host_.end_leaderships(group, boot_now()); }});
}

// ---- what is defined

Result<void> Runtime::State::add(const JobSpec& job) {
  if (fault_) return *fault_;
  const auto function = job.function ? host_.called(job.function) : nullptr;
  return change([this, name = job.name, text = library::text_of(job), function](Replaced& replaced) {
    return add_job(name, text, function, replaced);
  });
}

Result<void> Runtime::State::add_job(const std::string& name, const library::ProgramText& text,
                                     std::shared_ptr<const JobFunction> function, Replaced& replaced) {
  const bool own = job_functions_.contains(name), is_function = function != nullptr;
  if (is_function && !own && functions_->has(name))
    return Error{Errc::invalid, "job " + config::in_quotes(name) +
                                    " has the name of a function of add_function(); give it another, or name that "
                                    "function in its keys"};
  auto before = is_function || own ? functions_->put(name, std::move(function)) : nullptr;
  if (auto put = put_text(text_name(name), text); !put) {
    if (is_function || own) replaced.push_back(functions_->put(name, std::move(before)));
    return put;
  }
  replaced.push_back(std::move(before));
  if (is_function)
    job_functions_.insert(name);
  else
    job_functions_.erase(name);
  return {};
}

Result<void> Runtime::State::put_text(const std::string& name, const library::ProgramText& text) {
  return service_->jobs().put(name, text.text, [&](config::Position at) { return text.place_of(at); });
}

Result<void> Runtime::State::remove(const std::string& job) {
  if (fault_) return *fault_;
  return change([this, job](Replaced& replaced) -> Result<void> {
    if (!service_->jobs().drop(text_name(job)))
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
  functions_->put(name, host_.called(std::move(function)));
  return {};
}

Result<void> Runtime::State::add_group(const std::string& name, const std::string& keys) {
  if (fault_) return *fault_;
  return change([this, name, text = library::text_of_group(name, keys)](Replaced&) {
    return put_text(group_text_name(name), text);
  });
}

Result<void> Runtime::State::remove_group(const std::string& name) {
  if (fault_) return *fault_;
  return change([this, name](Replaced&) -> Result<void> {
    if (service_->jobs().drop(group_text_name(name))) return {};
    return Error{Errc::not_found, "this program has added no group " + config::in_quotes(name)};
  });
}

// ---- calls from any thread

/// Until there is a loop whoever calls does it. Whoever calls waits until it is done, or never will be.
/// What was replaced ends with `change`, by whoever calls, unlocked.
Result<void> Runtime::State::change(std::function<Result<void>(Replaced&)> make) {
  if (is_on_loop()) return on_loop();
  const auto change = std::make_shared<Change>(Change{std::move(make)});
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return phase_ != Phase::starting; });
  if (phase_ == Phase::made) return change->make(change->replaced);
  if (phase_ != Phase::started) return stopped();
  const auto slot = std::make_shared<std::optional<Result<void>>>();
  service_->loop().post([this, slot, own = change]() mutable {
    if (is_over()) return;
    auto made = own->make(own->replaced);
    own.reset();
    fill<void>(slot, std::move(made));
  });
  return await<void>(lock, slot, SteadyTime::max());
}

bool Runtime::State::is_over() {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::over;
}

bool Runtime::State::wait(std::unique_lock<std::mutex>& lock, SteadyTime until, const std::function<bool()>& holds) {
  while (!holds()) {
    const Millis left = until - boot_now();
    if (left <= Millis(0)) return false;
    changed_.wait_for(lock, left);
  }
  return true;
}

std::optional<Leadership> Runtime::State::leadership(const std::string& group) const {
  return host_.leadership(group, boot_now());
}

Result<std::optional<RunId>> Runtime::State::request(core::Request request, const std::string& run_suffix,
                                                     Millis patience) {
  for (const std::string& name : {request.job, request.group})
    if (!name.empty() && !core::is_stored_name(name))
      return Error{Errc::not_found, "no job and no group has such a name"};
  request.by = config_.node + " by its program";
  patience = within_reason(patience);
  return ask_loop<std::optional<RunId>>(patience + late_answer, [=](library::Service& service, const auto& done) {
    const auto answered = [done](const core::Reply& reply) {
      if (reply.ok) return done(reply.run);
      done(Error{reply.code, reply.text});
    };
    service.node().ask(request, run_suffix, patience, answered, nullptr);
  });
}

Result<std::string> Runtime::State::ask_daemon(io::Message question, Millis patience) {
  patience = within_reason(patience);
  question.set("timeout_ms", std::int64_t{std::clamp(patience, Millis(1), longest_question).count()});
  const io::Asker program{io::Role::admin, "program", "by its program", true};
  return ask_loop<std::string>(patience, [question, program](library::Service& service, const auto& done) {
    service.answer({question, program}, io::Reply(std::make_shared<AnswerText>(done)));
  });
}

Result<library::LedgerPlace> Runtime::State::flushed_ledger() {
  if (fault_) return *fault_;
  if (is_on_loop()) return on_loop();
  const auto flushed = ask_loop<void>(flush_patience, [](library::Service& service, const Done<void>& done) {
    service.node().flush([done] { done({}); });
  });
  if (!flushed && flushed.error().code == Errc::timeout)
    return Error{Errc::timeout, "what was recorded is not stored yet: the ledger has no disk, or the runtime hangs"};
  return service_->ledger_place();  // without a loop nothing else comes
}

// ---- from start to end

Result<void> Runtime::State::start() {
  if (fault_) return *fault_;
  std::unique_lock lock(mutex_);
  if (phase_ != Phase::made)
    return Error{Errc::invalid, "the runtime was started before, or has been stopped; make another one"};
  phase_ = Phase::starting;
  started_ = std::make_shared<std::optional<Result<void>>>();
  try {
    begin_thread();
  } catch (const std::system_error& error) {
    *started_ = Error{Errc::io, "cannot begin a thread: " + exception_text(error)};
  }
  changed_.wait(lock, [this] { return started_->has_value(); });
  if (**started_) return {};
  std::thread thread = std::move(thread_);
  lock.unlock();
  if (thread.joinable()) thread.join();
  host_.drop();
  lock.lock();
  phase_ = requested_ ? Phase::over : Phase::made;
  changed_.notify_all();
  return **started_;
}

void Runtime::State::begin_thread() {
  const SignalsBlocked blocked;
  host_.start();
  thread_ = std::thread([self = shared_from_this()] { self->run(); });
}

void Runtime::State::run() {
  loop_id_ = std::this_thread::get_id();
  const auto started = start_service();
  {
    const std::lock_guard lock(mutex_);
    if (started) move_to(Phase::started);
    if (started && requested_) begin_stop(*requested_);
    *started_ = started;
    changed_.notify_all();
  }
  if (started) end_service(service_->run());
  loop_id_ = std::thread::id();
}

/// Threads and descriptors can be used up.
Result<void> Runtime::State::start_service() try {
  const auto started = service_->start();
  ::pthread_setname_np(::pthread_self(), "ballot-loop");  // not that of the threads that were begun by now
  return started;
} catch (const std::exception& thrown) {
  return Error{Errc::io, "cannot start: " + exception_text(thrown)};
}

void Runtime::State::end_service(const Result<void>& ran) {
  bool forced = false;
  {
    const std::lock_guard lock(mutex_);
    forced = phase_ == Phase::forced;
    move_to(Phase::closing);
  }
  host_.end_leaderships("", boot_now());
  const bool returned = service_->node().close_functions([this] {
    const std::lock_guard lock(mutex_);
    return functions_by_;
  });
  const std::int64_t lost = service_->close();
  Result<void> ended = ran ? end_of_stop(returned, forced, lost) : ran;
  if (!ran) host_.tell_refused(ran.error());
  host_.tell_ended(ended);
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::over) ended_ = std::move(ended);
  move_to(Phase::ended);
}

/// Never back: once the runtime is over, what is left of its loop changes nothing.
void Runtime::State::move_to(Phase next) {
  phase_ = std::max(phase_, next);
  changed_.notify_all();
}

void Runtime::State::begin_stop(const Stop& how) {
  if (phase_ != Phase::started && phase_ != Phase::stopping) return;
  move_to(Phase::stopping);
  service_->loop().post([this, how] { service_->stop(on_stop(how)); });
}

void Runtime::State::request_stop(Stop how) {
  const std::lock_guard lock(mutex_);
  how.wait = phase_ == Phase::stopping || requested_ ? Millis(0) : within_reason(how.wait);
  const bool is_bounded = phase_ >= Phase::started && !thread_.joinable();  // a stop() has taken it
  if (!is_bounded) functions_by_ = std::max(functions_by_, boot_now() + how.wait + within_reason(how.bound));
  if (phase_ == Phase::made) move_to(Phase::over);
  if (phase_ == Phase::starting) note_stop(how);
  begin_stop(how);
}

/// Whether it leaves is the first one's to say.
void Runtime::State::note_stop(Stop how) {
  if (requested_) how.leave = requested_->leave;
  requested_ = how;
}

/// The first one does it, and whoever else calls meanwhile waits for that one.
Result<void> Runtime::State::stop(const Stop& how) {
  if (host_.is_in_call())
    return Error{Errc::invalid,
                 "stop() waits for callbacks and functions, and this is one: request_stop() begins a stop"};
  const SteadyTime by = boot_now() + within_reason(how.bound);
  std::unique_lock lock(mutex_);
  if (!wait(lock, by, [this] { return phase_ != Phase::starting; })) {
    note_stop(how);
    return Error{Errc::timeout, "the runtime is still starting, and stops once it has started"};
  }
  if (phase_ == Phase::made) return move_to(Phase::over), Result<void>();
  if (thread_.joinable()) return stop_loop(lock, how, by);
  if (wait(lock, by, [this] { return phase_ == Phase::over; })) return ended_;
  return Error{Errc::timeout, "another call of stop() is still under way"};
}

Result<void> Runtime::State::stop_loop(std::unique_lock<std::mutex>& lock, const Stop& how, SteadyTime by) {
  std::thread thread = std::move(thread_);
  const Millis bound = std::max(by - boot_now(), Millis(0)), reserve = std::min(bound / 4, longest_forced);
  const auto has_ended = [this] { return phase_ >= Phase::ended; };
  functions_by_ = by - reserve / 2;
  begin_stop({std::min(within_reason(how.wait), (bound - reserve) / 2), bound, how.leave});
  if (!wait(lock, by - reserve, has_ended) && phase_ < Phase::closing) {
    move_to(Phase::forced);
    service_->loop().post([this] { service_->loop().stop(); });
  }
  if (!wait(lock, by, has_ended)) return abandon(lock, std::move(thread));
  lock.unlock();
  thread.join();
  host_.stop(by);
  lock.lock();
  move_to(Phase::over);
  return ended_;
}

/// What it says from here on nobody hears. It is over before callbacks are waited for: one may wait for the loop.
Result<void> Runtime::State::abandon(std::unique_lock<std::mutex>& lock, std::thread thread) {
  thread.detach();
  host_log_->close();
  host_.abandon();
  ended_ = Error{Errc::timeout, "the runtime did not stop in time, and is left to itself"};
  move_to(Phase::over);
  lock.unlock();
  host_log_->wait_for_line(line_patience);
  host_.drop();
  lock.lock();
  return ended_;
}

/// The runtime ends by itself, and calls nobody any more.
void Runtime::State::leave() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) thread_.detach();
  host_.leave();
}

// ---- the host's callbacks

void Runtime::State::on_row(const Row& row) {
  if (row.run && is_final(row.status) && row.node == config_.node) host_.tell_run_ended(row);
}

void Runtime::State::on_term(const TermRow& term) {
  if (!term.ended_at)
    host_.begin_leadership({term.group, term.epoch, service_->node().deadline()});
  else if (host_.is_led(term.group, term.epoch))
    host_.end_leaderships(term.group, boot_now());
}

}  // namespace ballot
