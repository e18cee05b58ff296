// The conformance suite on the plugin postgresql and a real server.
#include "conformance/history_fixture.hpp"
#include "conformance/postgres_cluster.hpp"

namespace ballot::conformance {
namespace {

const HistoryUnderTest postgresql{"postgresql", [] { return std::make_unique<PostgresStore>(); }};

INSTANTIATE_TEST_SUITE_P(PostgreSQL, HistoryConformance, ::testing::Values(postgresql), history_name_of);
INSTANTIATE_TEST_SUITE_P(PostgreSQL, HistoryReading, ::testing::Values(postgresql), history_name_of);

}  // namespace
}  // namespace ballot::conformance
