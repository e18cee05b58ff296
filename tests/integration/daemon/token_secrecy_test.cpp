// A token of the API stands in no log, no error, no URL and nowhere in /proc: a real daemon at its most talkative, and
// clients that show tokens in every way, right ones and wrong ones.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/web_client.hpp"

namespace ballot::testing {
namespace {

struct TokenSecrecy : ::testing::Test {
  void SetUp() override {
    const Ran made = BallotDaemon("maker").ballot({"token", "new", "ci", "--role", "admin"});
    token = made.out.substr(0, made.out.find('\n'));
    ASSERT_GT(token.size(), 40U) << made.err;
    write_secret("tokens", made.out.substr(made.out.find('\n') + 1));
    write_secret("fleet-token", token + "\n");
    daemon.configure("[http]\nlisten = \"" + socket + "\"\ntokens = \"" + (daemon.folder / "tokens") +
                     "\"\n[fleet]\ntoken_file = \"" + (daemon.folder / "fleet-token") + "\"\n");
    // What a run of the daemon's user can see of it and of the runner.
    daemon.job("look", R"(shell = "cat /proc/self/environ /proc/$PPID/environ /proc/$PPID/cmdline")");
    daemon.start({"--log-level", "trace"});
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  }
  void write_secret(const std::string& name, const std::string& text) const {
    daemon.folder.write("new", text);
    ::chmod((daemon.folder / "new").c_str(), 0600);
    std::filesystem::rename(daemon.folder / "new", daemon.folder / name);
  }
  /// Its answer is looked at as well: no response says what was shown.
  int ask(const std::string& line, const std::string& header, const std::string& body = "") {
    const auto answer = WebClient(socket).ask(line, header.empty() ? Headers{} : Headers{header}, body);
    EXPECT_FALSE(is_said_in(answer.head + answer.body)) << line << ": " << answer.head << answer.body;
    return answer.status;
  }
  /// The token, or most of it.
  bool is_said_in(const std::string& text) const { return text.find(token.substr(8, 30)) != std::string::npos; }

  using Headers = std::vector<std::string>;
  BallotDaemon daemon;
  const std::string socket = daemon.folder / "http.sock";
  std::string token;
};

TEST_F(TokenSecrecy, OfWhatIsShownInAnyWayNothingStandsInLogsErrorsUrlsOrProc) {
  const std::string bearer = "Authorization: Bearer ";
  EXPECT_EQ(ask("GET /api/v1/jobs", bearer + token), 200);
  EXPECT_EQ(ask("POST /api/v1/jobs/look/pause", bearer + token, "{}"), 200);
  EXPECT_EQ(ask("POST /api/v1/jobs/look/resume", bearer + token, "{}"), 200);
  EXPECT_EQ(ask("GET /api/v1/jobs", bearer + token + "x"), 401);
  EXPECT_EQ(ask("GET /api/v1/jobs", "Authorization: Basic " + token), 401);
  EXPECT_EQ(ask("GET /api/v1/jobs", bearer + token + " " + token), 401);
  EXPECT_EQ(ask("GET /api/v1/jobs", "Authorization: " + token), 401);
  for (const std::string name : {"token", "access_token"})
    EXPECT_EQ(ask("GET /api/v1/jobs?" + name + "=" + token, ""), 400) << "logs of proxies keep URLs";
  EXPECT_EQ(ask("POST /api/v1/questions", bearer + token, "{\"do\":\"" + token), 400);
  EXPECT_EQ(daemon.ballot({"trigger", "look", "--wait"}).code, 0);

  // Somebody writes the token itself where its hash belongs.
  write_secret("tokens", "ci admin " + token + "\n" + token + "\n");
  ASSERT_TRUE(daemon.wait_for("the tokens before still count")) << daemon.log;
  EXPECT_EQ(ask("GET /api/v1/jobs", bearer + token), 200);
  const Ran status = daemon.ballot({"status"});
  EXPECT_EQ(status.code, 1);
  EXPECT_NE(status.out.find("http: tokens: " + (daemon.folder / "tokens") + ": line 1: "), std::string::npos)
      << status.out;
  EXPECT_FALSE(is_said_in(status.out)) << status.out;

  daemon.read_log();
  EXPECT_FALSE(is_said_in(daemon.log)) << daemon.log;
  std::vector<pid_t> processes = children_of(daemon.pid());
  processes.push_back(daemon.pid());
  for (const pid_t pid : processes)
    for (const char* file : {"cmdline", "environ", "comm"})
      EXPECT_FALSE(is_said_in(proc_text(pid, file))) << pid << " " << file;
  const Ran seen = daemon.ballot({"output", "look"});
  EXPECT_NE(seen.out.find("BALLOT_JOB"), std::string::npos) << "it has looked: " << seen.out;
  EXPECT_FALSE(is_said_in(seen.out)) << seen.out;
  const Ran requests = daemon.ballot({"history", "--requests", "--format", "json"});
  EXPECT_NE(requests.out.find("token ci"), std::string::npos) << "the token's name is what is on record";
  EXPECT_EQ(daemon.stop(), 0) << daemon.log;
  for (const auto& file : std::filesystem::recursive_directory_iterator(daemon.folder / "state"))
    EXPECT_FALSE(file.is_regular_file() && is_said_in(text_of(file.path()))) << file.path();
}

}  // namespace
}  // namespace ballot::testing
