#include "ballot/runtime.hpp"

#include <system_error>
#include <thread>
#include <utility>

#include "library/runtime_maker.hpp"
#include "library/runtime_state.hpp"
#include "library/signals_blocked.hpp"
#include "storage/reader.hpp"

namespace ballot {

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
  const library::SignalsBlocked blocked;
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
Result<void> Runtime::reload(const std::string& why) { return state_->reload(why); }
Result<RuntimeStatus> Runtime::status(Millis patience) const { return state_->status(patience); }
Result<void> Runtime::ping(Millis patience) const { return state_->ping(patience); }
std::optional<Leadership> Runtime::leadership(const std::string& group) const { return state_->leadership(group); }
Result<RunId> Runtime::trigger(const std::string& job, Millis patience) { return state_->trigger(job, patience); }

Result<std::vector<Row>> Runtime::history(const HistoryQuery& query) const {
  const auto path = state_->flushed_ledger();
  if (!path) return path.error();
  auto reader = storage::Reader::open(*path);
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
  const auto path = state_->flushed_ledger();
  if (!path) return path.error();
  auto reader = storage::Reader::open(*path);
  if (!reader) return reader.error();
  return reader->output(run, attempt);
}

std::unique_ptr<Runtime> library::RuntimeMaker::make(RuntimeOrigin origin, RuntimeSettings settings) {
  const auto state = std::make_shared<Runtime::State>(std::move(origin), std::move(settings));
  return std::unique_ptr<Runtime>(new Runtime(*state));
}

}  // namespace ballot
