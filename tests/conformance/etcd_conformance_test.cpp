// The conformance suite on the plugin etcd as it is shipped, against real servers: BALLOT_ETCD_SERVERS says how many
// there are. Once with every candidate in this process, once with each in its own.
#include "conformance/backend_fixture.hpp"
#include "conformance/etcd_access_tests.hpp"
#include "conformance/etcd_cluster.hpp"
#include "conformance/etcd_fault_tests.hpp"
#include "conformance/etcd_hostile_tests.hpp"

namespace ballot::conformance {
namespace {

/// One for all tests of the program; ends with it.
testing::EtcdCluster& cluster() {
  static testing::EtcdCluster store(BALLOT_ETCD_SERVERS, {.relayed = BALLOT_ETCD_SERVERS > 1});
  return store;
}

const BackendUnderTest one_process{"one_process", [] { return std::make_unique<EtcdCandidates>(cluster()); }};
const BackendUnderTest processes{"processes", [] { return std::make_unique<EtcdProcesses>(cluster()); }};

#if BALLOT_ETCD_SERVERS == 1
INSTANTIATE_TEST_SUITE_P(Etcd, BackendConformance, ::testing::Values(one_process, processes), name_of);
#else
INSTANTIATE_TEST_SUITE_P(Etcd, BackendConformance, ::testing::Values(processes), name_of);
#endif
INSTANTIATE_TEST_SUITE_P(Faults, Etcd, ::testing::Values(one_process), name_of);
#if BALLOT_ETCD_SERVERS == 1
INSTANTIATE_TEST_SUITE_P(Hostile, EtcdHostile, ::testing::Values(one_process), name_of);
INSTANTIATE_TEST_SUITE_P(Access, EtcdAccess, ::testing::Values(one_process), name_of);
#else
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EtcdAccess);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EtcdHostile);
#endif

}  // namespace
}  // namespace ballot::conformance
