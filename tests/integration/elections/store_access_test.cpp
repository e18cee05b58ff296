// What a command makes of a store that it may not use: what is missing is not there, what is not permitted is said, and
// neither is taken for a store with nothing in it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "support/process/run_program.hpp"
#include "support/servers/http_peer.hpp"
#include "support/servers/nats_operator.hpp"
#include "support/servers/nats_server.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {
namespace {

using Command = std::vector<std::string>;

const std::vector<Command> commands{{"info"},
                                    {"info", "g"},
                                    {"election", "list"},
                                    {"election", "watch", "g"},
                                    {"election", "evict", "g", "--force"},
                                    {"election", "run", "g", "--", "/bin/true"},
                                    {"election", "file", "/tmp/no-leader", "g"},
                                    {"run", "once", "--", "/bin/true"},
                                    {"run", "cron", "--schedule", "* * * * *", "--", "/bin/true"},
                                    {"serve"}};

Ran run_with(const std::string& config, Command command) {
  const auto end = std::find(command.begin(), command.end(), "--");
  command.insert(end, {"--config", config});
  command.insert(command.begin(), BALLOT_PROGRAM);
  return run_program(std::move(command));
}

std::string config_of(const TempFolder& folder, const std::string& backend, const std::string& table) {
  return "state_dir = \"" + (folder / "state") + "\"\nrun_dir = \"" + (folder / "run") +
         "\"\n[coordination]\nbackend = \"" + backend + "\"\nnamespace = \"test\"\nallow_open_store = true\n[" +
         backend + "]\n" + table;
}

struct Secret {
  std::string backend, key, before;  // what is before the file in the key's value
};
void PrintTo(const Secret& secret, std::ostream* out) { *out << secret.backend << "_" << secret.key; }

struct MissingSecret : ::testing::TestWithParam<Secret> {};

TEST_P(MissingSecret, IsAnErrorOfTheConfigurationWhateverIsCalled) {
  const TempFolder folder;
  const auto& [backend, key, before] = GetParam();
  const std::string file = folder / "missing";
  const std::string config =
      folder.write("ballot.toml", config_of(folder, backend, key + " = \"" + before + file + "\"\n"));
  for (const Command& command : commands) {
    const Ran ran = run_with(config, command);
    EXPECT_EQ(ran.code, 78) << command[0] << " " << command[1] << ": " << ran.err;
    EXPECT_NE(ran.err.find("[" + backend + "] " + key), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find(file + ": No such file"), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "") << command[0];
  }
  const Ran checked = run_with(config, {"check"});
  EXPECT_EQ(checked.code, 78);
  const std::string finding = config + ":7:1: error: [" + backend + "] " + key + ": cannot read " + file;
  EXPECT_NE(checked.out.find(finding), std::string::npos) << checked.out;
}

INSTANTIATE_TEST_SUITE_P(, MissingSecret,
                         ::testing::Values(Secret{"zookeeper", "auth", "digest:u:"}, Secret{"etcd", "auth", "u:"},
                                           Secret{"consul", "token_file", ""}, Secret{"nats", "user", "u:"},
                                           Secret{"nats", "token", ""}, Secret{"nats", "credentials", ""},
                                           Secret{"nats", "nkey",
                                                  "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4:"}),
                         [](const auto& one) { return one.param.backend + "_" + one.param.key; });

/// Whoever only looks.
void expect_denied(const std::string& config, const std::string& says) {
  for (std::size_t i = 0; i < 5; ++i) {
    const Ran ran = run_with(config, commands[i]);
    EXPECT_EQ(ran.code, 1) << commands[i][0] << " " << commands[i].back() << ": " << ran.err;
    EXPECT_NE(ran.err.find(says), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "") << commands[i][0];
  }
}

struct Denial {
  std::string backend, key, body;
};
void PrintTo(const Denial& denial, std::ostream* out) { *out << denial.backend; }

struct DeniedByHttp : ::testing::TestWithParam<Denial> {};

TEST_P(DeniedByHttp, IsNoStoreWithoutElections) {
  const TempFolder folder;
  HttpPeer peer([](HttpPeer::Talk& talk) { talk.answer(403, GetParam().body); });
  const std::string address = "127.0.0.1:" + std::to_string(peer.port());
  const std::string table = GetParam().key + " = \"" + address + "\"\n";
  expect_denied(folder.write("ballot.toml", config_of(folder, GetParam().backend, table)), "ermission denied");
}

INSTANTIATE_TEST_SUITE_P(
    Of, DeniedByHttp,
    ::testing::Values(Denial{"consul", "address", "Permission denied: token lacks permission 'key:read'"},
                      Denial{"etcd", "servers", R"({"error":"etcdserver: permission denied","code":7})"}),
    [](const auto& one) { return one.param.backend; });

TEST(DeniedByNats, IsNoStoreWithoutElections) {
  const TempFolder folder;
  const NatsCluster secured(
      1, {.more = "authorization { users: [ { user: u, password: p, permissions: { publish: [ \"other\" ]"
                  " } } ] }"});
  const std::string password = folder.write("password", "p\n");
  ASSERT_EQ(::chmod(password.c_str(), 0600), 0);
  const std::string table = "servers = \"" + secured.addresses() + "\"\nuser = \"u:" + password + "\"\n";
  expect_denied(folder.write("ballot.toml", config_of(folder, "nats", table)), "Permissions Violation for Publish to");
}

/// Accounts by an operator's JWTs, as `nsc` makes them; the server checks what the client has signed.
TEST(NatsCredentials, OfAUserOfAnAccountOpenItsStoreAndThoseOfAnotherOperatorDoNot) {
  const TempFolder folder;
  const NatsOperator ours, theirs;
  const NatsCluster secured(1, {.more = ours.configuration()});
  const auto run_as = [&](const NatsOperator& whose) {
    const std::string file = folder.write("user.creds", whose.credentials());
    EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
    const std::string table = "servers = \"" + secured.addresses() + "\"\ncredentials = \"" + file + "\"\n";
    const std::string config = folder.write("ballot.toml", config_of(folder, "nats", table));
    return run_with(config, {"run", "once", "--", "/bin/true"});
  };
  const Ran led = run_as(ours);
  EXPECT_EQ(led.code, 0) << led.err;
  EXPECT_NE(led.err.find("exit code 0"), std::string::npos) << led.err;
  const Ran refused = run_as(theirs);
  EXPECT_NE(refused.code, 0);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("uthorization"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace ballot::testing
