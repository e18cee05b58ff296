#include "support/sim/sim_loop.hpp"

namespace ballot {

Millis SimLoop::between(Millis low, Millis high) {
  if (high <= low) return low;
  return low + Millis(random_.below(static_cast<std::uint64_t>((high - low).count()) + 1));
}

bool SimLoop::chance(unsigned in_1000) {
  if (in_1000 == 0) return false;
  return in_1000 >= 1000 || random_.below(1000) < in_1000;
}

bool SimLoop::run_while_not(const std::function<bool()>& done, Millis limit) {
  const SteadyTime end = now() + limit;
  while (!done()) {
    const auto next = next_at();
    if (!next || *next > end) {
      run_until(end);
      return done();
    }
    run_next();
  }
  return true;
}

}  // namespace ballot
