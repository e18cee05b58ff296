#include "ballot/runtime.hpp"

#include <algorithm>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "base/env_words.hpp"
#include "base/instance.hpp"
#include "base/signals_blocked.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "library/history/file_ledger.hpp"
#include "library/runtime_maker.hpp"
#include "library/runtime_state.hpp"
#include "storage/reader.hpp"

namespace ballot {
namespace {

using Kind = core::Request::Kind;

constexpr int most_slots = 100;  // less than a millisecond of the loop
constexpr Millis longest_call = std::chrono::hours(24 * 365);
Millis bounded(Millis time) { return std::clamp(time, Millis(0), longest_call); }

core::Request for_job(Kind kind, const std::string& job) {
  core::Request request;
  request.kind = kind;
  request.job = job;
  return request;
}

core::Request for_group(Kind kind, const std::string& group) {
  core::Request request;
  request.kind = kind;
  request.group = group;
  return request;
}

Result<void> without_run(const Result<std::optional<RunId>>& done) {
  return done ? Result<void>() : Result<void>(done.error());
}

core::Request with_terms(core::Request pause, const PauseTerms& terms) {
  pause.terms = {terms.until, terms.reason};
  return pause;
}

std::string_view word_of(BackfillQuery::Which which) {
  switch (which) {
    case BackfillQuery::Which::unsuccessful: return "";
    case BackfillQuery::Which::failed: return "failed";
    case BackfillQuery::Which::missed: return "missed";
    case BackfillQuery::Which::all: return "all";
  }
  return "";
}

io::Message backfill_question(const std::string& job) {
  return io::Message().set("do", std::string("backfill")).set("job", job);
}

JobInfo info_of(const core::JobView& view) {
  return {.name = std::string(view.name),
          .group = std::string(view.group),
          .leader = std::string(view.leader),
          .state = text_of(view),
          .trouble = std::string(view.trouble),
          .next = view.next,
          .paused_at = view.paused_at,
          .paused_by = std::string(view.paused_by),
          .paused_until = view.paused_until,
          .pause_reason = std::string(view.pause_reason)};
}

Result<std::vector<WallTime>> slots_of(library::Service& service, const std::string& job, int count) {
  const core::Views views = service.node().core().views();
  const WallTime now = io::read_clocks().wall;
  const std::string instance = instance_name(job, service.ledger_place().node);
  const std::string& name = views.find_job(now, job) ? job : instance;
  if (!views.find_job(now, name)) return Error{Errc::not_found, "no job " + job + " is defined here"};
  auto slots = views.planned(name, now, now, WallTime::max(), static_cast<std::size_t>(count));
  if (slots) return *std::move(slots);
  return Error{Errc::refused, "job " + job + " has an @every, which counts from a time that its leader knows"};
}

/// The last attempt's, where none is named; none: the ledger has no such row.
Result<std::optional<Row>> row_of(storage::Reader& reader, const RunId& run, std::optional<int> attempt) {
  std::optional<Row> found;
  const auto read = reader.history({.run = run, .limit = std::nullopt}, [&](const Row& row) {
    if (!attempt || row.attempt == *attempt) found = row;
    return !found;
  });
  return read ? Result<std::optional<Row>>(found) : read.error();
}

/// Of an attempt that goes on here.
Result<Output> output_so_far(const library::LedgerPlace& place, const runner::AttemptId& attempt) {
  const auto ledger = library::FileLedger::open(place);
  if (!ledger) return ledger.error();
  Output output;
  for (std::int64_t at = 0;;) {
    const auto shown = (*ledger)->output(attempt, at);
    if (!shown) return shown.error();
    output.total_bytes = shown->total;
    if (shown->piece.bytes.empty()) return output;
    const bool is_head = output.tail.empty() && shown->piece.begin == at;
    (is_head ? output.head : output.tail) += shown->piece.bytes;
    at = shown->piece.end();
  }
}

}  // namespace

Runtime::Runtime(RuntimeSettings settings)
    : state_(std::make_shared<State>(library::origin_of(settings), std::move(settings))) {}
Runtime::Runtime(State& state) : state_(state.shared_from_this()) {}

/// In a callback or a function it cannot wait for them: another thread does, or nobody where there is none to be had.
Runtime::~Runtime() {
  const auto stop = [state = state_] {
    constexpr std::chrono::seconds bound(5);
    static_cast<void>(state->stop({Millis(0), bound}));
  };
  if (!state_->host().is_in_call()) {
    stop();
    return;
  }
  state_->request_stop({});
  const SignalsBlocked blocked;
  try {
    std::thread(stop).detach();
  } catch (const std::system_error&) {
    state_->leave();
  }
}

Result<void> Runtime::add(const JobSpec& job) { return state_->add(job); }
Result<void> Runtime::remove(const std::string& job) { return state_->remove(job); }
Result<void> Runtime::add_function(const std::string& name, JobFunction function) {
  return state_->add_function(name, std::move(function));
}
Result<void> Runtime::add_group(const std::string& name, const std::string& keys) {
  return state_->add_group(name, keys);
}
Result<void> Runtime::remove_group(const std::string& name) { return state_->remove_group(name); }

void Runtime::on_elected(std::function<void(const Leadership&)> elected) {
  state_->host().on_elected(std::move(elected));
}
void Runtime::on_lost(std::function<void(const Leadership&)> lost) { state_->host().on_lost(std::move(lost)); }
void Runtime::on_run_ended(std::function<void(const Row&)> ended) { state_->host().on_run_ended(std::move(ended)); }
void Runtime::on_refused(std::function<void(const Error&)> refused) { state_->host().on_refused(std::move(refused)); }
void Runtime::on_ended(std::function<void(const Result<void>&)> ended) { state_->host().on_ended(std::move(ended)); }

Result<void> Runtime::start() { return state_->start(); }
Result<void> Runtime::stop(const Stop& how) { return state_->stop(how); }
void Runtime::request_stop(const Stop& how) { state_->request_stop(how); }

Result<void> Runtime::reload(const std::string& why) {
  return state_->ask_loop<void>(longest_call, [why](library::Service& service, const auto& done) {
    service.reload(why);
    done({});
  });
}

Result<RuntimeStatus> Runtime::status(Millis patience) const {
  return state_->ask_loop<RuntimeStatus>(bounded(patience), [](library::Service& service, const auto& done) {
    service.status([done](const library::NodeStatus& status) { done(library::public_status(status)); });
  });
}

Result<void> Runtime::ping(Millis patience) const {
  return state_->ask_loop<void>(bounded(patience), [](library::Service&, const auto& done) { done({}); });
}

std::optional<Leadership> Runtime::leadership(const std::string& group) const { return state_->leadership(group); }

// ---- what whoever leads does

Result<RunId> Runtime::trigger(const std::string& job, Millis patience) {
  return trigger(job, TriggerWith(), patience);
}

Result<RunId> Runtime::trigger(const std::string& job, const TriggerWith& with, Millis patience) {
  if (job.empty()) return Error{Errc::not_found, "no job has such a name"};
  if (std::string fault = fault_of_env(with.env); !fault.empty()) return Error{Errc::invalid, std::move(fault)};
  core::Request request = for_job(Kind::trigger, job);
  request.env = env_words(with.env);
  request.alone = with.alone;
  const auto run = state_->request(std::move(request), "", patience);
  if (!run) return run.error();
  return *run ? Result<RunId>(**run) : Error{Errc::corrupt, "the leader has not named the run"};
}

Result<void> Runtime::kill(const RunId& run, Millis patience) {
  return without_run(state_->request(for_job(Kind::kill, ""), run.text(), patience));
}

Result<void> Runtime::pause(const std::string& job, Millis patience) {
  return without_run(state_->request(for_job(Kind::pause, job), "", patience));
}
Result<void> Runtime::resume(const std::string& job, Millis patience) {
  return without_run(state_->request(for_job(Kind::resume, job), "", patience));
}
Result<void> Runtime::pause_group(const std::string& group, Millis patience) {
  return without_run(state_->request(for_group(Kind::pause, group), "", patience));
}
Result<void> Runtime::resume_group(const std::string& group, Millis patience) {
  return without_run(state_->request(for_group(Kind::resume, group), "", patience));
}

Result<void> Runtime::pause(const std::string& job, const PauseTerms& terms, Millis patience) {
  return without_run(state_->request(with_terms(for_job(Kind::pause, job), terms), "", patience));
}
Result<void> Runtime::pause_group(const std::string& group, const PauseTerms& terms, Millis patience) {
  return without_run(state_->request(with_terms(for_group(Kind::pause, group), terms), "", patience));
}

Result<std::string> Runtime::backfill(const std::string& job, const BackfillQuery& slots, Millis patience) {
  io::Message question = backfill_question(job).set("since", format_millis(slots.since));
  if (slots.until) question.set("until", format_millis(*slots.until));
  question.set("which", std::string(word_of(slots.which))).set("parallel", std::int64_t{slots.parallel});
  return state_->ask_daemon(std::move(question), patience);
}
Result<std::string> Runtime::stop_backfill(const std::string& job, Millis patience) {
  return state_->ask_daemon(backfill_question(job).set("stop", true), patience);
}

// ---- what is there

Result<std::vector<JobInfo>> Runtime::jobs(Millis patience) const {
  using Jobs = std::vector<JobInfo>;
  return state_->ask_loop<Jobs>(bounded(patience), [](library::Service& service, const auto& done) {
    const auto all = std::make_shared<Jobs>();
    const auto page = [all](std::span<const core::JobView> views) {
      for (const core::JobView& view : views) all->push_back(info_of(view));
      return true;
    };
    service.views().jobs(page, [all, done] { done(std::move(*all)); });
  });
}

Result<std::vector<WallTime>> Runtime::next_slots(const std::string& job, int count, Millis patience) const {
  const int wanted = std::clamp(count, 0, most_slots);
  return state_->ask_loop<std::vector<WallTime>>(
      bounded(patience),
      [job, wanted](library::Service& service, const auto& done) { done(slots_of(service, job, wanted)); });
}

Result<std::vector<Row>> Runtime::history(const HistoryQuery& query) const {
  const auto place = state_->flushed_ledger();
  if (!place) return place.error();
  auto reader = storage::Reader::open(place->path);
  if (!reader) return reader.error();
  storage::Filter filter;
  filter.jobs = query.jobs;
  filter.groups = query.groups;
  filter.statuses = query.statuses;
  filter.run = query.run;
  filter.since = query.since;
  filter.until = query.until;
  filter.limit = query.limit;
  std::vector<Row> rows;
  const auto read = reader->history(filter, [&](const Row& row) { return rows.push_back(row), true; });
  if (!read) return read.error();
  return rows;
}

Result<Output> Runtime::output(const RunId& run, std::optional<int> attempt) const {
  const auto place = state_->flushed_ledger();
  if (!place) return place.error();
  auto reader = storage::Reader::open(place->path);
  if (!reader) return reader.error();
  const auto row = row_of(*reader, run, attempt);
  if (!row) return row.error();
  const bool goes_on_here = *row && !is_final((*row)->status) && (*row)->node == place->node;
  return goes_on_here ? output_so_far(*place, {run, (*row)->attempt}) : reader->output(run, attempt);
}

Result<Output> Runtime::output(const Row& row) const { return row.run ? output(*row.run, row.attempt) : Output(); }

std::unique_ptr<Runtime> library::RuntimeMaker::make(RuntimeOrigin origin, RuntimeSettings settings) {
  const auto state = std::make_shared<Runtime::State>(std::move(origin), std::move(settings));
  return std::unique_ptr<Runtime>(new Runtime(*state));
}

}  // namespace ballot
