// The conformance suite on the plugin zookeeper as it is shipped, against real servers: BALLOT_ZOOKEEPER_SERVERS says
// how many there are. Once with every candidate in this process, once with each in its own.
#include "conformance/backend_fixture.hpp"
#include "conformance/zookeeper_cluster.hpp"
#include "conformance/zookeeper_fault_tests.hpp"
#include "conformance/zookeeper_session_tests.hpp"

/// Asked by the leak checker: ZooKeeper's C client loses a few bytes of its own when it is closed while it is cut off.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:libzookeeper_mt"; }

namespace ballot::conformance {
namespace {

/// One for all tests of the program; ends with it.
testing::ZookeeperEnsemble& ensemble() {
  // A session that outlasts the start of a server, on a busy machine.
  static testing::ZookeeperEnsemble store(BALLOT_ZOOKEEPER_SERVERS, {.more = "maxSessionTimeout=10000\n"});
  return store;
}

const BackendUnderTest one_process{"one_process", [] { return std::make_unique<ZookeeperCluster>(ensemble()); }};
const BackendUnderTest processes{"processes", [] { return std::make_unique<ZookeeperProcesses>(ensemble()); }};

#if BALLOT_ZOOKEEPER_SERVERS == 1
INSTANTIATE_TEST_SUITE_P(Zookeeper, BackendConformance, ::testing::Values(one_process, processes), name_of);
#else
INSTANTIATE_TEST_SUITE_P(Zookeeper, BackendConformance, ::testing::Values(processes), name_of);
#endif
INSTANTIATE_TEST_SUITE_P(Faults, Zookeeper, ::testing::Values(one_process), name_of);
INSTANTIATE_TEST_SUITE_P(Sessions, ZookeeperSessions, ::testing::Values(one_process), name_of);

}  // namespace
}  // namespace ballot::conformance
