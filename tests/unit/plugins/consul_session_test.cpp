// What a session of the plugin consul asks its agent for, by an agent that says yes to all.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "consul/session.hpp"
#include "support/clock.hpp"
#include "support/servers/http_peer.hpp"

namespace ballot::consul {
namespace {

using support::KeyAnswer;
using support::SessionBegun;
using testing::HttpPeer;

class ConsulSession : public ::testing::Test {
 protected:
  template <class Answer, class Ask>
  std::optional<Answer> answered(const Ask& ask) {
    std::optional<Answer> answer;
    ask([&](const Answer& one) { answer = one; });
    for (const SteadyTime end = support::boot_now() + Millis(10'000); !answer && support::boot_now() < end;) {
      wakeup_->wait(end);
      agent_.receive();
    }
    return answer;
  }
  void begin() {
    const auto begun = answered<SessionBegun>([&](const auto& done) { session_.begin(Millis(20'000), {}, done); });
    ASSERT_TRUE(begun);
    EXPECT_EQ(begun->how, SessionBegun::How::begun) << begun->text;
  }
  /// The last part of the path of each request of that kind.
  std::vector<std::string> checks_of(const std::string& request) const {
    std::vector<std::string> checks;
    for (const std::string& one : peer_.asked())
      if (one.starts_with(request)) checks.push_back(one.substr(request.size()));
    return checks;
  }

  HttpPeer peer_{[](HttpPeer::Talk& talk) { talk.answer(200, R"({"ID":"session"})"); }};
  const std::shared_ptr<support::Wakeup> wakeup_ = std::make_shared<support::Wakeup>();
  Agent agent_{{.servers = {{"127.0.0.1", std::to_string(peer_.port())}}}, wakeup_, "", [] {}};
  const KeyPaths paths_{"b/"};
  Session session_{agent_, paths_, "n"};
};

TEST_F(ConsulSession, HasACheckThatNoSessionBeforeItHad) {
  for (int i = 0; i < 2; ++i) {
    begin();
    ASSERT_TRUE(answered<KeyAnswer>([&](const auto& done) { session_.renew(done); }));
    ASSERT_TRUE(answered<KeyAnswer>([&](const auto& done) { session_.end(done); }));
  }
  const auto passed = checks_of("PUT /v1/agent/check/pass/"), removed = checks_of("PUT /v1/agent/service/deregister/");
  ASSERT_EQ(passed.size(), 2u);
  EXPECT_NE(passed[0], passed[1]);
  EXPECT_EQ(removed, passed);
}

TEST_F(ConsulSession, ThatHasEndedHasNoCheckToBeRemovedAgain) {
  begin();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(answered<KeyAnswer>([&](const auto& done) { session_.end(done); }));
  EXPECT_EQ(checks_of("PUT /v1/agent/service/deregister/").size(), 1u);
}

}  // namespace
}  // namespace ballot::consul
