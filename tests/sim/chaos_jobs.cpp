// The jobs of random life, as files have them and as nodes run them: of one that runs on each node each has an
// instance.
#include <algorithm>

#include "base/candidates.hpp"
#include "base/instance.hpp"
#include "schedule/day_set.hpp"
#include "sim/chaos.hpp"

namespace ballot {

using namespace std::chrono_literals;

void Chaos::make_jobs() {
  const auto add = [&](const char* name, const char* schedule, const char* group) -> Job& {
    Job job;
    job.name = name;
    job.schedule = {schedule};
    job.group = group;
    job.kill_grace = some(200ms, 5s);
    job.details.edit().on_failure = {"/bin/true"};  // so that notifications are made
    return files_.emplace_back(std::move(job));
  };
  const auto retry = [this](Job& job) {
    job.retries = static_cast<int>(below(4));
    job.details.edit().retry_delay = some(100ms, 2min);
    job.details.edit().retry_max_delay = 3min;
  };
  add("minutely", "* * * * *", "one");
  add("fast", "*/7 * * * * *", "one").start_deadline = some(1s, 20s);
  Job& all = add("all", "*/20 * * * * *", "two");
  all.misfire = Misfire::all;
  all.details.edit().misfire_limit = 1 + static_cast<int>(below(5));
  Job& skips = add("skips", "* * * * *", "two");
  skips.misfire = Misfire::skip;
  skips.start_deadline = 20s;
  retry(skips);  // each attempt fails
  Job& finishes = add("finishes", "@every 90s", "two");
  finishes.on_leadership_lost = OnLeadershipLost::finish;
  finishes.details.edit().lost_after = 2min;
  if (one_in(2)) finishes.concurrency = Concurrency::replace;
  add("reboots", "@reboot", "three");
  Job& stubborn = add("stubborn", "30 * * * * *", "three");
  stubborn.deadline = 40s;
  retry(stubborn);
  Job& queues = add("queues", "*/20 * * * * *", "one");
  queues.concurrency = Concurrency::queue;
  queues.details.edit().queue_limit = static_cast<int>(below(4));
  if (one_in(2)) queues.queue_overflow = QueueOverflow::drop_old;
  Job& replaces = add("replaces", "*/30 * * * * *", "two");
  replaces.concurrency = Concurrency::replace;
  replaces.jitter = some(1s, 30s);
  Job& allows = add("allows", "*/15 * * * * *", "three");
  allows.concurrency = Concurrency::allow;
  allows.max_running = 1 + static_cast<int>(below(4));
  allows.details.edit().priority = 1;
  if (places_.below(2) == 0) allows.misfire = Misfire::all;
  world_.oracle.at_once["allows"] = allows.max_running;
  Job& again = add("again", "* * * * *", "three");
  again.schedule.clear();
  again.on_success = again.on_error = one_in(2) ? AfterRun::rerun : AfterRun::reelect;
  again.details.edit().retry_delay = some(1s, 30s);
  Job& hand = add("hand", "* * * * *", "three");
  hand.schedule.clear();
  hand.details.edit().trigger_env = {"DAY", "NOTE"};
  retry(hand);
  add("trims", "* * * * *", "one").run_on = RunOn::each;
  Job& rotates = add("rotates", one_in(2) ? "@every 70s" : "*/45 * * * * *", "two");
  rotates.run_on = RunOn::each;
  if (one_in(2)) rotates.misfire = Misfire::all;
  if (one_in(3)) rotates.on_leadership_lost = OnLeadershipLost::finish, rotates.details.edit().lost_after = 2min;
  make_chains();
  if (!zone_.empty()) {
    add("local", zones_.below(2) == 0 ? "*/2 1-3 * * *" : "*/20 */2 1-3 * * *", "one");  // in and around the change
    for (Job& job : files_) job.timezone = zone_;
  }
  for (Job& job : files_)
    if (one_in(3)) job.guarantee = Guarantee::at_least_once;
  for (Job& job : files_)
    if (functions_.below(4) == 0) job.details.edit().function = "work";
}

/// Three deep, with a join and a schedule of its own, in half of the seeds.
void Chaos::make_chains() {
  if (chains_.below(2) == 0) return;
  const auto add = [&](const char* name, std::vector<std::string> parents, bool has_schedule) -> Job& {
    Job job;
    job.name = name;
    job.group = "one";
    job.kill_grace = Millis(200 + static_cast<std::int64_t>(chains_.below(3000)));
    if (has_schedule) job.schedule = {"*/2 * * * *"};
    JobDetails& details = job.details.edit();
    details.after = std::move(parents);
    details.has_slots_of_first = !has_schedule;
    if (chains_.below(4) == 0) details.after_status = chains_.below(2) == 0 ? AfterStatus::failed : AfterStatus::ended;
    if (chains_.below(3) == 0) job.retries = 1, details.retry_delay = 5s;
    if (chains_.below(3) == 0) job.concurrency = Concurrency::queue, details.queue_limit = 3;
    constexpr Misfire misfires[] = {Misfire::latest, Misfire::latest, Misfire::all, Misfire::skip};
    job.misfire = misfires[chains_.below(std::size(misfires))];
    return files_.emplace_back(std::move(job));
  };
  add("load", {"minutely"}, false);
  add("join",
      chains_.below(2) == 0 ? std::vector<std::string>{"load", "fast"} : std::vector<std::string>{"minutely", "load"},
      false);
  add("report", {"join"}, false);
  Job& own = add("own", {chains_.below(2) == 0 ? "load" : "queues"}, true);
  if (chains_.below(2) == 0) own.schedule = {"*/20 * * * * *"};  // several of its slots wait for one
  add("held", {"fast", "minutely"}, false);                      // more of the slots of the first may end than are kept
  Job& first = add("first", {}, false);                          // by trigger only, as the two after it
  first.details.edit().has_slots_of_first = false;
  first.details.edit().trigger_env = {"DAY"};
  first.retries = static_cast<int>(chains_.below(3));
  if (chains_.below(2) == 0) first.concurrency = Concurrency::queue;
  add("second", {"first"}, false);
  add("third", {"first", "second"}, false);
}

/// It has the slots of a job that counts by elapsed time.
void Chaos::add_tail() {
  Job job;
  job.name = "tail";
  job.group = file_of("finishes")->group;
  job.details.edit().after = {"finishes"};
  job.details.edit().has_slots_of_first = true;
  if (tails_.below(2) == 0) job.details.edit().after_status = AfterStatus::ended;
  files_.push_back(std::move(job));
}

/// Some jobs that come after others have to begin soon after these have ended, or not at all.
void Chaos::limit_starts() {
  for (Job& job : files_)
    if (!job.details->after.empty() && tails_.below(3) == 0)
      job.start_deadline = Millis(3000 + static_cast<std::int64_t>(tails_.below(40'000)));
  Job* const first = file_of("first");
  if (!first) return;
  first->details.edit().queue_limit = 1 + static_cast<int>(variables_.below(4));
  if (variables_.below(2) == 0) file_of("second")->concurrency = Concurrency::queue;
}

bool Chaos::catches_up_nothing(const std::string& job) const {
  return std::any_of(files_.begin(), files_.end(), [&](const Job& file) {
    return file.name == common_name(job) && (file.misfire == Misfire::skip || file.start_deadline < 3s);
  });
}

bool Chaos::comes_after(const std::string& job) const {
  return std::any_of(files_.begin(), files_.end(),
                     [&](const Job& one) { return one.name == job && !one.details->after.empty(); });
}

std::optional<Job> Chaos::linked(Job job, const std::string& without) const {
  if (job.details->after.empty()) return job;
  for (const std::string& name : job.details->after) {
    const auto file = std::find_if(files_.begin(), files_.end(), [&](const Job& one) { return one.name == name; });
    const bool is_first = name == job.details->after.front() && job.details->has_slots_of_first;
    if (name == without) {
      if (is_first) job.schedule.clear();
      continue;
    }
    const auto parent = linked(*file, without);
    if (!parent || parent->group != job.group) return std::nullopt;
    if (!is_first) continue;
    job.schedule = parent->schedule;
    job.timezone = parent->timezone;
    if (!parent->enabled) job.schedule.clear();
  }
  return job;
}

/// In half of the seeds, of half of the jobs: times that some of their runs keep, and others do not.
void Chaos::expect(Job& job) {
  const auto time = [this](std::uint64_t least, std::uint64_t most) {
    return expected_.below(2) == 0 ? Millis(0) : Millis(static_cast<std::int64_t>(least + expected_.below(most)));
  };
  Expectations& expects = job.details.edit().expects.edit();
  const std::uint64_t longest = expected_.below(2) == 0 ? 5'000 : 60'000;
  expects.expect_within = time(500, longest);
  expects.expect_success = time(20'000, 300'000);
  expects.late_after = job.schedule.empty() ? Millis(0) : time(100, 20'000);
}

/// Some runs take exactly as long as they may.
void Chaos::keep_expected(SimNode& node) {
  for (const Job& job : files_) {
    const Millis within = job.details->expects->expect_within;
    const auto takes = node.takes.find(job.name);
    if (takes != node.takes.end() && within > Millis(0) && variables_.below(2) == 0)
      takes->second = std::min(takes->second, within);
  }
}

/// Some minutes after life has begun its zone has midnight, and one of the two days, or both, is not allowed.
void Chaos::add_job_with_calendars() {
  using namespace std::chrono;
  if (zone_.empty()) world_.run_for(hours(1) - seconds(60 + static_cast<int>(days_.below(500))));
  const auto midnight = ceil<hours>(world_.wall() + seconds(30));
  const auto hour = (midnight - floor<days>(midnight)) / hours(1);
  day_ = local_days(floor<days>(midnight).time_since_epoch() + days(hour > 12 ? 1 : 0));
  Job job;
  job.name = "chosen";
  job.group = groups[days_.below(3)];
  job.timezone = hour <= 12 ? "Etc/GMT+" + std::to_string(hour) : "Etc/GMT-" + std::to_string(24 - hour);
  // Of both days, of the first or of the second; by elapsed time, or by the wall clock.
  const year_month_day first(day_ - days(1)), second(day_);
  const auto date = [](year_month_day of) {
    return std::to_string(static_cast<unsigned>(of.day())) + " " + std::to_string(static_cast<unsigned>(of.month()));
  };
  const std::string dates[] = {"* *", "* *", date(first), date(second)};
  const std::string times = days_.below(2) == 0 ? "*/20 * * " : "*/30 * 0,1,22,23 ";
  job.schedule = {times + dates[days_.below(std::size(dates))] + " *"};
  job.start_deadline = some(5s, 5min);
  constexpr Misfire misfires[] = {Misfire::latest, Misfire::all, Misfire::skip};
  job.misfire = misfires[days_.below(std::size(misfires))];
  job.details.edit().days = any_rule();
  if (job.details->days->find("shift") == std::string::npos && days_.below(4) == 0) job.schedule = {"@every 25s"};
  files_.push_back(std::move(job));
}

/// Of the days before and after midnight. A rule without a shift stays one, as `@every` has none.
std::string Chaos::any_rule() {
  using schedule::text_of;
  using std::chrono::days;
  const std::string first = text_of(day_ - days(1)), second = text_of(day_), third = text_of(day_ + days(1));
  const std::string rules[] = {"except holidays=" + second,
                               "except holidays=" + first,
                               "only work=" + first,
                               "except holidays=" + first + ".." + third,
                               "except holidays=" + first + " shift=next",
                               "except holidays=" + second + " shift=previous",
                               "except holidays=" + second + " only work=" + first + "," + third + " shift=next",
                               "only work=" + text_of(day_ - days(400)) + " shift=next",
                               "except holidays=" + second + ".." + third + " shift=next"};
  const bool stays = std::any_of(files_.begin(), files_.end(), [](const Job& job) {
    return job.name == "chosen" && job.details->days->find("shift") == std::string::npos;
  });
  return rules[days_.below(stays ? 4 : std::size(rules))];
}

void Chaos::habits(SimNode& node) {
  node.takes["minutely"] = some(100ms, 90s);
  node.takes["fast"] = some(100ms, 15s);
  node.takes["all"] = some(1s, 10s);
  node.takes["finishes"] = some(1s, 4min);
  node.takes["stubborn"] = some(1s, 2min);
  node.takes["hand"] = some(100ms, 20s);
  node.takes["queues"] = some(1s, 25s);
  node.takes["replaces"] = some(1s, 2min);
  node.takes["allows"] = some(1s, 1min);
  for (const char* const name : {"load", "join", "report", "own", "first", "second", "third"})
    node.takes[name] = Millis(100 + static_cast<std::int64_t>(chains_.below(30'000)));
  for (const char* const name : {"load", "first", "second"})
    if (chains_.below(4) == 0) node.exits[name] = 1;
  node.takes["held"] = 1s;
  node.takes["tail"] = Millis(100 + static_cast<std::int64_t>(tails_.below(60'000)));
  node.takes["again"] = some(1s, 20s);
  node.takes[instance_name("trims", node.name)] = some(100ms, 80s);
  node.takes[instance_name("rotates", node.name)] = some(1s, 1min);
  node.takes["chosen"] = some(100ms, 15s);
  node.exits["skips"] = 3;
  if (one_in(2)) node.exits["hand"] = 1;
  node.runner.habits.stubborn = {"stubborn"};
  if (one_in(2)) node.gathers = some(1ms, 50ms);
  node.most_writes = one_in(2) ? 1 + below(3) : 5000;
  if (one_in(2)) node.runner.habits.stubborn.insert("fast");
  if (one_in(2)) node.runner.habits.stubborn.insert("minutely");
}

/// Of a group without a setting: all nodes are.
bool Chaos::has_instance(const SimNode& node, const Job& job) const {
  const auto settings =
      std::find_if(elections_.begin(), elections_.end(), [&](const Group& group) { return group.name == job.group; });
  return settings == elections_.end() || may_lead(*settings, node.name);
}

void Chaos::equip(SimNode& node, const std::string& without) {
  node.jobs.clear();
  node.groups = elections_;
  for (const Job& job : files_) {
    if (job.name == without) continue;
    const auto as_made = linked(job, without);
    if (!as_made) continue;
    if (job.run_on == RunOn::leader)
      node.jobs.push_back(define(*as_made));
    else if (has_instance(node, job))
      node.jobs.push_back(define_on(node.name, job));
  }
  for (const Group& group : elections_) {
    if (group.max_running == 0) continue;
    Group own;
    own.name = instance_name(group.name, node.name);
    own.max_running = world_.oracle.group_limits[own.name] = group.max_running;
    node.groups.push_back(std::move(own));
  }
}

std::vector<Job> Chaos::jobs() const {
  std::vector<Job> all;
  for (const Job& job : files_) {
    if (const auto as_made = linked(job, ""); as_made && job.run_on == RunOn::leader) all.push_back(*as_made);
    for (const auto& node : world_.nodes)
      if (job.run_on == RunOn::each && has_instance(*node, job)) all.push_back(define_on(node->name, job)->job);
  }
  return all;
}

Job* Chaos::file_of(const std::string& job) {
  const auto file = std::find_if(files_.begin(), files_.end(), [&](const Job& one) { return one.name == job; });
  return file == files_.end() ? nullptr : &*file;
}

/// Of one that runs on each node, the instance of any that has one.
std::string Chaos::any_job() {
  const Job& job = files_[below(files_.size())];
  std::vector<std::string> names;
  for (const Job& one : jobs())
    if (common_name(one.name) == job.name) names.push_back(one.name);
  return names.empty() ? job.name : names[below(names.size())];
}

std::string Chaos::any_group() {
  const std::string group = groups[below(3)];
  return one_in(4) ? instance_name(group, world_.nodes[below(world_.nodes.size())]->name) : group;
}

std::set<std::string> Chaos::groups_in_force() const {
  std::set<std::string> all;
  for (const Job& job : files_) all.insert(job.group);
  for (const Job& job : jobs()) all.insert(job.group);
  for (const Group& one : elections_) all.insert(one.name);
  return all;
}

std::string Chaos::register_of(const std::string& job) const {
  const core::JobRegister* known = world_.oracle.job_register(job);
  return known ? core::to_text(*known) : "";
}

Millis Chaos::longest_run(const std::string& job) const {
  Millis longest{1000};
  for (const auto& node : world_.nodes)
    if (const auto takes = node->takes.find(job); takes != node->takes.end())
      longest = std::max(longest, takes->second);
  return longest;
}

/// How far a cursor may lag: slots may wait in a queue up to their start deadline, and for the runs of other jobs.
Millis Chaos::patience(const Job& job) const {
  const bool waits = is_limited() || job.concurrency != Concurrency::skip || job.misfire == Misfire::all;
  Millis patience = 2min + 10s + (waits ? job.start_deadline : Millis(0));
  for (const std::string& name : job.details->after)
    for (const Job& parent : files_)
      if (parent.name == name) patience += this->patience(parent) + longest_run(name);
  return patience;
}

}  // namespace ballot
