#include "library/history/store_reader.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/instance.hpp"
#include "core/record/move_marks.hpp"
#include "core/record/register.hpp"
#include "core/record/standing_pause.hpp"
#include "core/request/pause_answers.hpp"
#include "core/views.hpp"
#include "io/clocks.hpp"
#include "library/held/stored_states.hpp"
#include "library/history/awaited.hpp"
#include "library/history/standing_pauses.hpp"

namespace ballot::library {
namespace {

constexpr Millis lifetime{1000};
constexpr std::size_t jobs_a_turn = 1'000;

Error store_says_nothing() { return {Errc::unavailable, "the store does not answer"}; }

/// The jobs to be read, as many as are read at once.
class Unanswered {
 public:
  Unanswered(StoreQuestion asked, std::string node) : asked_(std::move(asked)), node_(std::move(node)) {}

  /// Looks at some more jobs, in one turn of the loop. False: that was all.
  bool look_on(const core::Views& views) {
    if (!asked_.jobs.empty()) return look_at_named(views), false;
    const auto next = views.visit_owners(after_, jobs_a_turn, [&](const std::string& job, const std::string& group) {
      if (has_more_) return;
      if (!asked_.known.contains(group)) add(job, group);
      if (node_of_instance(job) == node_) add_instances(job, group);
    });
    after_ = next.value_or("");
    return next && !has_more_;
  }
  const std::vector<std::string>& jobs() const { return jobs_; }
  const std::map<std::string, std::string>& groups() const { return groups_; }
  bool has_more() const { return has_more_; }

 private:
  /// Other nodes' instances, and jobs that no file here defines, nobody here is known to lead.
  void look_at_named(const core::Views& views) {
    for (const std::string& job : asked_.jobs) {
      const std::string* const group = views.find_owner(job);
      if (!group || !asked_.known.contains(*group)) add(job, group ? *group : group_elsewhere(views, job));
      if (has_more_) return;
    }
  }
  /// Of another node's instance: as this node's is in.
  std::string group_elsewhere(const core::Views& views, const std::string& job) const {
    const std::string_view other = node_of_instance(job);
    const std::string* const own = other.empty() ? nullptr : views.find_owner(instance_name(common_name(job), node_));
    return own ? instance_name(common_name(*own), other) : "";
  }
  void add_instances(const std::string& job, const std::string& group) {
    for (const std::string& other : asked_.silent) {
      if (has_more_) return;
      add(instance_name(common_name(job), other), instance_name(common_name(group), other));
    }
  }
  void add(std::string job, std::string group) {
    if (jobs_.size() == StoreReader::most_registers) {
      has_more_ = true;
      return;
    }
    if (!group.empty()) groups_.emplace(job, std::move(group));
    jobs_.push_back(std::move(job));
  }

