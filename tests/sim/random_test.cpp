// Random life, one seed after the other. A failure prints its seed and the last events; `simulation --seed N`, or
// BALLOT_SEED=N in the environment, replays it; BALLOT_SEEDS=N runs those up to N, BALLOT_FIRST_SEED=N begins there;
// BALLOT_TRACE=1 prints every event.
#include <gtest/gtest.h>

#include <cstdlib>

#include "sim/chaos.hpp"

namespace ballot {
namespace {

constexpr std::uint64_t shards = 8;  // so that they can run beside each other

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void run_seed(std::uint64_t seed, Capability of_store) {
  Chaos chaos(seed, of_store);
  if (std::getenv("BALLOT_TRACE")) chaos.trace();
  const std::string what = chaos.run();
  ASSERT_EQ(what, "") << "seed " << seed << " (" << chaos.story() << "); `simulation --seed " << seed << "` replays it";
}

/// The seeds that belong to a shard; one alone where that is asked for.
struct Random : ::testing::TestWithParam<std::uint64_t> {
  void run_seeds(std::uint64_t last, Capability of_store) {
    const std::uint64_t one = from_environment("BALLOT_SEED", 0);
    const std::uint64_t first = one ? one : from_environment("BALLOT_FIRST_SEED", 1);
    for (std::uint64_t seed = first; seed <= (one ? one : last) && !HasFatalFailure(); ++seed)
      if (seed % shards == GetParam()) run_seed(seed, of_store);
  }
};

// S24 sim
TEST_P(Random, FaultsBreakNoPromise) { run_seeds(from_environment("BALLOT_SEEDS", 200), Capability::fenced); }

/// Where the store compares versions alone, the term that writes a register first shuts out those before it.
TEST_P(Random, FaultsBreakNoPromiseOnAStoreThatDoesNotKnowTerms) {
  run_seeds(from_environment("BALLOT_SEEDS", 200) / 5, Capability::sealed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Random, ::testing::Range(std::uint64_t{0}, shards));

}  // namespace
}  // namespace ballot
