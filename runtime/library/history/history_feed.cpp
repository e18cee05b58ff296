#include "library/history/history_feed.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <future>
#include <utility>

#include "base/duration.hpp"
#include "base/exception_text.hpp"
#include "base/failpoint.hpp"
#include "base/signals_blocked.hpp"
#include "io/clocks.hpp"
#include "io/plugin_loader.hpp"

namespace ballot::library {
namespace {

constexpr Millis last_effort = std::chrono::seconds(2);
constexpr Millis lock_wait = std::chrono::seconds(5);
constexpr Millis reopen_after = std::chrono::seconds(5);  // the file may have been moved away

constexpr int feed_nice = 5;
constexpr Millis silence = std::chrono::seconds(5);  // of a call, before it is trouble
constexpr Millis partial_every = std::chrono::seconds(2);

SteadyTime steady_now() { return io::read_clocks().steady; }

}  // namespace

Result<const PluginInfo*> find_history(const std::string& plugin_dir, const HistoryChoice& choice) {
  const auto plugin = load_plugin_of(history_kind, plugin_dir, choice.plugin);
  if (!plugin) return plugin.error();
  for (const OptionProblem& problem : check_table(choice.options, (*plugin)->traits))
    return Error{Errc::invalid, "[" + choice.plugin + "] " + problem.text};
  return *plugin;
}

Result<std::unique_ptr<History>> make_history(const PluginInfo& plugin, const HistoryChoice& choice, HistoryUse use) {
  Error error;
  std::unique_ptr<History> history(plugin.create_history({choice.options, choice.state_dir, use}, error));
  if (!history) return error;
  return history;
}

HistoryFeed::HistoryFeed(std::unique_ptr<History> history, LedgerPlace place, Log log)
    : history_(std::move(history)),
      place_(std::move(place)),
      log_(std::move(log)),
      sender_(place_.node),
      outputs_(place_, [this] { return may_go_on(); }) {
  history_->set_goes_on([this] { return may_go_on(); });
}

bool HistoryFeed::may_go_on() const {
  const std::lock_guard lock(mutex_);
  return !ends_ || steady_now() < *ends_;
}

void HistoryFeed::start(storage::Ledger& ledger) {
  ledger_ = &ledger;
  sender_.recorded(steady_now());  // what was recorded before
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { work(); });
  ::pthread_setname_np(thread_.native_handle(), "ballot-feed");
}

/// A call to the history, which may hang.
template <class Call>
auto HistoryFeed::timed(Call call) {
  const auto set = [this](std::optional<SteadyTime> since) {
    const std::lock_guard lock(mutex_);
    asks_ = since;
  };
  set(steady_now());
  auto result = call();
  set(std::nullopt);
  return result;
}

void HistoryFeed::recorded() {
  const std::lock_guard lock(mutex_);
  recorded_ = true;
  changed_.notify_all();
}

FeedState HistoryFeed::state() const {
  const std::lock_guard lock(mutex_);
  FeedState state = state_;
  const auto silent = asks_ ? steady_now() - *asks_ : Millis(0);
  if (state.trouble.empty() && silent >= silence)
    state.trouble = "it has not answered for " + format_duration(std::chrono::floor<std::chrono::seconds>(silent));
  if (ledger_) state.dropped = ledger_->unsent_dropped();
  return state;
}

void HistoryFeed::close() {
  {
    const std::lock_guard lock(mutex_);
    if (!ends_) ends_ = steady_now() + last_effort;
    recorded_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

/// Memory may be used up. It gives way to the daemon's others.
void HistoryFeed::work() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), feed_nice);
  while (true) {
    const SteadyTime now = steady_now();
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(recorded_, false)) sender_.recorded(now);
      if (ends_ && !std::exchange(hurried_, true)) sender_.hurry();
    }
    try {
      look_at_outputs(now);
      const auto step = sender_.next(now);
      if (is_over(step)) return;
      switch (step.what) {
        case Do::ask: ask(); break;
        case Do::read: read(step.after); break;
        case Do::put: put(); break;
        case Do::renew: sender_.renewed(storage::renew_identity(place_.path, lock_wait), steady_now()); break;
        case Do::rest: rest(step); break;
      }
    } catch (const std::exception& error) {
      sender_.failed({Errc::io, "cannot hand on the ledger: " + exception_text(error)}, steady_now());
    }
    report();
  }
}

