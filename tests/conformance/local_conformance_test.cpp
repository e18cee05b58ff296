// The conformance suite on the local plugin as it is shipped: the shared object, loaded; once with every candidate in
// this process, once with each in its own, which can then be killed and stopped.
#include "conformance/backend_fixture.hpp"
#include "conformance/local_cluster.hpp"

namespace ballot::conformance {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Local, BackendConformance,
    ::testing::Values(BackendUnderTest{"one_process", [] { return std::make_unique<LocalCluster>(); }},
                      BackendUnderTest{"processes", [] { return std::make_unique<LocalProcesses>(); }}),
    name_of);

}  // namespace
}  // namespace ballot::conformance
