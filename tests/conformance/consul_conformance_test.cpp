// The conformance suite on the plugin consul as it is shipped, against real servers: BALLOT_CONSUL_SERVERS says how
// many there are; of more than one, each candidate speaks to a client agent. Once with every candidate in this process,
// once with each in its own.
#include "conformance/backend_fixture.hpp"
#include "conformance/consul_cluster.hpp"

namespace ballot::conformance {
namespace {

/// One for all tests of the program; ends with it.
testing::ConsulCluster& store() {
  static testing::ConsulCluster one(BALLOT_CONSUL_SERVERS, BALLOT_CONSUL_SERVERS == 1 ? 0 : 3);
  return one;
}

const BackendUnderTest one_process{"one_process", [] { return std::make_unique<ConsulNodes>(store()); }};
const BackendUnderTest processes{"processes", [] { return std::make_unique<ConsulProcesses>(store()); }};

#if BALLOT_CONSUL_SERVERS == 1
INSTANTIATE_TEST_SUITE_P(Consul, BackendConformance, ::testing::Values(one_process, processes), name_of);
#else
INSTANTIATE_TEST_SUITE_P(Consul, BackendConformance, ::testing::Values(processes), name_of);
#endif

}  // namespace
}  // namespace ballot::conformance
