// GET /metrics of a daemon: what Prometheus reads, and that the dashboard and the alerts of the package find it there.
#include <gtest/gtest.h>

#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {
namespace {

/// Over the socket that the daemon listens on, as this user.
std::string get(const std::string& socket_path, const std::string& target) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return "no connection";
  const std::string request = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  if (::write(socket.get(), request.data(), request.size()) < 0) return "no request";
  std::string response;
  char chunk[65536];
  for (ssize_t size = 1; (size = ::read(socket.get(), chunk, sizeof chunk)) > 0;)
    response.append(chunk, static_cast<std::size_t>(size));
  return response;
}

struct MetricsOfADaemon : ::testing::Test {
  void start(const std::string& more = "") {
    daemon.configure("[http]\nlisten = \"" + socket + "\"\n" + more);
    daemon.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
    daemon.job("broken", "command = [\"/bin/false\"]\nexpect_success = \"1h\"\nexpect_within = \"1h\"");
    daemon.start();
    ASSERT_TRUE(daemon.wait_for(" leads ")) << daemon.log;
  }
  /// The value of a series; -1: there is none.
  static double value(const std::string& text, const std::string& series) {
    const std::size_t at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }

  BallotDaemon daemon;
  const std::string socket = daemon.folder / "api.sock";
};

TEST_F(MetricsOfADaemon, SayWhatItsHistoryAndItsStatusSayAndHaveWhatDashboardAndAlertsAskFor) {
  start();
  EXPECT_EQ(daemon.ballot({"trigger", "broken", "--wait"}).code, 1);
  ASSERT_TRUE(daemon.wait_for("succeeded", 3)) << "the run before is closed in the register";
  get(socket, "/metrics");
  const std::string text = get(socket, "/metrics");
  EXPECT_TRUE(text.starts_with("HTTP/1.1 200")) << text.substr(0, 400);
  const std::string tick = R"({job_name="tick",group="default"})", broken = R"({job_name="broken",group="default"})";
  EXPECT_GE(value(text, R"(ballot_attempts_total{group="default",status="succeeded",reason=""})"), 3);
  EXPECT_GE(value(text, R"(ballot_slots_total{group="default",status="succeeded",reason=""})"), 3);
  EXPECT_EQ(value(text, R"(ballot_attempts_total{group="default",status="failed",reason="exit_code"})"), 1);
  EXPECT_EQ(value(text, R"(ballot_slots_total{group="default",status="failed",reason="exit_code"})"), 0);
  EXPECT_EQ(value(text, R"(ballot_elections_total{group="default",cause="none"})"), 1);
  EXPECT_EQ(value(text, R"(ballot_group_leader{group="default"})"), 1);
  EXPECT_EQ(value(text, R"(ballot_node_degraded{reason="ledger"})"), 0);
  EXPECT_GE(value(text, R"(ballot_start_lateness_seconds_count{group="default"})"), 3);
  EXPECT_GE(value(text, R"(ballot_claim_duration_seconds_count{group="default"})"), 4);
  EXPECT_GE(value(text, R"(ballot_http_requests_total{route="/metrics",code="200"})"), 1);
  const double success = value(text, "ballot_job_last_success_timestamp_seconds" + tick);
  const double previous = value(text, "ballot_job_previous_slot_timestamp_seconds" + tick);
  EXPECT_LT(previous - success, 5);
  EXPECT_GT(value(text, "ballot_job_next_slot_timestamp_seconds" + tick), previous);
  EXPECT_EQ(value(text, "ballot_job_failing" + broken), 1);
  EXPECT_EQ(value(text, "ballot_job_last_success_timestamp_seconds" + broken), 0);
  EXPECT_EQ(value(text, "ballot_job_failing" + tick), 0);
  daemon.folder.write("metrics", text);
  const Ran ran = run_program({BALLOT_CHECK_QUERIES, daemon.folder / "metrics", BALLOT_PACKAGING "/grafana/ballot.json",
                               BALLOT_PACKAGING "/prometheus/ballot.rules.yml"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(daemon.stop(), 0);
}

TEST_F(MetricsOfADaemon, AreWithoutJobsWhereTheSwitchSaysSo) {
  start("job_metrics = false\n");
  const std::string text = get(socket, "/metrics");
  EXPECT_EQ(text.find("ballot_job_"), std::string::npos);
  EXPECT_EQ(value(text, R"(ballot_group_leader{group="default"})"), 1);
  EXPECT_EQ(daemon.stop(), 0);
}

}  // namespace
}  // namespace ballot::testing
