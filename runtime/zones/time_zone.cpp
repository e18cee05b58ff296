#include "zones/time_zone.hpp"

#include "base/quoted.hpp"
#include "zones/zone_files.hpp"
#include "zones/zone_names.hpp"

namespace ballot::zones {
namespace {

using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

cctz::time_point<cctz::seconds> to_cctz(sys_seconds at) {
  return cctz::time_point<cctz::seconds>(cctz::seconds(at.time_since_epoch().count()));
}
cctz::civil_second to_cctz(local_seconds label) {
  return cctz::civil_second(1970, 1, 1) + label.time_since_epoch().count();
}
sys_seconds from_cctz(cctz::time_point<cctz::seconds> at) {
  return sys_seconds(seconds(at.time_since_epoch().count()));
}
local_seconds from_cctz(const cctz::civil_second& label) {
  return local_seconds(seconds(label - cctz::civil_second(1970, 1, 1)));
}

}  // namespace

Result<TimeZone> TimeZone::load(const std::string& name) {
  cctz::time_zone zone;
  if (is_zone_name(name) && cctz::load_time_zone(zone_load_name(name), &zone)) return TimeZone(zone);
  const auto nearest = nearest_zone_name(name);
  return Error{Errc::not_found, "unknown time zone " + quoted(name) + "; " +
                                    (nearest ? "did you mean " + *nearest + "?"
                                             : "write a name of the IANA database, such as Europe/Paris or UTC")};
}

seconds TimeZone::offset(sys_seconds at) const { return seconds(zone_.lookup(to_cctz(at)).offset); }

TimeZone::Span TimeZone::span(sys_seconds at) const {
  const seconds offset = this->offset(at);
  cctz::time_zone::civil_transition transition;
  while (zone_.next_transition(to_cctz(at), &transition)) {
    at = sys_seconds(from_cctz(transition.from).time_since_epoch() - offset);
    if (transition.from != transition.to) return {offset, at};  // else only its name changes
  }
  return {offset, sys_seconds::max()};
}

TimeZone::Place TimeZone::find(local_seconds label) const {
  using Lookup = cctz::time_zone::civil_lookup;
  const Lookup found = zone_.lookup(to_cctz(label));
  const sys_seconds before = from_cctz(found.pre), change = from_cctz(found.trans), after = from_cctz(found.post);
  switch (found.kind) {
    case Lookup::SKIPPED: return {Place::Kind::skipped, change, change, before - after};
    case Lookup::REPEATED: return {Place::Kind::repeated, before, change, before - after};
    case Lookup::UNIQUE: break;
  }
  return {Place::Kind::once, before, change, seconds(0)};
}

}  // namespace ballot::zones