/// All is sent, or what fails is not waited for.
bool HistoryFeed::is_over(const storage::HistorySender::Step& step) const {
  const std::lock_guard lock(mutex_);
  if (!ends_) return false;
  return steady_now() >= *ends_ || (step.what == Do::rest && (step.firm || !sender_.unsent_since()));
}

void HistoryFeed::rest(const storage::HistorySender::Step& step) {
  std::unique_lock lock(mutex_);
  const Millis length = std::max(Millis(1), std::min(step.until, partial_at_) - steady_now());
  if (ends_)
    changed_.wait_for(lock, length);
  else
    changed_.wait_for(lock, length, [&] { return (recorded_ && !step.firm) || ends_; });
}

/// While the history takes nothing, and when the daemon ends, none is read.
void HistoryFeed::look_at_outputs(SteadyTime now) {
  if (now < partial_at_ || is_ending()) return;
  partial_at_ = now + partial_every;
  if (sender_.is_waiting()) return;
  partial_ = outputs_.take();
  if (!partial_.empty()) sender_.nudge(now);
}

bool HistoryFeed::is_ending() const {
  const std::lock_guard lock(mutex_);
  return ends_.has_value();
}

/// Until all that was recorded is on the disk. False: the feed ends before.
bool HistoryFeed::sync() {
  const auto synced = std::make_shared<std::promise<void>>();
  auto done = synced->get_future();
  ledger_->flush([synced] { synced->set_value(); });
  while (done.wait_for(Millis(100)) != std::future_status::ready) {
    const std::lock_guard lock(mutex_);
    if (ends_ && steady_now() >= *ends_) return false;
  }
  return true;
}

void HistoryFeed::ask() {
  bool goes_on = false;
  const auto line = line_of_ledger(goes_on);
  BALLOT_FAILPOINT("feed.asked");
  if (line) ledger_->set_sent(goes_on ? line->change : 0);
  sender_.asked(line, goes_on, steady_now());
}

Result<LedgerLine> HistoryFeed::line_of_ledger(bool& goes_on) {
  if (const auto opened = open(); !opened) return opened.error();
  const auto identity = outbox_->identity();
  if (!identity) return identity.error();
  auto line = timed([&] { return history_->line_of(*identity, place_.node); });
  if (!line) return line;
  const auto does = outbox_->goes_on_from(*line);
  if (!does) return does.error();
  goes_on = *does;
  return line;
}

Result<void> HistoryFeed::open() {
  outbox_.reset();
  auto outbox = storage::Outbox::open(place_.path, place_.node);
  if (!outbox) return outbox.error();
  outbox_ = *std::move(outbox);
  opened_ = steady_now();
  return {};
}

void HistoryFeed::read(std::int64_t after) {
  if (is_ending() && !sync()) return;
  if (!outbox_ || steady_now() - opened_ >= reopen_after)
    if (const auto opened = open(); !opened) return sender_.read(opened.error(), steady_now());
  auto part = outbox_->read(after);
  if (part) part->batch.partial = std::exchange(partial_, {});
  sender_.read(part, steady_now());
  batch_.reset();
  if (part) batch_ = std::move(part->batch);
}

/// What is handed on was synced before: a history never has more of a ledger than the ledger after a loss of power.
void HistoryFeed::put() {
  if (batch_->last > batch_->after && !sync()) return;
  BALLOT_FAILPOINT("feed.put");
  const auto result = timed([&] { return history_->put(*batch_); });
  BALLOT_FAILPOINT("feed.sent");
  sender_.put(result, steady_now());
  if (result) ledger_->set_sent(sender_.sent());
}

void HistoryFeed::report() {
  const Now now = io::read_clocks();
  const auto* const trouble = sender_.trouble(now.steady);
  FeedState state;
  if (trouble) state.trouble = trouble->why.what;
  state.sent = sender_.sent();
  if (const auto since = sender_.unsent_since()) state.unsent_since = now.wall - (now.steady - *since);
  state.too_old = sender_.too_old();
  {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }
  if (std::exchange(said_, trouble != nullptr) == (trouble != nullptr)) return;
  if (trouble)
    log_(Level::warn, "the ledger is not handed on to the fleet's history: " + trouble->why.what,
         {{"sent", std::to_string(state.sent)}});
  else
    log_(Level::info, "the ledger is handed on to the fleet's history again", {{"sent", std::to_string(state.sent)}});
}

}  // namespace ballot::library
