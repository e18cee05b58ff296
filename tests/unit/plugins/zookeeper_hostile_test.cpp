// Servers of ZooKeeper that send what would end the client library's process, or fill its memory.
#include <gtest/gtest.h>

#include "support/clock.hpp"
#include "support/process/hanging_resolver.hpp"
#include "support/process/peak_memory.hpp"
#include "support/servers/hostile_zookeeper.hpp"
#include "support/wakeup.hpp"
#include "zookeeper/answer_check.hpp"
#include "zookeeper/client.hpp"

namespace ballot::zookeeper {
namespace {

using testing::HostileZookeeper;
using testing::PeakMemory;
using testing::zookeeper_header;
using testing::zookeeper_number;

constexpr std::int64_t most_mib = 64;

/// A client, and what its library has reported.
class Asking {
 public:
  explicit Asking(const std::string& server) : client_(inbox_, {server, "", Millis(4000)}, nullptr) {}

  Client* operator->() { return &client_; }
  /// False: it is not so in time.
  template <class Condition>
  bool until(Condition is_true, Millis limit = Millis(15'000)) {
    for (const SteadyTime end = support::boot_now() + limit; !is_true();) {
      if (support::boot_now() >= end) return false;
      wakeup_->wait(std::min(end, support::boot_now() + Millis(50)));
      for (const Message& one : inbox_->take()) take(one);
    }
    return true;
  }
  /// All kinds of requests; how many have had an answer, or been told that there is none.
  void ask_everything() {
    const auto done = [this](const Reply&) { ++answered; };
    client_.children("/x", Watch::no, done);
    client_.get("/x", Watch::no, done);
    client_.exists("/x", Watch::no, done);
    client_.create("/x", "1", 0, done);
    auto multi = client_.multi();
    multi->create("/y", "1", 0).set("/x", "2", -1);
    client_.commit(std::move(multi), done);
  }

  std::size_t answered = 0, refused = 0;
  std::string text;  // of the last refusal
  bool connected = false;

 private:
  void take(const Message& one) {
    if (one.kind == Message::Kind::reply) client_.dispatch(one);
    if (one.kind == Message::Kind::state) connected = one.state == ZOO_CONNECTED_STATE;
    if (one.kind == Message::Kind::refused) ++refused, text = one.text;
  }

  std::shared_ptr<support::Wakeup> wakeup_ = std::make_shared<support::Wakeup>();
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>(wakeup_);
  Client client_;
};

class HostileZookeeperTest : public ::testing::TestWithParam<HostileZookeeper::Reply> {};

TEST_P(HostileZookeeperTest, EndsNoProcessAndFillsNoMemory) {
  HostileZookeeper server(GetParam());
  Asking client(server.address());
  const PeakMemory peak;
  if (GetParam().type != 0) {
    ASSERT_TRUE(client.until([&] { return client.connected; }));
    client.ask_everything();
    EXPECT_TRUE(client.until([&] { return client.answered == 5; })) << client.answered << " answers";
  }
  EXPECT_TRUE(client.until([&] { return client.refused > 0; }));
  EXPECT_NE(client.text.find(server.address()), std::string::npos) << client.text;
  EXPECT_LT(client.text.size(), 300u);
  EXPECT_GT(server.harmed(), 0u);
  EXPECT_TRUE(!PeakMemory::can_tell || peak.mib_over_rest() < most_mib) << peak.mib_over_rest() << " MiB";
}

INSTANTIATE_TEST_SUITE_P(All, HostileZookeeperTest, ::testing::ValuesIn(testing::hostile_replies()),
                         [](const auto& one) { return one.param.name; });

TEST(ZookeeperGate, TheLongestListThatIsTakenFillsNoMemoryEither) {
  constexpr std::size_t names = 199'000;
  HostileZookeeper server({"names", 12, [](const HostileZookeeper::Asked& asked) {
                             const std::string name = zookeeper_number(32) + std::string(32, 'n');
                             std::string bytes = zookeeper_header(asked.xid) + zookeeper_number(names);
                             for (std::size_t i = 0; i < names; ++i) bytes += name;
                             return testing::zookeeper_frame(bytes + std::string(68, '\0'));
                           }});
  Asking client(server.address());
  ASSERT_TRUE(client.until([&] { return client.connected; }));
  const PeakMemory peak;
  std::size_t found = 0;
  client->children("/x", Watch::no, [&](const Reply& reply) { found = reply.names.size(); });
  EXPECT_TRUE(client.until([&] { return found > 0 || client.refused > 0; }));
  EXPECT_EQ(found, names) << client.text;
  EXPECT_TRUE(!PeakMemory::can_tell || peak.mib_over_rest() < most_mib) << peak.mib_over_rest() << " MiB";
}

TEST(AnswerCheck, PassesWhatServersAnswer) {
  AnswerCheck check;
  const auto request = [&](std::int32_t xid, std::int32_t type, const std::string& body = "") {
    return check.on_request(zookeeper_number(xid) + zookeeper_number(type) + body);
  };
  const std::string stat(68, '\0'), path = zookeeper_number(2) + "/x";
  EXPECT_EQ(check.on_request("a session"), "");
  EXPECT_EQ(check.on_answer(testing::zookeeper_session()), "");
  EXPECT_EQ(request(1, 4, path + '\1'), "");
  EXPECT_EQ(request(2, 12, path + '\0'), "");
  EXPECT_EQ(request(-2, 11), "");
  EXPECT_EQ(check.on_answer(zookeeper_header(1) + zookeeper_number(1) + "v" + stat), "");
  EXPECT_EQ(check.on_answer(zookeeper_header(-2)), "");
  EXPECT_EQ(check.on_answer(zookeeper_header(2) + zookeeper_number(1) + path + stat), "");
  const std::string event = zookeeper_header(-1) + zookeeper_number(3) + zookeeper_number(3) + path;
  EXPECT_EQ(check.on_answer(event), "");
  EXPECT_NE(check.on_answer(event), "") << "the one watch has had its event";
}

/// The library waits for a server's next word as long as the session lasts: one of a day, and the daemon would be held
/// for a day by a server that says no more.
TEST(AnswerCheck, RefusesASessionThatIsMuchLongerThanWasAskedFor) {
  const auto answer = [](std::int32_t asked, std::int32_t granted) {
    AnswerCheck check;
    check.on_request(zookeeper_number(0) + std::string(8, '\0') + zookeeper_number(asked) + std::string(24, '\0'));
    return check.on_answer(testing::zookeeper_session(granted));
  };
  EXPECT_EQ(answer(10'000, 10'000), "");
  EXPECT_EQ(answer(10'000, 100'000), "") << "servers have a shortest one";
  EXPECT_EQ(answer(2'000, 60'000), "");
  EXPECT_EQ(answer(86'400'000, 86'400'000), "");
  EXPECT_EQ(answer(10'000, 86'400'000), "a session of 86400000 ms, where 10000 ms were asked for");
  EXPECT_NE(answer(10'000, 100'001), "");
  EXPECT_NE(answer(2'000, 2'147'483'647), "");
}

/// Versions of registers and epochs of terms are such numbers, and no later one could be larger.
TEST(AnswerCheck, RefusesNumbersOfTransactionsThatNoServerHasCountedTo) {
  const std::string largest = "\x40" + std::string(7, '\0'), beyond = "\x7f" + std::string(7, '\xff'),
                    negative(8, '\xff'), between(44, '\0');
  const auto answer = [](const std::string& stat) {
    AnswerCheck check;
    check.on_request("a session");
    check.on_answer(testing::zookeeper_session());
    check.on_request(zookeeper_number(1) + zookeeper_number(4) + zookeeper_number(2) + "/x" + '\0');
    return check.on_answer(zookeeper_header(1) + zookeeper_number(1) + "v" + stat);
  };
  EXPECT_EQ(answer(largest + largest + between + largest), "");
  for (const std::string& one : {beyond, negative}) {
    EXPECT_NE(answer(one + largest + between + largest), "");
    EXPECT_NE(answer(largest + one + between + largest), "");
    EXPECT_NE(answer(largest + largest + between + one), "");
  }
}

TEST(AnswerCheck, WatchesThatAreSetAnewHaveAnEventEach) {
  AnswerCheck check;
  check.on_request("a session");
  check.on_answer(testing::zookeeper_session());
  const std::string path = zookeeper_number(2) + "/x";
  EXPECT_EQ(check.on_request(zookeeper_number(-8) + zookeeper_number(101) + std::string(8, '\0') + zookeeper_number(1) +
                             path + zookeeper_number(0) + zookeeper_number(1) + path),
            "");
  const std::string event = zookeeper_header(-1) + zookeeper_number(3) + zookeeper_number(3) + path;
  EXPECT_EQ(check.on_answer(event), "");
  EXPECT_EQ(check.on_answer(zookeeper_header(-8)), "");
  EXPECT_EQ(check.on_answer(event), "");
  EXPECT_NE(check.on_answer(event), "");
  EXPECT_NE(check.on_answer(zookeeper_header(-8)), "");
}

TEST(ZookeeperGate, AResolverThatHangsHoldsUpNeitherTheOtherServerNorTheEnd) {
  testing::HangingResolver resolver;
  testing::HostileZookeeper server({"none", -100, {}});
  {
    Asking client("zk1.hangs:2181," + server.address());
    EXPECT_TRUE(client.until([&] { return client.connected; }));
  }
  {
    Asking client("zk1.hangs:2181");
    EXPECT_TRUE(resolver.await_asked());
    EXPECT_FALSE(client.connected);
  }
}

}  // namespace
}  // namespace ballot::zookeeper
