// Servers that have space for nothing more. Included by nats_conformance_test.cpp.
#pragma once

#include "conformance/nats_fault_tests.hpp"

namespace ballot::conformance {

class NatsSpace : public Nats {
 protected:
  /// Leads, and writes until it is refused, less and less. What it was answered last.
  WriteAnswer fill(Candidate& a) {
    open(a);
    EXPECT_TRUE(opened(a));
    a.backend->campaign("g");
    EXPECT_TRUE(leads(a, "g", slack()));
    WriteAnswer last;
    int next = 0;
    for (const std::size_t size : {8000U, 500U, 1U}) {
      bool is_refused = false;
      for (int i = 0; i < 300 && !is_refused && a.leads("g"); ++i) {
        last = write(a, {"g", *a.leads("g"), "j/" + std::to_string(++next), std::string(size, 'x'), 0});
        is_refused = last.outcome == StoreResult::failed;
      }
    }
    return last;
  }

  testing::NatsCluster small_{1, {.space = "1MB"}};
  const Options options_{{"servers", small_.addresses()}};
};

TEST_P(NatsSpace, ServersWithoutAnyRefuseAWriteAndSayWhatToDo) {
  const WriteAnswer last = fill(add_with("a", options_));
  EXPECT_EQ(last.outcome, StoreResult::failed);
  EXPECT_NE(last.text.find("raise max_file_store"), std::string::npos) << last.text;
}

TEST_P(NatsSpace, ServersWithoutAnyRefuseASessionAndAreNotSaidToBeOutOfReach) {
  fill(add_with("a", options_));
  Candidate& b = add_with("b", options_);
  open(b);
  EXPECT_FALSE(opened(b));
  ASSERT_TRUE(b.closed());
  EXPECT_TRUE(b.closed()->refuses_writes);
  EXPECT_NE(b.closed()->text.find("raise max_file_store"), std::string::npos) << b.closed()->text;
  EXPECT_EQ(b.closed()->text.find("reached"), std::string::npos) << b.closed()->text;
}

}  // namespace ballot::conformance
