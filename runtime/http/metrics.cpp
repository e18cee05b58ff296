#include "http/metrics.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ballot/run.hpp"

namespace ballot::web {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t piece_bytes = 64 << 10;

constexpr Millis lateness_bounds[] = {Millis(10), Millis(50), Millis(100), Millis(250), Millis(500),
                                      seconds(1), seconds(2), seconds(5),  seconds(10), seconds(30),
                                      minutes(1), minutes(5), minutes(15), hours(1)};
constexpr Millis duration_bounds[] = {Millis(10), Millis(100), seconds(1), seconds(5), seconds(15), minutes(1),
                                      minutes(5), minutes(15), hours(1),   hours(4),   hours(12),   hours(24)};
constexpr Millis claim_bounds[] = {Millis(1),   Millis(2),   Millis(5),   Millis(10), Millis(25), Millis(50),
                                   Millis(100), Millis(250), Millis(500), seconds(1), seconds(5), seconds(10)};

/// The words of a degraded node; another one is exported while it is a reason.
constexpr std::string_view degraded_words[] = {"backend", "clock_skew", "config",     "drift",  "halted",  "history",
                                               "http",    "ledger",     "leaderless", "runner", "stopping"};

struct Outcomes {
  Status status;
  Reason first, last;
  bool is_of_attempts = true;
};
/// What may become of a slot, and of an attempt.
constexpr Outcomes outcomes[] = {{Status::succeeded, Reason::none, Reason::none},
                                 {Status::failed, Reason::exit_code, Reason::lost_limit},
                                 {Status::failed, Reason::exception, Reason::permanent},
                                 {Status::timed_out, Reason::deadline, Reason::deadline},
                                 {Status::killed, Reason::operator_, Reason::shutdown},
                                 {Status::lost, Reason::node_died, Reason::evidence_lost},
                                 {Status::skipped, Reason::overlap, Reason::dry_run, false},
                                 {Status::skipped, Reason::calendar, Reason::calendar, false},
                                 {Status::missed, Reason::misfire, Reason::halted, false}};

template <class Enum>
std::vector<Enum> all_between(Enum first, Enum last) {
  std::vector<Enum> all;
  for (auto at = static_cast<std::int32_t>(first); at <= static_cast<std::int32_t>(last); ++at)
    all.push_back(static_cast<Enum>(at));
  return all;
}

/// "0.05", as other programs write a bound.
std::string seconds_text(Millis bound) {
  MetricText text;
  text.seconds("", "", bound);
  const std::string line = text.take();
  std::string number = line.substr(1, line.size() - 2);
  while (number.find('.') != std::string::npos && number.back() == '0') number.pop_back();
  return number;
}

template <class Counter>
void write_counter(MetricText& text, const MetricFamily& family, const Counter& counter) {
  text.begin(family);
  for (const auto& [labels, value] : counter) text.sample(family.name, labels, value);
}

void write_groups(MetricText& text, const std::vector<GroupFigures>& groups, const MetricFamily& family,
                  bool GroupFigures::*what) {
  text.begin(family);
  for (const GroupFigures& group : groups)
    text.sample(family.name, label_text(family, {group.name}), group.*what ? 1 : 0);
}

void write_degraded(MetricText& text, const std::vector<std::string>& words) {
  std::map<std::string, std::uint64_t, std::less<>> shown;
  for (const std::string_view word : degraded_words) shown.emplace(label_text(metric::node_degraded, {word}), 0);
  for (const std::string& word : words) shown[label_text(metric::node_degraded, {word})] = 1;
  write_counter(text, metric::node_degraded, shown);
}

void write_node(MetricText& text, const Figures& figures) {
  write_groups(text, figures.groups, metric::group_leader, &GroupFigures::leads);
  write_groups(text, figures.groups, metric::group_in_doubt, &GroupFigures::in_doubt);
  write_degraded(text, figures.degraded);
  text.begin(metric::oldest_unsent);
  text.seconds(metric::oldest_unsent.name, "", figures.history_waits_since.value_or(WallTime{}).time_since_epoch());
  text.begin(metric::dropped_rows);
  text.sample(metric::dropped_rows.name, "", static_cast<std::uint64_t>(figures.dropped_rows));
  text.begin(metric::spooled_rows);
  text.sample(metric::spooled_rows.name, "", static_cast<std::uint64_t>(figures.spooled_rows));
  text.begin(metric::http_requests);
  for (const auto& [of, count] : figures.requests)
    text.sample(metric::http_requests.name, label_text(metric::http_requests, {of.first, std::to_string(of.second)}),
                count);
}

// ---- by job

using WriteJob = void (*)(MetricText& text, const MetricFamily& family, std::string_view labels, const JobFigures& job);

template <WallTime JobFigures::*what, bool shows_none>
void write_time(MetricText& text, const MetricFamily& family, std::string_view labels, const JobFigures& job) {
  if (shows_none || job.*what != WallTime{}) text.seconds(family.name, labels, (job.*what).time_since_epoch());
}

template <auto what>
void write_number(MetricText& text, const MetricFamily& family, std::string_view labels, const JobFigures& job) {
  text.sample(family.name, labels, job.*what);
}

/// Not there where nothing is expected.
template <auto what>
void write_expected(MetricText& text, const MetricFamily& family, std::string_view labels, const JobFigures& job) {
  if (job.*what != JobFigures::Expected::nothing)
    text.sample(family.name, labels, job.*what == JobFigures::Expected::unmet ? 1 : 0);
}

struct JobFamily {
  const MetricFamily& family;
  WriteJob write;
};
constexpr JobFamily job_families[] = {{metric::last_success, write_time<&JobFigures::last_success, true>},
                                      {metric::previous_slot, write_time<&JobFigures::previous_slot, false>},
                                      {metric::next_slot, write_time<&JobFigures::next_slot, false>},
                                      {metric::job_failing, write_number<&JobFigures::failing>},
                                      {metric::job_paused, write_number<&JobFigures::paused>},
                                      {metric::job_overdue, write_expected<&JobFigures::overdue>},
                                      {metric::job_slow, write_expected<&JobFigures::slow>},
                                      {metric::missed_slots, write_number<&JobFigures::missed>}};

}  // namespace

