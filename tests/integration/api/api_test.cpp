// The API of a daemon as programs in another language use it: every response is one that the OpenAPI document has, and
// a client made from that document runs the guide's example.
#include <gtest/gtest.h>

#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {
namespace {

constexpr const char* tree = BALLOT_TREE;
constexpr const char* python = "/usr/bin/python3";

struct Api : ::testing::Test {
  void SetUp() override {
    daemon.configure("[http]\nlisten = \"" + socket + "\"\n");
    // One is asked for while another may not have ended.
    daemon.job("given", "trigger_env = [\"DAY\", \"NOTE\"]\ncommand = [\"/bin/true\"]");
    daemon.job("hello", "command = [\"/bin/echo\", \"hello\"]\nconcurrency = \"allow\"");
    daemon.job("broken", "shell = \"exit 3\"");
    daemon.job("lines", "shell = \"for i in $(seq 100); do echo line $i; done\"");
    daemon.job("long", "command = [\"/bin/sleep\", \"600\"]");
    daemon.job("daily",
               "command = [\"/bin/true\"]\nschedule = \"0 2 * * *\"\ntimezone = \"Europe/Paris\"\n"
               "expect_within = \"30m\"\nlate_after = \"1m\"");
    daemon.job("often", "command = [\"/bin/true\"]\nschedule = \"0 0 * * *\"");
    daemon.job("every", "command = [\"/bin/true\"]\nschedule = \"@every 100h\"");
    std::string fillers;
    for (int i = 0; i < 27; ++i)
      fillers += "[job.filler-" + std::to_string(i) + "]\ncommand = [\"/bin/true\"]\ngroup = \"other\"\n";
    daemon.file("fillers", fillers);
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads", 2)) << daemon.log;
  }
  static Ran run(std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
    arguments.insert(arguments.begin(), python);
    return run_program(std::move(arguments), std::move(environment));
  }
  static std::string in_tree(const std::string& path) { return std::string(tree) + "/" + path; }

  BallotDaemon daemon;
  const std::string socket = daemon.folder / "http.sock";
  const std::string document = in_tree("runtime/http/api/openapi.json");
};

TEST_F(Api, AnswersASessionOfTwoHundredRequestsAsItsDocumentSays) {
  const Ran session = run({in_tree("tests/integration/api/session.py"), socket, document});
  EXPECT_EQ(session.code, 0) << session.out << session.err << daemon.log;
}

TEST_F(Api, HasAClientMadeFromItsDocumentThatRunsTheGuidesExample) {
  const Ran made = run({in_tree("examples/api/make_client.py"), document});
  ASSERT_EQ(made.code, 0) << made.err;
  daemon.folder.write("ballot_client.py", made.out);
  const Ran ran =
      run({in_tree("examples/api/deploy.py"), socket, "hello"}, {"PYTHONPATH=" + std::string(daemon.folder.path())});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "hello succeeded 0\nhello\nfailures of the last seven days: 0\n404 the daemon has no job no-such-job\n");
}

}  // namespace
}  // namespace ballot::testing
