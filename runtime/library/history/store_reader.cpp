#include "library/history/store_reader.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/instance.hpp"
#include "core/record/register.hpp"
#include "core/views.hpp"
#include "io/clocks.hpp"
#include "library/history/awaited.hpp"

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
      if (!asked_.known.contains(group)) add(job);
      if (node_of_instance(job) == node_) add_instances(job);
    });
    after_ = next.value_or("");
    return next && !has_more_;
  }
  const std::vector<std::string>& jobs() const { return jobs_; }
  bool has_more() const { return has_more_; }

 private:
  /// Other nodes' instances, and jobs that no file here defines, nobody here is known to lead.
  void look_at_named(const core::Views& views) {
    for (const std::string& job : asked_.jobs) {
      const std::string* const group = views.find_owner(job);
      if (!group || !asked_.known.contains(*group)) add(job);
      if (has_more_) return;
    }
  }
  void add_instances(const std::string& job) {
    for (const std::string& other : asked_.silent) {
      if (has_more_) return;
      add(instance_name(common_name(job), other));
    }
  }
  void add(std::string job) {
    if (jobs_.size() == StoreReader::most_registers)
      has_more_ = true;
    else
      jobs_.push_back(std::move(job));
  }

  const StoreQuestion asked_;
  const std::string node_;
  std::string after_;
  std::vector<std::string> jobs_;
  bool has_more_ = false;
};

/// What is read on the loop; what it says is found out on the thread that waits.
struct Registers {
  std::vector<std::string> jobs;
  std::vector<Register> found;
  bool has_more = false;
};
using Found = Result<Registers>;

StoreShows shows(Registers read) {
  StoreShows shows;
  shows.jobs = std::move(read.jobs);
  shows.has_more = read.has_more;
  for (const Register& one : read.found) {
    const auto job = core::job_of(one);
    const auto known = core::parse_job_register(one.value);
    if (!job || !known) continue;
    for (Row& row : core::shown_runs(*job, *known)) shows.rows.push_back(std::move(row));
  }
  return shows;
}

/// On the loop, in as many turns as it takes.
void begin(Node& node, const std::shared_ptr<Unanswered>& asked, SteadyTime until,
           const std::shared_ptr<Awaited<Found>>& reading) {
  if (asked->look_on(node.core().views())) return node.loop().post([=, &node] { begin(node, asked, until, reading); });
  if (asked->jobs().empty()) return reading->finish(Registers{});
  std::vector<std::string> names;
  for (const std::string& job : asked->jobs()) names.push_back(core::job_register(job));
  const auto left = std::chrono::duration_cast<Millis>(until - io::read_clocks().steady);
  node.read(std::move(names), std::max(left, Millis(0)), [=](const io::Engine::Registers& registers) {
    reading->finish(registers ? Found(Registers{asked->jobs(), *registers, asked->has_more()})
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