void JobTable::reserve(std::size_t jobs) {
  constexpr std::size_t label_bytes = 64;  // of most jobs
  labels_.reserve(jobs * label_bytes);
  jobs_.reserve(jobs);
}

void JobTable::add(std::string_view name, std::string_view group, const JobFigures& figures) {
  append_labels(labels_, metric::last_success, {name, group});
  jobs_.push_back({figures, labels_.size()});
}

std::string Exposition::next() {
  if (!counted_.empty()) return std::exchange(counted_, {});
  MetricText text;
  text.reserve(piece_bytes + 1024);
  if (!figures_->by_job) return {};
  for (; family_ < std::size(job_families); ++family_, job_ = 0) {
    const JobFamily& is = job_families[family_];
    if (text.size() >= piece_bytes) return text.take();
    if (job_ == 0) text.begin(is.family);
    while (job_ < figures_->jobs.size()) {
      is.write(text, is.family, figures_->jobs.labels(job_), figures_->jobs.figures(job_));
      ++job_;
      if (text.size() >= piece_bytes) return text.take();
    }
  }
  return text.take();
}

Metrics::Metrics(std::string version)
    : version_(std::move(version)),
      lateness_{metric::start_lateness, lateness_bounds},
      duration_{metric::run_duration, duration_bounds},
      claims_{metric::claim_duration, claim_bounds},
      figures_(std::make_shared<const Figures>()) {}

void Metrics::count(Counter& counter, const std::string& labels, std::uint64_t by) {
  const std::lock_guard lock(mutex_);
  counter[labels] += by;
}

void Metrics::count_slots(std::string_view group, std::string_view status, std::string_view reason,
                          std::uint64_t slots) {
  count(slots_, label_text(metric::slots, {group, status, reason}), slots);
}

