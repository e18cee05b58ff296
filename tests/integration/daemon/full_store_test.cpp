// A store on servers that has no space left: it answers, and takes no writes. What a daemon says that has lost its
// session to it.
#include <arpa/inet.h>

#include <algorithm>

#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/etcd_server.hpp"
#include "support/servers/nats_server.hpp"

namespace ballot::testing {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void set_alarm(const EtcdServer& server, const std::string& action) {
  const std::string member(http::text_at(server.ask("/v3/maintenance/status", "{}"), "header", "member_id"));
  server.ask("/v3/maintenance/alarm",
             R"({"action":")" + action + R"(","memberID":")" + member + R"(","alarm":"NOSPACE"})");
}

/// Messages that no key has, smaller and smaller, until the servers have space for none.
void fill(const NatsServer& server, const std::string& bucket) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  std::string said = "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n";
  int number = 0;
  for (const auto& [size, times] : {std::pair(8'000, 300), {500, 100}, {50, 100}, {1, 300}})
    for (int i = 0; i < times; ++i)
      said += "PUB $KV." + bucket + ".=.fill." + std::to_string(++number) + " " + std::to_string(size) + "\r\n" +
              std::string(static_cast<std::size_t>(size), 'x') + "\r\n";
  said += "PING\r\n";
  std::string heard;
  for (std::size_t sent = 0; sent < said.size();) {
    const ssize_t size = ::send(socket.get(), said.data() + sent, said.size() - sent, MSG_NOSIGNAL);
    ASSERT_GT(size, 0);
    sent += static_cast<std::size_t>(size);
  }
  char chunk[4096];
  while (!contains(heard, "PONG")) {
    const ssize_t size = ::recv(socket.get(), chunk, sizeof chunk, 0);
    ASSERT_GT(size, 0) << heard;
    heard.append(chunk, static_cast<std::size_t>(size));
  }
}

/// Leads, and its slots pass.
struct DaemonOfAFullStore : ::testing::Test {
  ~DaemonOfAFullStore() override {
    if (HasFailure()) std::cout << daemon.log;
  }
  void lead(const std::string& store) {
    daemon.move_to("[coordination]\nnamespace = \"n\"\nsession_timeout = \"2s\"\nallow_open_store = true\n" + store);
    daemon.job("tick", "schedule = \"* * * * * *\"\nshell = \"true\"");
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  }
  /// `why`: as the store says it.
  void expect_refusals(const std::string& why) {
    ASSERT_TRUE(daemon.wait_for("no session: ", 2)) << daemon.log;
    EXPECT_TRUE(contains(daemon.log, "no session: " + why)) << daemon.log;
    EXPECT_FALSE(contains(daemon.log, "no server can be reached")) << "they answer";
    const std::string refusal = "the store refuses writes: ";
    const Ran status = daemon.ballot({"status"});
    EXPECT_EQ(status.code, 2) << status.out;
    EXPECT_TRUE(contains(status.out, "backend: no session, so nothing is led: " + refusal)) << status.out;
    EXPECT_TRUE(contains(status.out, why)) << status.out;
    const Ran told = daemon.ballot({"why", "tick", "--format", "json"});
    EXPECT_TRUE(contains(told.out, refusal)) << told.out << told.err;
    EXPECT_FALSE(contains(told.out, "does not answer")) << told.out;
    const Ran jobs = daemon.ballot({"jobs"});
    EXPECT_TRUE(contains(jobs.err, "node n1 starts nothing at present: " + refusal)) << jobs.err;
  }

  BallotDaemon daemon;
};

TEST_F(DaemonOfAFullStore, SaysThatAnEtcdWhoseQuotaIsUsedUpRefusesWritesAndGoesOnOnceItTakesThem) {
  EtcdCluster store(1);
  ASSERT_NO_FATAL_FAILURE(lead("backend = \"etcd\"\n[etcd]\nservers = \"" + store[0].address() + "\"\n"));
  set_alarm(store[0], "ACTIVATE");
  expect_refusals("etcdserver: mvcc: database space exceeded");
  set_alarm(store[0], "DEACTIVATE");
  EXPECT_TRUE(daemon.wait_for("the store takes writes again"));
  EXPECT_TRUE(wait_until([&] { return daemon.ballot({"status"}).code == 0; })) << daemon.ballot({"status"}).out;
  EXPECT_EQ(daemon.ballot({"jobs"}).err, "");
}

struct DaemonOfAFullNats : DaemonOfAFullStore {
  void lead() {
    ASSERT_NO_FATAL_FAILURE(DaemonOfAFullStore::lead("backend = \"nats\"\n[nats]\nservers = \"" + store.addresses() +
                                                     "\"\nbucket = \"full\"\n"));
  }
  void fill() { testing::fill(store[0], "full"); }

  NatsCluster store{1, {.space = "1MB"}};
};

TEST_F(DaemonOfAFullNats, SaysThatItRefusesWrites) {
  ASSERT_NO_FATAL_FAILURE(lead());
  fill();
  expect_refusals("stream KV_full");
}

/// It has never had a session.
TEST_F(DaemonOfAFullNats, SaysAsMuchWhereItIsStartedBesideIt) {
  ASSERT_NO_FATAL_FAILURE(lead());
  EXPECT_EQ(daemon.stop(), 0);
  fill();
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("no session: stream KV_full")) << daemon.log;
  EXPECT_TRUE(contains(daemon.ballot({"status"}).out, "the store refuses writes: stream KV_full"));
  const Ran told = daemon.ballot({"why", "tick", "--format", "json"});
  EXPECT_TRUE(contains(told.out, "the store refuses writes: ")) << told.out << told.err;
  EXPECT_FALSE(contains(told.out, "does not answer")) << told.out;
}

}  // namespace
}  // namespace ballot::testing
