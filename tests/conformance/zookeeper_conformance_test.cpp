// The conformance suite on the plugin zookeeper as it is shipped, against real servers: BALLOT_ZOOKEEPER_SERVERS says
// how many there are; once with every candidate in this process, once with each in its own.
#include "conformance/backend_conformance.hpp"
#include "conformance/zookeeper_cluster.hpp"

namespace ballot::conformance {
namespace {

/// One for all tests of the program; ends with it.
testing::ZookeeperEnsemble& ensemble() {
  static testing::ZookeeperEnsemble store(BALLOT_ZOOKEEPER_SERVERS);
  return store;
}

INSTANTIATE_TEST_SUITE_P(
    Zookeeper, BackendConformance,
    ::testing::Values(BackendUnderTest{"one_process", [] { return std::make_unique<ZookeeperCluster>(ensemble()); }},
                      BackendUnderTest{"processes", [] { return std::make_unique<ZookeeperProcesses>(ensemble()); }}),
    name_of);

}  // namespace
}  // namespace ballot::conformance
