#include "chaos/daemons.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <thread>

#include "base/wall_text.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::chaos {

using testing::Findings;

namespace {

bool matches(const Report& report, const Daemons::Which& which) {
  return (which.job.empty() || report.job == which.job) && (which.node.empty() || report.node == which.node) &&
         report.node != which.not_on && report.started.boot > which.after.boot;
}

std::string text_of(const Daemons::Which& which) {
  std::string text = "START " + std::to_string(which.count) + " of " + (which.job.empty() ? "any job" : which.job);
  if (!which.node.empty()) text += " on " + which.node;
  if (!which.not_on.empty()) text += " not on " + which.not_on;
  return text;
}

}  // namespace

Daemons::Daemons(Trial& trial, const Setup& setup)
    : Fleet(setup.nodes, setup.timeout > Millis(0) ? trial.timeout(setup.timeout) : trial.backend.default_timeout,
            [&](const std::string& node) {
              const Millis asked = setup.timeout > Millis(0) ? trial.timeout(setup.timeout) : Millis(0);
              return trial.store(setup.store).configuration(node, "t" + std::to_string(trial.fleets + 1), asked);
            }),
      store_(trial.store()),
      name_space_("t" + std::to_string(++trial.fleets)),
      asked_(setup.timeout > Millis(0) ? timeout : Millis(0)) {
  if (setup.more.empty()) return;
  for (const std::string& node : setup.nodes) (*this)[node].configure(setup.more);
}

Report Daemons::start_of(const Which& which, seconds limit) const {
  std::optional<Report> found;
  const bool in_time = oracle.wait_until(
      [&](const Reports& all) {
        std::size_t left = which.count;
        for (const Report& report : all)
          if (!found && matches(report, which) && --left == 0) found = report;
        return found.has_value();
      },
      limit);
  if (!in_time) throw Failure("did not come: " + text_of(which));
  return *found;
}

std::size_t Daemons::starts_of(const Which& which) const {
  const Reports all = oracle.reports();
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Report& report) { return matches(report, which); }));
}

void Daemons::catch_up(const std::string& job, int count, seconds limit) const {
  const WallTime now = Instant::now().wall;
  const bool in_time = oracle.wait_until(
      [&](const Reports& all) {
        return std::count_if(all.begin(), all.end(), [&](const Report& report) {
                 return report.job == job && report.trigger == Trigger::schedule && report.slot > now &&
                        report.on_time();
               }) >= count;
      },
      limit);
  expect(in_time, "somebody runs " + job + " in time again");
}

void Daemons::await_log(const std::string& node, const std::string& text, int count, seconds limit) {
  expect((*this)[node].wait_for(text, count, limit), node + " logs: " + text);
}

Ran Daemons::command(const std::string& node, const std::vector<std::string>& words) {
  Ran ran = (*this)[node].ballot(words);
  expect(ran.code == 0, "ballot " + words[0] + " on " + node + " works: " + ran.err + ran.out);
  return ran;
}

RunId Daemons::trigger(const std::string& node, const std::string& job) {
  const auto run = RunId::parse(command(node, {"trigger", job}).out.substr(0, 36));
  expect(run.has_value(), "trigger prints the run's id");
  return triggered.emplace_back(*run);
}

void Daemons::cut(const std::string& node, Store::Cut how) {
  fault(node);
  store_.cut(node, how);
}
void Daemons::heal(const std::string& node) {
  store_.heal(node);
  healed(node);
}
void Daemons::outage(const std::function<void(Store&)>& begin) {
  fault();
  begin(store_);
}
void Daemons::outage_over(const std::function<void(Store&)>& end) {
  end(store_);
  healed();
}

void Daemons::lose_host(const std::string& node) {
  pid_t runner = -1;  // a daemon that has just been started may have none yet
  const auto found = [&] { return (runner = testing::listener_at((*this)[node].folder / "run/runner.sock")) > 0; };
  testing::wait_until(found, seconds(3));
  (*this)[node].send(SIGSTOP);  // so that nobody knows of the one's end before the other's
  if (runner > 0) ::kill(runner, SIGKILL);
  (*this)[node].kill();
}

