#include "io/notify/notifier.hpp"

#include <utility>

#include "core/notify.hpp"
#include "io/child_environment.hpp"
#include "io/clocks.hpp"
#include "io/notify/hook_environment.hpp"
#include "io/notify/mail_text.hpp"
#include "io/notify/ping_address.hpp"

namespace ballot::io {
namespace {

constexpr Millis finish_poll{20};
constexpr QueueBounds in_order{.at_once_a_key = 1};  // no recovery overtakes its failure, no end of a run its start
constexpr QueueBounds for_groups{.at_once = 64, .at_once_a_key = 1, .waiting = 100'000};  // a hook a group
constexpr std::string_view group_label = "group ";

}  // namespace

Notifier::Notifier(boost::asio::io_context& loop, NotifierSettings settings, ToRunner send, Log log)
    : settings_(std::move(settings)),
      send_(std::move(send)),
      log_(std::move(log)),
      hooks_(in_order, send_, log_),
      mails_({}, send_, log_),
      pings_(in_order, send_, log_),
      group_children_(for_groups, send_, log_),
      group_hooks_(settings_.node, settings_.daemon, group_children_),
      state_files_(settings_.node, log_),
      finish_timer_(loop, [this] { check_finished(); }) {}

void Notifier::define(const std::vector<Group>& groups) {
  if (settings_.silent) return;
  group_hooks_.define(groups);
  state_files_.define(groups);
}

void Notifier::notify(const core::Notify& notice) {
  using Event = core::Notify::Event;
  if (settings_.silent) return;
  const JobDetails& details = *notice.definition->job.details;
  switch (notice.event) {
    case Event::missed: return run_hook(notice, "on_missed", details.on_missed);
    case Event::late: return run_hook(notice, "on_late", details.expects->on_late);
    case Event::slow: return run_hook(notice, "on_slow", details.expects->on_slow);
    case Event::overdue: return run_hook(notice, "on_overdue", details.expects->on_overdue);
    case Event::started:
    case Event::ended: break;
  }
  if (!details.ping_url.empty()) ping(notice);
  if (notice.event == Event::started) return;
  if (core::is_failure(notice.row)) run_hook(notice, "on_failure", details.on_failure);
  if (notice.recovered) run_hook(notice, "on_recovery", details.on_recovery);
  if (wants_mail(notice.definition->job, notice.row)) send_mail(notice);
}

/// A program that notifies of a job: as the job's user, and as its runs are started.
Child Notifier::child_of(const core::Notify& notice, const char* what) const {
  const Job& job = notice.definition->job;
  Child child;
  child.key = job.name;
  child.what = what;
  child.fields = {{"job", job.name}};
  if (notice.event != core::Notify::Event::overdue) child.fields.emplace_back("slot", hook_slot(notice.row));
  if (notice.row.run) child.fields.emplace_back("run", notice.row.run->text());
  runner::Start& start = child.start;
  start.job = job.name;
  start.environment = bare_hook_environment(notice, settings_.daemon);
  set_identity(start, job, settings_.daemon);
  start.deadline = job.details->hook_timeout;
  start.kill_grace = hook_grace;
  return child;
}

void Notifier::run_hook(const core::Notify& notice, const char* key, const std::vector<std::string>& command) {
  if (command.empty()) return;
  Child child = child_of(notice, key);
  child.start.argv = command;
  if (auto environment = hook_environment(notice, settings_.daemon, settings_.credentials))
    child.start.environment = std::move(*environment);
  else  // that may be just what it is to notify of
    log_(Level::warn, std::string(key) + " runs without it: " + environment.error().what, child.fields);
  hooks_.run(std::move(child));
}

void Notifier::send_mail(const core::Notify& notice) {
  std::optional<Output> output;
  if (auto kept = outputs_.extract({*notice.row.run, notice.row.attempt})) output = std::move(kept.mapped());
  const Job& job = notice.definition->job;
  Child child = child_of(notice, "mail");
  child.start.argv = {settings_.sendmail, "-i", "-t"};
  child.start.standard_input =
      mail_text({job, notice.row, (job.identity ? *job.identity : settings_.daemon).user, settings_.node, output});
  child.start.working_dir = "/";
  mails_.run(std::move(child));
}

void Notifier::ping(const core::Notify& notice) {
  const std::string address = ping_address(notice);
  if (address.empty()) return;
  Child child = child_of(notice, "ping");
  child.start.argv = {settings_.ping};
  child.start.standard_input = address + "\n";
  child.start.working_dir = "/";
  child.start.deadline = ping_limit;
  pings_.run(std::move(child));
}

void Notifier::keep(const runner::AttemptId& id, const Output& output) {
  if (!settings_.silent) outputs_[id] = output;
}

void Notifier::on_term(const TermRow& term, SteadyTime deadline) {
  if (settings_.silent) return;
  const bool leads = !term.ended_at;
  if (leads)
    led_[term.group] = term.epoch, state_files_.set(term.group, term.epoch, deadline);
  else
    led_.erase(term.group), state_files_.remove(term.group);
  group_hooks_.set(term.group, {leads, term.epoch});
}

void Notifier::on_runner(RunnerLink link) {
  for (Children* children : {&hooks_, &mails_, &pings_, &group_children_}) children->on_runner(link);
}

/// Hooks that an earlier daemon began are acknowledged as they end; a group's next hook waits for them.
bool Notifier::takes(const runner::FromRunner& message) {
  if (!is_of_child(message)) return false;
  for (Children* children : {&hooks_, &mails_, &pings_, &group_children_})
    if (children->takes(message)) return true;
  const auto* running = std::get_if<runner::Running>(&message);
  if (running && running->job.starts_with(group_label))
    group_children_.adopt(*running, running->job.substr(group_label.size()));
  if (const auto* ended = std::get_if<runner::Ended>(&message)) send_(runner::Ack{ended->id});
  return true;
}

/// A term that the core could not end any more is over all the same, unless it is left to a restart.
void Notifier::finish(bool left, std::function<void()> done) {
  state_files_.remove_all();
  for (const auto& [group, epoch] : std::exchange(led_, {}))
    if (!left) group_hooks_.set(group, {false, epoch});
  finished_ = std::move(done);
  finish_by_ = read_clocks().steady + patience_;
  check_finished();
}

void Notifier::hurry() {
  patience_ = Millis(0);
  finish_by_ = read_clocks().steady;
  check_finished();
}

void Notifier::check_finished() {
  if (!finished_) return;
  const Now now = read_clocks();
  const std::size_t open = hooks_.open() + mails_.open() + pings_.open() + group_children_.open();
  if (open > 0 && now.steady < finish_by_) return finish_timer_.arm(now.steady + finish_poll);
  if (open > 0)
    log_(Level::warn, "stopping before all hooks, mails and pings have ended", {{"open", std::to_string(open)}});
  std::exchange(finished_, nullptr)();
}

}  // namespace ballot::io
