#include "library/host_events.hpp"

namespace ballot::library {

void HostEvents::begin_leadership(const Leadership& leads) {
  if (leads_.begin(leads.group, leads.epoch)) tell(elected_, leads);
}

void HostEvents::end_leaderships(const std::string& group, SteadyTime until) {
  for (const auto& [name, epoch] : leads_.end_all(group)) tell(lost_, Leadership{name, epoch, until});
}

void HostEvents::tell_ended(const Result<void>& ended) {
  if (ended_.get()) thread_.post_last(call_of(ended_, ended));
}

std::shared_ptr<const JobFunction> HostEvents::called(JobFunction function) const {
  return std::make_shared<const JobFunction>(
      [runtime = runtime_, is_abandoned = is_abandoned_, function = std::move(function)](const RunFacts& run,
                                                                                         std::stop_token stop) {
        if (*is_abandoned) return JobResult::retry("not called: its runtime has been left to itself");
        const HostCall call(runtime);
        return function(run, std::move(stop));
      });
}

void HostEvents::abandon() {
  *is_abandoned_ = true;
  leads_.close();
}

}  // namespace ballot::library
