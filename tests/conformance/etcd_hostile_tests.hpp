// The plugin etcd where one of its servers sends what fills memory. Included by etcd_conformance_test.cpp.
#pragma once

#include "conformance/etcd_fault_tests.hpp"
#include "support/process/peak_memory.hpp"
#include "support/servers/hostile_http.hpp"

namespace ballot::conformance {

class EtcdHostile : public Etcd {};

TEST_P(EtcdHostile, AHostileServerFillsNoMemoryAndTheOtherOneIsUsed) {
  TempFolder state;
  testing::HttpGate gate(store()[0].port());
  Candidate& a =
      add_with("a", {{"servers", std::vector<std::string>{gate.address(), store()[0].address()}}}, state.path());
  const testing::PeakMemory peak;
  for (const testing::HostileAnswer& attack : testing::hostile_answers()) {
    if (attack.name.find("refusal") != std::string::npos) continue;  // a server may refuse who asks
    SCOPED_TRACE(attack.name);
    gate.harm(attack.send);
    if (a.generation == 0 || a.closed()) open(a);
    EXPECT_TRUE(opened(a)) << (a.closed() ? a.closed()->text : "no answer");
    a.backend->campaign("g");
    EXPECT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
    // What is under way at that server, the stream of changes among it, ends.
    gate.harm(nullptr);
    until([] { return false; }, timeout() / 4);
  }
  for (const std::string& line : a.events.logged()) EXPECT_LT(line.size(), 1500u) << line.substr(0, 200);
  EXPECT_TRUE(!testing::PeakMemory::can_tell || peak.mib_over_rest() < 64) << peak.mib_over_rest() << " MiB";
}

}  // namespace ballot::conformance
