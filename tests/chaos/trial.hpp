// Trial: what one scenario is tried with: a backend, a seed that decides what may vary, and the backend's store, which
// is opened when it is asked for. What must be true and is not ends the trial with a Failure.
//
//   void a_killed_leader(Trial& trial) {
//     Daemons daemons(trial, {.nodes = {"n1", "n2"}});
//     std::this_thread::sleep_for(trial.between(Millis(0), Millis(900)));
//     daemons["n1"].kill();
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/random.hpp"
#include "chaos/stores/store.hpp"

namespace ballot::chaos {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw Failure("not true: " + what);
}

struct Trial {
  Trial(const Backend& on, std::uint64_t seed, bool is_long)
      : backend(on), random(seed), long_form(is_long), branches_(seed) {}

  /// The same one each time; the first one who asks says how it is set up.
  Store& store(const StoreSettings& settings = {}) {
    if (!store_) store_ = backend.open(settings);
    return *store_;
  }
  bool on_network() const { return backend.name != "local"; }
  /// One that the backend can grant.
  Millis timeout(Millis wanted) const { return std::max(wanted, backend.shortest_timeout); }

  Millis between(Millis from, Millis to) {
    return from + Millis(random.below(static_cast<std::uint64_t>((to - from).count()) + 1));
  }
  /// What a scenario can do in several ways: as many consecutive seeds go all of them.
  template <typename T>
  const T& branch(const std::vector<T>& ways) {
    const auto taken = static_cast<std::size_t>(branches_ % ways.size());
    branches_ /= ways.size();
    return ways[taken];
  }
  template <typename T>
  const T& one_of(const std::vector<T>& all) {
    return all[random.below(all.size())];
  }

  const Backend& backend;
  Random random;
  const bool long_form;  // ten minutes instead of one, a minute instead of seconds
  int tries = 20;        // of each figure
  int kills = 100;       // and stalls, of `kills`
  int group_jobs = 1;    // of each of ten thousand groups
  int fleets = 0;        // so many so far, each with a namespace of its own

 private:
  std::unique_ptr<Store> store_;
  std::uint64_t branches_;  // that the seed has not decided yet
};

}  // namespace ballot::chaos
