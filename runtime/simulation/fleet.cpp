#include "simulation/fleet.hpp"

#include "base/instance.hpp"

namespace ballot::simulation {

const Millis* RunTimes::find(std::string_view job) const {
  auto found = known.find(job);
  if (found == known.end() && is_instance(job)) found = known.find(common_name(job));
  return found == known.end() ? nullptr : &found->second;
}

}  // namespace ballot::simulation