  const StoreQuestion asked_;
  const std::string node_;
  std::string after_;
  std::vector<std::string> jobs_;
  std::map<std::string, std::string> groups_;  // by their jobs
  bool has_more_ = false;
};

/// What is read on the loop; what it says is found out on the thread that waits.
struct Registers {
  std::vector<std::string> jobs;
  std::map<std::string, std::string> groups;  // by their jobs
  std::vector<Register> found;
  bool has_more = false;
};
using Found = Result<Registers>;

void note_group(const std::string& group, const Register& stored, StoreShows& shows) {
  const auto known = core::parse_group_register(stored.value);
  if (!known || !known->paused) return;
  shows.pauses.push_back(standing_pause("", group, known->paused_at, known->paused_by));
  shows.pauses.back().text = core::terms_text(known->pause_terms.ends, known->pause_terms.reason);
}

/// `all_are`: all instances of it are paused.
void note_job(const std::string& job, const Register& stored, bool all_are, StoreShows& shows) {
  const auto known = core::parse_job_register(stored.value);
  if (!known) return;
  for (Row& row : core::shown_runs(job, *known)) shows.rows.push_back(std::move(row));
  if (!known->is_paused_yet(all_are)) return;
  const core::Interventions& what = *known->interventions;
  shows.pauses.push_back(standing_pause(job, "", what.paused_at, what.paused_by));
  shows.pauses.back().text = core::terms_text(what.pause_terms.ends, what.pause_terms.reason);
}

/// None: it is active.
std::optional<LedState> state_of(const std::string& job, const std::string& group, const StoredStates& states) {
  const StoredState stored = states.of(job, group);
  if (stored.word == "active") return std::nullopt;
  LedState state{job, "", stored.word, {}, "", true};
  state.trouble = stored.why;
  if (stored.word != "paused") return state;
  for (const Pause& pause : stored.pauses)
    state.pauses.push_back({pause.of == Pause::Of::group, pause.since, pause.by, pause.until, pause.reason});
  state.paused_at = stored.pauses.front().since, state.paused_by = stored.pauses.front().by;
  return state;
}

StoreShows shows(Registers read) {
  StoreShows shows;
  shows.has_more = read.has_more;
  std::map<std::string, std::string> groups;  // by their registers' names
  for (const auto& [job, group] : read.groups) groups.emplace(core::group_register(group), group);
  std::set<std::string, std::less<>> paused;
  for (const Register& one : read.found)
    if (auto job = core::paused_job(one)) paused.insert(*std::move(job));
  for (const Register& one : read.found)
    if (const auto group = groups.find(one.name); group != groups.end())
      note_group(group->second, one, shows);
    else if (const auto job = core::job_of(one))
      note_job(*job, one, paused.contains(common_name(*job)), shows);
  const StoredStates states = StoredStates::of(read.found, io::read_clocks().wall);
  for (const std::string& job : read.jobs) {
    const auto group = read.groups.find(job);
    auto state = state_of(job, group == read.groups.end() ? "" : group->second, states);
    if (state) shows.states.push_back(*std::move(state));
  }
  shows.jobs = std::move(read.jobs);
  return shows;
}

/// On the loop, in as many turns as it takes.
void begin(Node& node, const std::shared_ptr<Unanswered>& asked, SteadyTime until,
           const std::shared_ptr<Awaited<Found>>& reading) {
  if (asked->look_on(node.core().views())) return node.loop().post([=, &node] { begin(node, asked, until, reading); });
  if (asked->jobs().empty()) return reading->finish(Registers{});
  std::vector<std::string> names;
  std::set<std::string> pauses;
  for (const std::string& job : asked->jobs()) {
    names.push_back(core::job_register(job));
    if (is_instance(job)) pauses.insert(core::pause_record(common_name(job)));
  }
  names.insert(names.end(), pauses.begin(), pauses.end());
  names.insert(names.end(), std::begin(core::holding_marks), std::end(core::holding_marks));
  std::set<std::string> groups;
  for (const auto& [job, group] : asked->groups())
    if (groups.insert(group).second) names.push_back(core::group_register(group));
  const auto left = std::chrono::duration_cast<Millis>(until - io::read_clocks().steady);
  node.read(std::move(names), std::max(left, Millis(0)), [=](const io::Engine::Registers& registers) {
    reading->finish(registers ? Found(Registers{asked->jobs(), asked->groups(), *registers, asked->has_more()})
                              : Found(store_says_nothing()));
  });
}

}  // namespace

Result<StoreShows> StoreReader::read(const StoreQuestion& asked, Millis within, const std::function<bool()>& goes_on) {
  const SteadyTime until = io::read_clocks().steady + within;
  {
    std::unique_lock lock(mutex_);
    while (is_reading_) {
      if (!goes_on() || io::read_clocks().steady >= until) return store_says_nothing();
      changed_.wait_for(lock, glance);
    }
    if (last_ && last_->asked == asked && io::read_clocks().steady - last_->at < lifetime) return last_->shows;
    is_reading_ = true;
  }
  auto shown = read_now(asked, until, goes_on);
  const std::lock_guard lock(mutex_);
  is_reading_ = false;
  if (shown && asked.jobs.empty()) last_ = {asked, *shown, io::read_clocks().steady};
  changed_.notify_one();
  return shown;
}

Result<StoreShows> StoreReader::read_now(const StoreQuestion& asked, SteadyTime until,
                                         const std::function<bool()>& goes_on) {
  const auto reading = std::make_shared<Awaited<Found>>();
  const auto unanswered = std::make_shared<Unanswered>(asked, name_);
  node_.loop().post([=, &node = node_] { begin(node, unanswered, until, reading); });
  const auto found = reading->wait(until, goes_on);
  if (!found) return store_says_nothing();
  return *found ? Result<StoreShows>(shows(**found)) : found->error();
}

}  // namespace ballot::library
