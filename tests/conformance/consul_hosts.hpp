// Consul as hosts see it: one server, and two hosts with an agent each, which all tests of the program share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "conformance/backend_fixture.hpp"
#include "conformance/consul_cluster.hpp"

namespace ballot::conformance {

inline testing::ConsulCluster& consul_store() {
  static testing::ConsulCluster one(1, 2);
  return one;
}

inline BackendUnderTest consul_hosts() {
  return {"hosts", [] { return std::make_unique<ConsulNodes>(consul_store()); }};
}

class Consul : public BackendConformance {
 protected:
  /// A test that has failed leaves nothing stopped for the next.
  void TearDown() override {
    cluster().store().start();
    BackendConformance::TearDown();
  }

  ConsulNodes& cluster() { return static_cast<ConsulNodes&>(*cluster_); }
  std::string path(const std::string& below) { return cluster().path(below); }
  testing::ConsulAgent& server() { return cluster().store().server(0); }
  testing::ConsulAgent& agent_of(const Candidate& one) { return cluster().agent_of(one.node); }

  Candidate& add_with(const std::string& node, Options options) {
    Candidate& candidate = candidates_.emplace_back(node, cluster_->signal);
    options.emplace("address", cluster().relay(node).address());
    candidate.backend = cluster().make_with(node, "test", options, cluster().folder().path(), candidate.events);
    return candidate;
  }
  /// Of the check that the node's session is bound to.
  std::string check_of(const Candidate& one) {
    const std::string found = agent_of(one).ask("GET", "/v1/session/info/" + cluster().session(one.node)).body;
    const auto begin = found.find("\"ID\":\"ballot-") + 6;
    return found.substr(begin, found.find('"', begin) - begin);
  }
};

}  // namespace ballot::conformance