void Metrics::count_attempt(std::string_view group, std::string_view status, std::string_view reason) {
  count(attempts_, label_text(metric::attempts, {group, status, reason}), 1);
}

void Metrics::count_election(std::string_view group, std::string_view cause) {
  count(elections_, label_text(metric::elections, {group, cause}), 1);
}

void Metrics::count_unmet(std::string_view group, std::string_view expectation) {
  count(unmet_, label_text(metric::unmet, {group, expectation}), 1);
}

void Metrics::add(Histogram& histogram, std::string_view group, Millis value) {
  const std::lock_guard lock(mutex_);
  histogram.add(group, value);
}

void Metrics::add_start_lateness(std::string_view group, Millis late) { add(lateness_, group, late); }
void Metrics::add_run_duration(std::string_view group, Millis ran) { add(duration_, group, ran); }
void Metrics::add_claim_duration(std::string_view group, Millis took) { add(claims_, group, took); }

Metrics::Buckets& Metrics::Histogram::of(std::string_view group) {
  auto found = series.find(group);
  if (found == series.end()) {
    found = series.emplace(group, Buckets{}).first;
    found->second.counts.resize(bounds.size() + 1);
  }
  return found->second;
}

void Metrics::Histogram::add(std::string_view group, Millis value) {
  Buckets& buckets = of(group);
  const auto bound = std::lower_bound(bounds.begin(), bounds.end(), value);
  ++buckets.counts[static_cast<std::size_t>(bound - bounds.begin())];
  buckets.sum += value;
}

void Metrics::Histogram::write(MetricText& text) const {
  const std::string name(family.name);
  text.begin(family);
  for (const auto& [group, buckets] : series) {
    const std::string labels = label_text(family, {group});
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < buckets.counts.size(); ++i) {
      const std::string bound = i < bounds.size() ? seconds_text(bounds[i]) : "+Inf";
      count += buckets.counts[i];
      text.sample(name + "_bucket", labels + ",le=\"" + bound + "\"", count);
    }
    text.seconds(name + "_sum", labels, buckets.sum);
    text.sample(name + "_count", labels, count);
  }
}

void Metrics::begin_group(const std::string& group) {
  for (const Outcomes& of : outcomes)
    for (const Reason reason : all_between(of.first, of.last)) {
      slots_.try_emplace(label_text(metric::slots, {group, to_string(of.status), to_string(reason)}), 0);
      if (!of.is_of_attempts) continue;
      attempts_.try_emplace(label_text(metric::attempts, {group, to_string(of.status), to_string(reason)}), 0);
    }
  elections_.try_emplace(label_text(metric::elections, {group, "none"}), 0);
  for (const Cause cause : all_between(Cause::resigned, Cause::unfit))
    elections_.try_emplace(label_text(metric::elections, {group, to_string(cause)}), 0);
  for (const std::string_view expectation : {"expect_success", "expect_within", "late_after"})
    unmet_.try_emplace(label_text(metric::unmet, {group, expectation}), 0);
  for (Histogram* histogram : {&lateness_, &duration_, &claims_}) histogram->of(group);
}

void Metrics::publish(Figures figures) {
  auto shared = std::make_shared<const Figures>(std::move(figures));
  const std::lock_guard lock(mutex_);
  for (const GroupFigures& group : shared->groups)
    if (begun_.insert(group.name).second) begin_group(group.name);
  figures_.swap(shared);
}

Exposition Metrics::exposition() const {
  const std::lock_guard lock(mutex_);
  MetricText text;
  write_counter(text, metric::slots, slots_);
  write_counter(text, metric::attempts, attempts_);
  write_counter(text, metric::elections, elections_);
  write_counter(text, metric::unmet, unmet_);
  for (const Histogram* histogram : {&lateness_, &duration_, &claims_}) histogram->write(text);
  write_node(text, *figures_);
  text.begin(metric::build_info);
  text.sample(metric::build_info.name, label_text(metric::build_info, {version_}), 1);
  return {text.take(), figures_};
}

}  // namespace ballot::web
