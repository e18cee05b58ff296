// The conformance suite on the plugin nats as it is shipped, against real servers: BALLOT_NATS_SERVERS says how many
// there are. Once with every candidate in this process, once with each in its own.
#include "conformance/backend_fixture.hpp"
#include "conformance/nats_cluster.hpp"
#include "conformance/nats_fault_tests.hpp"
#include "conformance/nats_space_tests.hpp"

namespace ballot::conformance {
namespace {

/// One for all tests of the program; ends with it.
testing::NatsCluster& servers() {
  static testing::NatsCluster store(BALLOT_NATS_SERVERS);
  return store;
}

const BackendUnderTest one_process{"one_process", [] { return std::make_unique<NatsCandidates>(servers()); }};
const BackendUnderTest processes{"processes", [] { return std::make_unique<NatsProcesses>(servers()); }};

#if BALLOT_NATS_SERVERS == 1
INSTANTIATE_TEST_SUITE_P(Nats, BackendConformance, ::testing::Values(one_process, processes), name_of);
#else
INSTANTIATE_TEST_SUITE_P(Nats, BackendConformance, ::testing::Values(processes), name_of);
#endif
INSTANTIATE_TEST_SUITE_P(Faults, Nats, ::testing::Values(one_process), name_of);
INSTANTIATE_TEST_SUITE_P(Faults, NatsSpace, ::testing::Values(one_process), name_of);

}  // namespace
}  // namespace ballot::conformance
