#include "simulation/report.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "simulation/outcomes.hpp"

namespace ballot::simulation {

std::string_view to_string(WaitFor what) {
  switch (what) {
    case WaitFor::leader: return "a leader";
    case WaitFor::upstream: return "upstream";
    case WaitFor::own_run: return "its own run";
    case WaitFor::place: return "a place";
  }
  return "";
}

void Waits::add(Millis wait, WallTime slot) {
  ++slots;
  total += wait;
  if (wait > longest) longest = wait, longest_of = slot;
}

void add_outcome(std::vector<Outcome>& to, Status status, Reason reason, std::int64_t slots) {
  const auto place = std::lower_bound(to.begin(), to.end(), std::tuple(status, reason),
                                      [](const Outcome& a, auto b) { return std::tuple(a.status, a.reason) < b; });
  const bool is_known = place != to.end() && place->status == status && place->reason == reason;
  if (!is_known) return void(to.insert(place, {status, reason, slots}));
  place->slots += slots;
  if (place->slots == 0) to.erase(place);
}

}  // namespace ballot::simulation
