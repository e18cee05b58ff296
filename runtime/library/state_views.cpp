#include "library/state_views.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "library/backfill/shown_backfill.hpp"
#include "library/drift_text.hpp"

namespace ballot::library {
namespace {

using core::Views;

constexpr std::size_t jobs_named = 10;  // of each word, among the reasons of a degraded node, and in other lists
constexpr Millis store_patience{2000};  // to say who leads
constexpr std::size_t page_size = 64;   // a fraction of a millisecond's work
constexpr std::size_t next_shown = 5;

using Step = std::function<Views::Next(const std::string& after)>;

/// Calls `step` once each iteration of the loop, at first at once, until there is nothing to go on with; then `done`.
void post_steps(io::MainLoop& loop, const std::string& after, Step step, StateViews::Done done) {
  const Views::Next next = step(after);
  if (!next) return done();
  loop.post([&loop, after = *next, step = std::move(step), done = std::move(done)]() mutable {
    post_steps(loop, after, std::move(step), std::move(done));
  });
}

/// `visit` gives a page to a function, and says where to go on.
template <class View, class Visit>
void pages(Node& node, Visit visit, StateViews::OnPage<View> page, StateViews::Done done) {
  const auto step = [visit = std::move(visit), page = std::move(page)](const std::string& after) {
    std::vector<View> views;
    const Views::Next next = visit(after, [&views](const View& view) { views.push_back(view); });
    return page(views) ? next : Views::Next();
  };
  post_steps(node.loop(), "", step, std::move(done));
}

/// With the leader that the store names, where that is not this node.
core::JobView led(core::JobView job, const Leaders& leaders) {
  const auto other = job.leader.empty() ? leaders.find(job.group) : leaders.end();
  if (other != leaders.end()) job.leader = other->second.node;
  return job;
}

/// Then the store is not asked who does.
bool leads_all(const core::Views& views) {
  constexpr std::size_t at_once = 100;
  bool leads = true;
  for (core::Views::Next after = ""; after && leads;)
    after = views.visit_groups(*after, at_once, [&](const core::GroupView& group) {
      leads = leads && (group.state == "leading" || !group.wanted);
    });
  return leads;
}

void note(const core::GroupView& group, NodeStatus& status) {
  const std::string name(group.name);
  if (!group.halted.empty()) status.degraded.push_back("halted: group " + name + ": " + std::string(group.halted));
  if (group.leaderless)
    status.degraded.push_back("leaderless: group " + name + ": it has candidates, and no node has led it for 2 T");
  if (group.without_candidates)
    status.degraded.push_back("leaderless: group " + name +
                              ": of the nodes that are there none may lead it, by the candidates of [group." + name +
                              "]");
  if (group.state == "leading") status.led.push_back({name, group.epoch, group.paused, std::string(group.halted)});
}

/// Of a job that this node leads.
void note_backfill(const core::Views& views, const core::JobView& job, NodeStatus& status) {
  if (!job.backfill) return;
  ++status.backfilled;
  if (status.backfills.size() == jobs_named) return;
  std::string text = "job " + std::string(job.name) + ": " + text_of(*position_of_backfill(views, job));
  if (job.backfill->next) text += ", next " + format_slot(*job.backfill->next);
  status.backfills.push_back(std::move(text));
}

/// Of a job that this node leads: what it was expected to keep and does not.
void note_unmet(const core::JobView& job, NodeStatus& status) {
  if (job.leader.empty() || job.state == core::JobState::paused || job.state == core::JobState::disabled) return;
  const auto name = [&](const std::string& what) {
    if (status.unmet.size() < jobs_named) status.unmet.push_back("job " + std::string(job.name) + what);
  };
  if (job.overdue_since) ++status.overdue, name(" is overdue since " + format_millis(*job.overdue_since));
  if (job.is_slow) ++status.slow, name(" has a run that takes longer than expected");
}

void note(const core::JobView& job, NodeStatus& status) {
  const std::string name(job.name);
  ++status.jobs;
  if (job.state == core::JobState::paused) ++status.paused;
  note_unmet(job, status);
  if (job.state == core::JobState::halted && !job.halted_with_group)  // else the group has said it
    status.degrade("halted", name, ": " + std::string(job.trouble));
  if (job.state == core::JobState::clock_skew) status.degrade("clock_skew", name, " is settled ahead of this clock");
  if (!job.behind.empty())
    status.degrade("behind", name,
                   " is " + std::to_string(core::slot_end_limit) + " slots behind job " + std::string(job.behind) +
                       ", which it comes after: its oldest slots are skipped: upstream");
  if (!job.next || job.leader.empty()) return;
  auto& next = status.next;
  if (next.size() == next_shown) ++status.next_left_out;
  if (next.size() == next_shown && *job.next >= next.back().slot) return;
  const auto at = std::upper_bound(next.begin(), next.end(), *job.next,
                                   [](WallTime slot, const NodeStatus::NextSlot& other) { return slot < other.slot; });
  next.insert(at, {*job.next, name});
  if (next.size() > next_shown) next.pop_back();
}

/// The node's first session is being opened, and nothing has gone wrong so far.
bool opens_first(const core::Session& session) {
  const bool opens = session.state() == core::Session::State::opening;
  return session.generation() == 0 || (opens && session.generation() == 1);
}

std::string text_of(const FeedState& feed) {
  return "history: the fleet's history takes no rows of this node" +
         (feed.unsent_since ? ", those since " + format_seconds(*feed.unsent_since) + " are in its ledger alone" : "") +
         ": " + feed.trouble;
}

std::string text_after(const std::string& why) { return why.empty() ? "" : ": " + why; }

/// What does not depend on one job or group; comes first.
void note_node(const Node& node, NodeStatus& status) {
  using Session = NodeStatus::Session;
  const core::Core& core = node.core();
  const core::Session& session = core.session();
  status.session = !session.is_open() ? Session::none : session.in_doubt() ? Session::in_doubt : Session::open;
  status.session_timeout = session.timeout();
  const bool is_renewed = session.is_open() && session.doubt() != core::Session::Doubt::overdue;
  status.store_is_silent = !opens_first(session) && !is_renewed && !session.refuses_writes();
  if (session.is_open() || session.refuses_writes()) status.refusal = node.why_refused();
  if (const auto now = io::read_clocks(); session.renewed_from() != SteadyTime{})
    status.store_heard = now.wall - (now.steady - session.renewed_from());
  status.schedules = session.is_open() && core.has_runner() && !node.is_stopping();
  status.open_runs = core.views().open_runs();
  std::vector<std::string> reasons;
  if (const storage::LedgerState ledger = node.ledger_state(); ledger.degraded)
    reasons.push_back("ledger: " + ledger.reason);
  if (const auto feed = node.feed_state(); feed && !feed->trouble.empty()) reasons.push_back(text_of(*feed));
  if (const std::string http = node.reported("http"); !http.empty()) reasons.push_back("http: " + http);
  status.is_starting = opens_first(session) && !node.is_stopping();
  if (status.is_starting)
    reasons.emplace_back("backend: the session is being opened");
  else if (status.session == Session::none)
    reasons.push_back("backend: no session, so nothing is led" +
                      text_after(status.refusal.empty() ? session.why_closed() : status.refusal));
  if (!node.why_held().empty()) reasons.push_back("moving: " + node.why_held());
  if (status.session == Session::in_doubt)
    reasons.emplace_back("backend: a renewal is overdue, so leadership is in doubt");
  if (status.session != Session::none && !status.refusal.empty()) reasons.push_back("backend: " + status.refusal);
  if (node.is_stopping()) reasons.emplace_back("stopping: nothing new is launched");
  if (core.runner_is_silent())
    reasons.emplace_back(
        "runner: it does not answer, so nothing is launched; the log names its process, and what to do");
  else if (!core.has_runner())
    reasons.emplace_back("runner: it is gone, so nothing is launched");
  if (const Millis skew = core.clock_skew(); skew != Millis(0))
    reasons.push_back("clock_skew: this clock is " + std::to_string(std::abs(skew.count())) + " ms " +
                      (skew < Millis(0) ? "behind" : "before") + " the store's");
  status.degraded.insert(status.degraded.begin(), reasons.begin(), reasons.end());
}

}  // namespace

void NodeStatus::degrade(const std::string& word, const std::string& job, const std::string& why) {
  if (++degraded_jobs[word] <= jobs_named) degraded.push_back(word + ": job " + job + why);
}

void NodeStatus::name_rest() {
  for (const auto& [word, count] : degraded_jobs)
    if (count > jobs_named)
      degraded.push_back(word + ": " + std::to_string(count - jobs_named) + " more jobs; `ballot jobs` shows which");
}

NodeStatus::State NodeStatus::state() const {
  if (!schedules) return State::not_scheduling;
  return degraded.empty() ? State::healthy : State::degraded;
}

RuntimeStatus public_status(const NodeStatus& status) {
  return {static_cast<RuntimeStatus::State>(status.state()),
          status.degraded,
          static_cast<int>(status.led.size()),
          static_cast<int>(status.jobs),
          status.open_runs,
          summary_of(status)};
}

std::string state_text(const NodeStatus& status) {
  constexpr const char* texts[] = {"healthy", "degraded", "not scheduling"};
  return status.is_starting ? "starting" : texts[static_cast<std::size_t>(status.state())];
}

std::string summary_of(const NodeStatus& status) {
  const auto counted = [](std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::string text = state_text(status) + ": ";
  for (const std::string& reason : status.degraded) text += reason + "; ";
  return text + "leads " + counted(status.led.size(), "group") + ", " + counted(status.jobs, "job") + ", " +
         counted(static_cast<std::size_t>(status.open_runs), "run") + " open";
}

void StateViews::jobs(OnPage<core::JobView> page, Done done) const {
  const auto show = [&node = node_, page = std::move(page),
                     done = std::move(done)](const std::vector<Election>& elections) {
    const auto visit = [&node, leaders = leaders_of(elections)](const std::string& after, const auto& take) {
      return node.core().views().visit_jobs(io::read_clocks().wall, after, page_size,
                                            [&](const core::JobView& job) { take(led(job, leaders)); });
    };
    pages<core::JobView>(node, visit, page, done);
  };
  leads_all(node_.core().views()) ? show({}) : node_.observe(store_patience, "", show);
}

void StateViews::page_of_jobs(JobsAsked asked, OnJob take, OnEnd done) const {
  leaders_.ask([&node = node_, asked = std::move(asked), take = std::move(take),
                done = std::move(done)](const LeadersPtr& leaders) {
    const auto left = std::make_shared<std::size_t>(asked.most);
    const auto end = std::make_shared<core::Views::Next>();
    const auto step = [&node, group = asked.group, take, leaders, left, end](const std::string& after) {
      const auto visit = [&](const core::JobView& job) {
        if (!group.empty() && job.group != group) return;
        --*left;
        take(led(job, *leaders));
      };
      *end = node.core().views().visit_jobs(io::read_clocks().wall, after, std::min(page_size, *left), visit);
      return *left == 0 ? Views::Next() : *end;
    };
    post_steps(node.loop(), asked.after, step, [end, done] { done(*end); });
  });
}

void StateViews::job(const std::string& name, std::function<void(const core::JobView*)> take) const {
  leaders_.ask([&node = node_, name, take = std::move(take)](const LeadersPtr& leaders) {
    auto found = node.core().views().find_job(io::read_clocks().wall, name);
    if (!found) return take(nullptr);
    const core::JobView job = led(*found, *leaders);
    take(&job);
  });
}

void StateViews::groups(OnPage<core::GroupView> page, Done done) const {
  const auto visit = [&node = node_](const std::string& after, const auto& take) {
    return node.core().views().visit_groups(after, page_size, take);
  };
  pages<core::GroupView>(node_, visit, std::move(page), std::move(done));
}

void StateViews::runs(OnPage<core::RunView> page, Done done) const {
  const auto visit = [&node = node_](const std::string& after, const auto& take) {
    return node.core().views().visit_runs(after, page_size, take);
  };
  pages<core::RunView>(node_, visit, std::move(page), std::move(done));
}

NodeStatus StateViews::node_status() const {
  NodeStatus status;
  note_node(node_, status);
  return status;
}

void StateViews::status(std::function<void(const NodeStatus&)> done, const Beside& beside) const {
  const auto status = std::make_shared<NodeStatus>();
  const auto see_group = [status, beside = beside.group](const core::GroupView& group) {
    note(group, *status);
    if (beside) beside(group);
  };
  const auto see_job = [&node = node_, status, beside = beside.job](const core::JobView& job) {
    note(job, *status);
    note_backfill(node.core().views(), job, *status);
    if (beside) beside(job);
  };
  const auto step_groups = [&node = node_, see_group](const std::string& after) {
    return node.core().views().visit_groups(after, page_size, see_group);
  };
  const auto step_jobs = [&node = node_, see_job](const std::string& after) {
    return node.core().views().visit_jobs(io::read_clocks().wall, after, page_size, see_job);
  };
  const auto end = [&node = node_, status, done = std::move(done)] {
    note_node(node, *status);
    const core::NodeViews views = node.core().node_views();
    for (const core::DriftView& drift : views.drifts())
      status->degraded.push_back(drift_of_status(drift, views.self()));
    status->name_rest();
    done(*status);
  };
  post_steps(node_.loop(), "", step_groups,
             [&node = node_, step_jobs, end] { post_steps(node.loop(), "", step_jobs, end); });
}

}  // namespace ballot::library
