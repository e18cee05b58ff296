#include "library/shown/load_counts.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "io/clocks.hpp"
#include "library/next_slots.hpp"

namespace ballot::library {
namespace {

using std::chrono::days;

constexpr Millis counts_lifetime = std::chrono::minutes(1);
constexpr Millis near = days(9), far = days(32);  // a week's days, whole, and one more; more than is asked for
constexpr std::size_t slots_at_once = 50;         // a fraction of a millisecond's work
constexpr std::int64_t slots_a_step = 3'000'000;  // a second's work, in such parts

}  // namespace

struct LoadCounts::Counting {
  struct PlanHash {
    std::size_t operator()(const schedule::Plan& plan) const { return plan.hash(); }
  };

  Counting(WallTime from, WallTime until) : count{from, until, PlannedLoad(from, until)} {}

  bool is_done() const { return place == alike.size() || slots >= slots_a_step; }
  void add(const core::Views& views, const std::string& job, WallTime paused_until, std::vector<WallTime> phase);
  WallTime begin_of(const std::string& job) const;
  std::optional<std::vector<WallTime>> slots_after(const core::Views& views, WallTime time, std::size_t most) const;
  std::size_t count_some(const core::Views& views, std::size_t most);

  Count count;
  std::vector<std::vector<std::string>> alike = {};  // jobs with the same slots
  std::unordered_map<schedule::Plan, std::size_t, PlanHash> places = {};
  std::map<std::string, std::vector<WallTime>> phases = {};  // of jobs of which this node does not know them
  std::map<std::string, WallTime> ends = {};                 // of pauses: each such job is counted by itself
  std::size_t place = 0;                                     // whose slots are counted
  std::optional<WallTime> after = {};                        // those after it; none: none of them was
  std::int64_t slots = 0;
};

void LoadCounts::Counting::add(const core::Views& views, const std::string& job, WallTime paused_until,
                               std::vector<WallTime> phase) {
  if (!phase.empty()) phases.emplace(job, std::move(phase));
  const bool is_paused = paused_until > count.from;
  if (is_paused) ends.emplace(job, paused_until);
  const schedule::Plan* const plan = is_paused ? nullptr : views.common_plan(job, count.from - Millis(1));
  const std::size_t found = plan ? places.try_emplace(*plan, alike.size()).first->second : alike.size();
  if (found == alike.size()) alike.emplace_back();
  alike[found].push_back(job);
}

/// After which its slots are counted.
WallTime LoadCounts::Counting::begin_of(const std::string& job) const {
  const auto end = ends.find(job);
  return end == ends.end() ? count.from - Millis(1) : end->second;
}

/// Of the jobs whose turn it is. None: they are not known.
std::optional<std::vector<WallTime>> LoadCounts::Counting::slots_after(const core::Views& views, WallTime time,
                                                                       std::size_t most) const {
  const std::string& job = alike[place].front();
  auto slots = views.planned(job, count.from, time, count.until, most);
  const auto phase = phases.find(job);
  const schedule::Plan* const plan = slots || phase == phases.end() ? nullptr : views.plan_of(job);
  if (plan && plan->everies().size() == phase->second.size())
    slots = slots_of_plan(*plan, phase->second, time, count.until, most);
  return slots;
}

/// Of the jobs whose turn it is: how many slots that were.
std::size_t LoadCounts::Counting::count_some(const core::Views& views, std::size_t most) {
  const std::string& job = alike[place].front();
  if (!after) count.load.begin(alike[place]);
  const auto found = slots_after(views, after.value_or(begin_of(job)), most);
  if (!found) count.unknown.push_back(job);
  const std::size_t counted = found ? found->size() : 0;
  for (std::size_t i = 0; i < counted; ++i) count.load.add((*found)[i]);
  slots += static_cast<std::int64_t>(counted);
  if (counted < most)
    ++place, after.reset();
  else
    after = found->back();
  return counted;
}

LoadCounts::LoadCounts(Node& node, Jobs jobs)
    : node_(node), jobs_(std::move(jobs)), timer_(node.loop().context(), [this] { kept_.reset(); }) {}

void LoadCounts::ask(WallTime until, std::function<void(const Count&)> then) {
  if (kept_ && until <= kept_->until) return then(*kept_);
  waiting_.push_back({until, std::move(then)});
  if (!is_counting_) begin();
}

void LoadCounts::begin() {
  is_counting_ = true;
  const WallTime now = io::read_clocks().wall;
  const bool is_near = std::all_of(waiting_.begin(), waiting_.end(),
                                   [until = now + near](const Asked& one) { return one.until <= until; });
  const auto counting = std::make_shared<Counting>(now, now + (is_near ? near : far));
  const auto take = [this, counting](std::string_view job, WallTime paused_until, std::vector<WallTime> phase) {
    counting->add(node_.core().views(), std::string(job), paused_until, std::move(phase));
  };
  jobs_(take, [this, counting] { count_on(counting); });
}

void LoadCounts::count_on(const std::shared_ptr<Counting>& counting) {
  for (std::size_t left = slots_at_once; left > 0 && !counting->is_done();)
    left -= std::min(left, 1 + counting->count_some(node_.core().views(), left));
  if (counting->is_done()) return finish(counting);
  node_.loop().post([this, counting] { count_on(counting); });
}

void LoadCounts::finish(const std::shared_ptr<Counting>& counting) {
  for (std::size_t place = counting->place; place < counting->alike.size(); ++place)
    counting->count.left_out += std::ssize(counting->alike[place]);
  kept_ = std::make_shared<const Count>(std::move(counting->count));
  timer_.arm(io::read_clocks().steady + counts_lifetime);
  is_counting_ = false;
  for (Asked& one : std::exchange(waiting_, {})) ask(one.until, std::move(one.then));
}

}  // namespace ballot::library
