// Linked with tests that are written for any backend: their daemons have a real ZooKeeper server, and a path each.
#include "support/process/ballot_daemon.hpp"
#include "support/servers/zookeeper_place.hpp"

namespace ballot::testing {
namespace {

const bool chosen = [] {
  BallotDaemon::backend = [] {
    std::string text = ZookeeperPlace().config(Millis(3000));
    return text.insert(text.find('\n') + 1, "namespace = \"t\"\n");
  };
  return true;
}();

}  // namespace
}  // namespace ballot::testing
