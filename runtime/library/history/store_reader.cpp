#include "library/history/store_reader.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/instance.hpp"
#include "core/record/register.hpp"
#include "core/views.hpp"
#include "io/clocks.hpp"
#include "library/history/awaited.hpp"

namespace ballot::library {
namespace {

constexpr Millis lifetime{1000};

using Shown = Result<StoreShows>;

Error store_says_nothing() { return {Errc::unavailable, "the store does not answer"}; }

/// The jobs to be read.
std::vector<std::string> unanswered(const StoreQuestion& asked, const core::Views& views, const std::string& node) {
  std::set<std::string> named(asked.jobs.begin(), asked.jobs.end()), jobs;
  views.visit_owners([&](const std::string& job, const std::string& group) {
    const bool is_named = named.erase(job) > 0;
    if (!asked.known.contains(group) && (is_named || asked.jobs.empty())) jobs.insert(job);
    if (!asked.jobs.empty() || node_of_instance(job) != node) return;
    for (const std::string& other : asked.silent) jobs.insert(instance_name(common_name(job), other));
  });
  for (const std::string& job : named)  // another node's instances, and jobs that no file here defines
    if (!views.find_job({}, job)) jobs.insert(job);
  std::vector<std::string> first;
  for (const std::string& job : jobs)
    if (first.size() < StoreReader::most_registers) first.push_back(job);
  return first;
}

StoreShows shows(std::vector<std::string> jobs, const std::vector<Register>& registers) {
  StoreShows shows;
  shows.jobs = std::move(jobs);
  for (const Register& one : registers) {
    const auto job = core::job_of(one);
    const auto known = core::parse_job_register(one.value);
    if (!job || !known) continue;
    for (Row& row : core::shown_runs(*job, *known)) shows.rows.push_back(std::move(row));
  }
  return shows;
}

/// On the loop.
void begin(Node& node, const StoreQuestion& asked, const std::string& name, Millis within,
           const std::shared_ptr<Awaited<Shown>>& reading) {
  const auto jobs = unanswered(asked, node.core().views(), name);
  if (jobs.empty()) return reading->finish(StoreShows{});
  std::vector<std::string> names;
  for (const std::string& job : jobs) names.push_back(core::job_register(job));
  node.read(std::move(names), within, [=](const io::Engine::Registers& registers) {
    reading->finish(registers ? Shown(shows(jobs, *registers)) : Shown(store_says_nothing()));
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
  const auto reading = std::make_shared<Awaited<Shown>>();
  node_.loop().post([=, name = name_, &node = node_] {
    const auto left = std::chrono::duration_cast<Millis>(until - io::read_clocks().steady);
    begin(node, asked, name, std::max(left, Millis(0)), reading);
  });
  auto shown = reading->wait(until, goes_on);
  return shown ? *std::move(shown) : store_says_nothing();
}

}  // namespace ballot::library
