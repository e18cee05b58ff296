#include "core/notify.hpp"

namespace ballot::core {

bool is_notified(const schedule::DefinitionPtr& definition) {
  if (!definition) return false;
  const JobDetails& d = *definition->job.details;
  // The hooks of what is expected are told beside: see job/expect.
  return !d.on_failure.empty() || !d.on_recovery.empty() || !d.on_missed.empty() || !d.mail_to.empty() ||
         !d.ping_url.empty();
}

bool is_failure(const Row& row) {
  switch (row.status) {
    case Status::failed:
    case Status::timed_out:
    case Status::lost: return true;
    case Status::killed: return row.reason == Reason::leadership_lost;
    default: return false;
  }
}

}  // namespace ballot::core
