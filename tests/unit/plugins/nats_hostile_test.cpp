// Servers of NATS that send what nobody asked for: the process lives, its memory stays, and another server is taken.
#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <utility>

#include "jetstream/client.hpp"
#include "support/bounds.hpp"
#include "support/clock.hpp"
#include "support/process/peak_memory.hpp"
#include "support/servers/hostile_nats.hpp"
#include "support/wakeup.hpp"

namespace ballot::jetstream {
namespace {

namespace bounds = support::bounds;

using testing::HostileNats;
using testing::NatsAttack;
using testing::PeakMemory;
using Kind = Message::Kind;

constexpr std::int64_t most_mib = 64;
constexpr Millis patience{500}, limit{30'000};

/// A client that asks again and again, on the test's thread.
class Asking {
 public:
  explicit Asking(std::vector<std::string> servers)
      : inbox_(std::make_shared<Inbox>(std::make_shared<support::Wakeup>())), client_(inbox_, access_to(servers)) {}

  void connect() { client_.connect({}, patience); }
  /// What makes the connection, or ends it, in order; `message`: nothing has within the limit.
  Kind next() {
    const SteadyTime end = support::boot_now() + limit;
    while (notices_.empty() && support::boot_now() < end) {
      for (Message& message : inbox_->take())
        if (!client_.on(message) && message.kind != Kind::denied) notices_.emplace_back(message.kind, message.to);
      client_.tick(support::boot_now());
      client_.ask(
          {"$JS.API.INFO", "{}"}, [](const Answer& answer) { EXPECT_TRUE(answer.failed()); }, Priority::urgent);
      ::usleep(2000);
    }
    if (notices_.empty()) return Kind::message;
    const auto [kind, why] = notices_.front();
    notices_.pop_front();
    why_ = why;
    return kind;
  }
  const std::string& why() const { return why_; }

 private:
  static Access access_to(std::vector<std::string> servers) {
    Access access;
    access.servers.hosts = std::move(servers);
    return access;
  }
  const std::shared_ptr<Inbox> inbox_;
  Client client_;
  std::deque<std::pair<Kind, std::string>> notices_;
  std::string why_;
};

class AHostileServer : public ::testing::TestWithParam<NatsAttack> {};

TEST_P(AHostileServer, FillsNoMemoryAndIsLeftAndTakenAgainWhenItIsHonest) {
  HostileNats server(GetParam());
  Asking client({server.address()});
  const PeakMemory peak;
  client.connect();
  Kind found = client.next();
  if (GetParam().when == NatsAttack::When::logged_in) {
    ASSERT_EQ(found, Kind::connected) << client.why();
    found = client.next();
    EXPECT_EQ(found, Kind::disconnected) << client.why();
  } else {
    EXPECT_TRUE(found == Kind::failed || found == Kind::refused);
  }
  EXPECT_EQ(server.attacked(), 1u);
  EXPECT_FALSE(client.why().empty());
  EXPECT_LE(client.why().size(), bounds::line + 200);
  std::printf("%lld MiB over rest: %.120s\n", static_cast<long long>(peak.mib_over_rest()), client.why().c_str());
  if (PeakMemory::can_tell) {
    EXPECT_LT(peak.mib_over_rest(), most_mib);
  }
  server.become_honest();
  client.connect();
  EXPECT_EQ(client.next(), Kind::connected) << client.why();
}

INSTANTIATE_TEST_SUITE_P(All, AHostileServer, ::testing::ValuesIn(testing::nats_attacks()),
                         [](const auto& one) { return one.param.name; });

TEST(AHostileNatsServer, IsLeftForAnotherOne) {
  HostileNats hostile(testing::nats_attacks().front()), honest({});
  honest.become_honest();
  Asking client({hostile.address(), honest.address()});
  for (int i = 0; i < 2; ++i) {  // whichever was the first
    client.connect();
    ASSERT_EQ(client.next(), Kind::connected) << client.why();
    if (hostile.attacked() > 0) break;
  }
  ASSERT_EQ(hostile.attacked(), 1u);
  ASSERT_EQ(client.next(), Kind::disconnected);
  client.connect();
  EXPECT_EQ(client.next(), Kind::connected);
  EXPECT_EQ(hostile.attacked(), 1u) << "the honest one is the next";
}

/// Nobody takes what has come.
TEST(AHostileNatsServer, FillsNoMemoryWhileThePluginIsBusy) {
  const auto& all = testing::nats_attacks();
  for (const char* const name : {"EmptyMessages", "MessagesThatAreLarge"}) {
    HostileNats server(*std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; }));
    Asking client({server.address()});
    const PeakMemory peak;
    client.connect();
    ASSERT_EQ(client.next(), Kind::connected);
    ::usleep(1'500'000);
    std::printf("%s: %lld MiB over rest\n", name, static_cast<long long>(peak.mib_over_rest()));
    if (PeakMemory::can_tell) {
      EXPECT_LT(peak.mib_over_rest(), most_mib);
    }
  }
}

}  // namespace
}  // namespace ballot::jetstream