void Daemons::freeze(const std::string& node, Millis span) {
  testing::BallotDaemon& daemon = (*this)[node];
  daemon.send(SIGSTOP);
  std::this_thread::sleep_for(span);
  daemon.send(SIGCONT);
  if (!daemon.has_ended()) return;
  daemon.kill();
  daemon.start();
}

void Daemons::bring_back(const std::string& node) {
  (*this)[node].start();
  await_log(node, "session open", 1, seconds(60));
}

Row Daemons::row(const std::string& node, const std::string& job, int attempt) {
  for (const Row& one : (*this)[node].rows(job))
    if (one.attempt == attempt) return one;
  return {};
}

void Daemons::await_row(const std::string& node, const std::string& job, Status status, int attempt) {
  expect(testing::wait_until([&] { return row(node, job, attempt).status == status; }),
         job + " attempt " + std::to_string(attempt) + " on " + node + " becomes " + std::string(to_string(status)));
}

void Daemons::expect_dead_by_the_deadline(const std::string& node, const std::string& job, const Instant& fault) const {
  for (const Report& report : oracle.reports(job)) {
    if (report.node != node || report.started.boot > fault.boot) continue;
    expect(report.gone.has_value(), "is gone: " + report.text());
    expect(report.gone->boot - fault.boot <= timeout - margin, "is gone by the deadline: " + report.text());
  }
}

void Daemons::expect_no_start_past_the_deadline(const Report& of_the_term, const Instant& fault) const {
  for (const Report& report : oracle.reports()) {
    if (report.started.boot <= fault.boot + timeout - margin) continue;
    expect(report.epoch != of_the_term.epoch || report.node != of_the_term.node,
           "nothing starts past the deadline: " + report.text());
  }
}

void Daemons::expect_elected_within(const Evidence& evidence, const Instant& fault, Millis longest) const {
  WallTime elected = WallTime::max();
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const TermRow& term : ledger.terms)
      if (term.elected_at >= fault.wall) elected = std::min(elected, term.elected_at);
  expect(elected != WallTime::max(), "there is a next term");
  std::cout << "the next term began after " << (elected - fault.wall).count() << " ms\n";
  expect(elected - fault.wall <= longest, "the next term began within " + format_duration(longest));
}

void Daemons::expect_each_slot_once(const Evidence& evidence, Terms terms, const std::string& job) {
  std::map<WallTime, int> starts;
  for (const Report& report : evidence.reports)
    if (report.job == job) ++starts[report.slot];
  std::set<WallTime> claimed_in_vain;
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const Row& row : ledger.rows)
      if (row.job == job && (row.reason == Reason::stale || row.status == Status::lost))
        claimed_in_vain.insert(row.slot);
  for (WallTime slot = evidence.from; slot <= evidence.until; slot += seconds(1)) {
    if (terms == Terms::may_have_ended && starts[slot] == 0 && claimed_in_vain.contains(slot)) continue;
    expect(starts[slot] == 1, "slot " + format_slot(slot) + " of " + job + " is launched once, not " +
                                  std::to_string(starts[slot]) + " times");
  }
}

Evidence Daemons::judge(const std::string& caught_up) {
  // What is asked for ends two seconds before this slot, and is to be longer than one.
  if (!caught_up.empty()) {
    const auto left = counts_from() + seconds(4) - Instant::now().wall;
    catch_up(caught_up, 1 + static_cast<int>(std::max<std::int64_t>(0, left / seconds(1))));
  }
  Evidence evidence = this->evidence();
  evidence.triggered = triggered;
  evidence.exclusive = store_.exclusive();
  for (const std::string& one : store_.damage()) evidence.damage.push_back(one);
  if (!caught_up.empty()) expect(evidence.until - evidence.from >= seconds(1), "there is something to judge");
  const Findings findings = check(evidence);
  std::string text;
  for (const std::string& one : findings) text += "\n" + one;
  if (!findings.empty()) throw Failure("the checker finds:" + text);
  expect(oracle.unread().empty(), "every message to the oracle is a run's");
  return evidence;
}

std::size_t count_of_terms(const Evidence& evidence) {
  std::size_t all = 0;
  for (const NodeLedger& ledger : evidence.ledgers) all += ledger.terms.size();
  return all;
}

}  // namespace ballot::chaos
