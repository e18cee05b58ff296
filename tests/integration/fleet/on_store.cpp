// Linked with tests that are written for any backend: their daemons have a real server of the backend that
// BALLOT_TEST_STORE names, and a namespace each.
#include <cstdlib>

#include "support/process/ballot_daemon.hpp"
#include "support/servers/store_place.hpp"

namespace ballot::testing {
namespace {

const bool chosen = [] {
  const char* name = std::getenv("BALLOT_TEST_STORE");
  if (name) BallotDaemon::backend = [store = std::string(name)] { return StorePlace(store).config(Millis(3000)); };
  return true;
}();

}  // namespace
}  // namespace ballot::testing
