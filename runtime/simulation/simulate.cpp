#include "simulation/simulate.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "simulation/simulated_node.hpp"

namespace ballot::simulation {
namespace {

constexpr Millis longest_span = std::chrono::hours(24 * 366);
constexpr Millis shortest_lead = std::chrono::minutes(10), longest_lead = std::chrono::hours(24);
constexpr Millis tail = std::chrono::minutes(1);  // what was decided last is recorded some seconds later
constexpr Millis no_timeout = std::chrono::hours(24 * 365 * 20);
constexpr std::uint64_t steps_between_reports = 20'000;

std::string known_nodes(const Fleet& fleet) {
  std::string names;
  for (const FleetNode& node : fleet.nodes) names.append(names.empty() ? "" : ", ").append(node.name);
  return names;
}

Result<void> check(const Fleet& fleet, const Loss& loss) {
  const auto is_it = [&](const FleetNode& node) { return node.name == loss.node; };
  if (std::none_of(fleet.nodes.begin(), fleet.nodes.end(), is_it))
    return Error{Errc::invalid, "no node '" + loss.node + "' is simulated: there are " + known_nodes(fleet)};
  if (loss.at < fleet.from || loss.at >= fleet.until)
    return Error{Errc::invalid, "node " + loss.node + " is lost at " + format_seconds(loss.at) +
                                    ", which is not within the span that is simulated"};
  for (const Loss& other : fleet.losses) {
    const bool overlaps =
        other.node == loss.node && other.at < loss.at && (!other.lasts || other.at + *other.lasts >= loss.at);
    if (overlaps || (&other != &loss && other.node == loss.node && other.at == loss.at))
      return Error{Errc::invalid,
                   "node " + loss.node + " is lost at " + format_seconds(loss.at) + ", while it is lost already"};
  }
  return {};
}

Result<void> check(const Fleet& fleet) {
  if (fleet.until <= fleet.from) return Error{Errc::invalid, "the span ends before it begins"};
  if (fleet.until - fleet.from > longest_span)
    return Error{Errc::invalid, "the span is longer than " + format_duration(longest_span)};
  for (const Loss& loss : fleet.losses)
    if (const auto fits = check(fleet, loss); !fits) return fits.error();
  return {};
}

/// How long before the span it begins.
Millis lead_of(const Fleet& fleet) {
  Millis longest = fleet.run_times.assumed;
  for (const FleetNode& node : fleet.nodes)
    for (const auto& definition : node.jobs)
      if (const Millis* const takes = fleet.run_times.find(definition->job.name))
        longest = std::max(longest, std::min(*takes, definition->job.deadline.value_or(*takes)));
  const Millis lead = std::clamp(longest + shortest_lead, shortest_lead, longest_lead);
  return std::chrono::ceil<std::chrono::minutes>(lead);
}

/// Who has given a group away so that it is elected anew stays out for some session timeouts.
bool reelects(const Fleet& fleet) {
  for (const FleetNode& node : fleet.nodes)
    for (const auto& definition : node.jobs)
      if (definition->job.on_success == AfterRun::reelect || definition->job.on_error == AfterRun::reelect) return true;
  return false;
}

std::map<std::string, Group, std::less<>> groups_of(const Fleet& fleet) {
  std::map<std::string, Group, std::less<>> groups;
  for (const FleetNode& node : fleet.nodes)
    for (const Group& group : node.groups) groups.try_emplace(group.name, group);
  return groups;
}

class Simulation {
 public:
  explicit Simulation(const Fleet& fleet)
      : fleet_(fleet),
        clock_(loop_, fleet.from - lead_of(fleet)),
        groups_(groups_of(fleet)),
        store_(loop_, clock_,
               {fleet.session_timeout, reelects(fleet) ? fleet.session_timeout : no_timeout,
                [this](const std::string& group, const std::string& node) { return rank(group, node); }}),
        tally_(fleet) {
    for (const FleetNode& node : fleet.nodes)
      nodes_.push_back(
          std::make_unique<SimulatedNode>(SimulatedNode::World{loop_, clock_, store_, fleet_, tally_}, node));
  }

  Result<Report> run(const std::function<void(WallTime)>& progress);

 private:
  core::LeaderRank rank(const std::string& group, const std::string& node) const {
    Group unnamed;
    unnamed.name = group;
    const auto found = groups_.find(group);
    return core::leader_rank(found == groups_.end() ? unnamed : found->second, node, fleet_.spread);
  }
  void plan_losses();
  std::uint64_t steps() const;
  void note_waiting();
  Error too_large(const std::string& what) const;
  Error too_many_unrun() const;

  const Fleet& fleet_;
  VirtualLoop loop_;
  const VirtualClock clock_;
  const std::map<std::string, Group, std::less<>> groups_;
  FleetStore store_;
  Tally tally_;
  std::vector<std::unique_ptr<SimulatedNode>> nodes_;
};

/// Before all else that happens at the same instant.
void Simulation::plan_losses() {
  for (const Loss& loss : fleet_.losses) {
    const auto lost =
        std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& one) { return one->name() == loss.node; });
    SimulatedNode* const node = lost->get();
    loop_.at(clock_.steady(loss.at), 0, [node] { node->lose(); });
    if (!loss.lasts) continue;
    loop_.at(clock_.steady(loss.at + *loss.lasts), 0, [this, node] {
      tally_.on_return(node->name(), clock_.wall());
      node->start();
    });
  }
}

std::uint64_t Simulation::steps() const {
  std::uint64_t all = 0;
  for (const auto& node : nodes_) all += node->steps();
  return all;
}

/// Slots that wait when all is over, as who leads their group knows them.
void Simulation::note_waiting() {
  for (const auto& node : nodes_) {
    if (!node->is_running()) continue;
    const core::Views views = node->core().views();
    std::optional<std::string> after = "";
    while (after) {
      after = views.visit_owners(*after, 1000, [&](const std::string& job, const std::string&) {
        if (auto slots = views.waiting(job); !slots.empty()) tally_.on_waiting(job, slots);
      });
    }
  }
}

Error Simulation::too_large(const std::string& what) const {
  return {Errc::invalid, what + ": at " + format_seconds(clock_.wall()) +
                             " it was not done. Simulate a shorter span, or fewer jobs at a time"};
}

Error Simulation::too_many_unrun() const {
  return too_large("more than " + std::to_string(fleet_.most_unrun) + " slots do not start");
}

Result<Report> Simulation::run(const std::function<void(WallTime)>& progress) {
  plan_losses();
  loop_.at(clock_.steady(fleet_.from), 0, [this] { tally_.begin_span(); });
  for (const auto& node : nodes_) node->start();
  const SteadyTime end = clock_.steady(fleet_.until + tail);
  std::uint64_t told = 0;
  for (auto next = loop_.next_at(); next && *next < end; next = loop_.next_at()) {
    loop_.run_next();
    if (loop_.steps() % 1024 != 0) continue;
    const std::uint64_t done = steps();
    if (done > fleet_.most_steps)
      return too_large("it takes more than " + std::to_string(fleet_.most_steps) + " steps");
    if (tally_.is_full()) return too_many_unrun();
    if (!progress || done < told + steps_between_reports) continue;
    told = done;
    progress(clock_.wall());
  }
  note_waiting();
  Report report = tally_.take();
  if (tally_.is_full()) return too_many_unrun();
  report.steps = steps();
  return report;
}

}  // namespace

Result<Report> simulate(const Fleet& fleet, const std::function<void(WallTime at)>& progress) {
  if (const auto fits = check(fleet); !fits) return fits.error();
  return Simulation(fleet).run(progress);
}

}  // namespace ballot::simulation
