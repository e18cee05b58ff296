// What /metrics says of what was counted and shown.
#include "http/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace ballot::web {
namespace {

using namespace std::chrono_literals;

std::string text_of(Exposition exposition) {
  std::string text;
  for (std::string piece = exposition.next(); !piece.empty(); piece = exposition.next()) text += piece;
  return text;
}

struct MetricsShown : ::testing::Test {
  Metrics metrics{"1.2.3"};
  Figures figures;

  std::string text() {
    metrics.publish(figures);
    return text_of(metrics.exposition());
  }
  /// The line's value; "" where there is no such line.
  std::string value(const std::string& series) {
    const std::string all = "\n" + text();
    const std::size_t at = all.find("\n" + series + " ");
    if (at == std::string::npos) return "";
    const std::size_t from = at + series.size() + 2;
    return all.substr(from, all.find('\n', from) - from);
  }
};

TEST_F(MetricsShown, CountSlotsAndAttemptsByGroupStatusAndReason) {
  metrics.count_slots("nightly", "missed", "no_leader", 5);
  metrics.count_slots("nightly", "missed", "no_leader", 1);
  metrics.count_attempt("nightly", "failed", "exit_code");
  metrics.count_attempt("nightly", "succeeded", "");
  EXPECT_EQ(value(R"(ballot_slots_total{group="nightly",status="missed",reason="no_leader"})"), "6");
  EXPECT_EQ(value(R"(ballot_attempts_total{group="nightly",status="failed",reason="exit_code"})"), "1");
  EXPECT_EQ(value(R"(ballot_attempts_total{group="nightly",status="succeeded",reason=""})"), "1");
}

TEST_F(MetricsShown, CountElectionsByCauseAndRequestsByRouteAndCode) {
  metrics.count_election("nightly", "expired");
  figures.requests[{"/api/v1/jobs/{name}", 404}] = 1;
  EXPECT_EQ(value(R"(ballot_elections_total{group="nightly",cause="expired"})"), "1");
  EXPECT_EQ(value(R"(ballot_http_requests_total{route="/api/v1/jobs/{name}",code="404"})"), "1");
  EXPECT_EQ(value(R"(ballot_build_info{version="1.2.3"})"), "1");
}

TEST_F(MetricsShown, CountWhatHappensInAGroupFromZeroSoThatTheFirstTimeIsARise) {
  figures.groups = {{"nightly", false, false}};
  const std::string of_group[] = {R"(ballot_slots_total{group="nightly",status="missed",reason="unclaimed"})",
                                  R"(ballot_slots_total{group="nightly",status="skipped",reason="overlap"})",
                                  R"(ballot_slots_total{group="nightly",status="succeeded",reason=""})",
                                  R"(ballot_attempts_total{group="nightly",status="succeeded",reason=""})",
                                  R"(ballot_attempts_total{group="nightly",status="failed",reason="exit_code"})",
                                  R"(ballot_attempts_total{group="nightly",status="failed",reason="permanent"})",
                                  R"(ballot_attempts_total{group="nightly",status="killed",reason="shutdown"})",
                                  R"(ballot_attempts_total{group="nightly",status="lost",reason="evidence_lost"})",
                                  R"(ballot_elections_total{group="nightly",cause="none"})",
                                  R"(ballot_elections_total{group="nightly",cause="expired"})",
                                  R"(ballot_elections_total{group="nightly",cause="unfit"})",
                                  R"(ballot_start_lateness_seconds_bucket{group="nightly",le="30"})",
                                  R"(ballot_run_duration_seconds_count{group="nightly"})",
                                  R"(ballot_claim_duration_seconds_count{group="nightly"})"};
  for (const std::string& series : of_group) EXPECT_EQ(value(series), "0") << series;
  EXPECT_EQ(value(R"(ballot_attempts_total{group="nightly",status="missed",reason="unclaimed"})"), "");
  metrics.count_slots("nightly", "missed", "unclaimed", 1);
  EXPECT_EQ(value(of_group[0]), "1");
}

TEST_F(MetricsShown, HaveHistogramsWhoseBucketsAddUp) {
  metrics.add_start_lateness("g", 3ms);
  metrics.add_start_lateness("g", 10ms);
  metrics.add_start_lateness("g", 1500ms);
  metrics.add_start_lateness("g", 5h);
  const std::string name = "ballot_start_lateness_seconds";
  EXPECT_EQ(value(name + R"(_bucket{group="g",le="0.01"})"), "2");
  EXPECT_EQ(value(name + R"(_bucket{group="g",le="1"})"), "2");
  EXPECT_EQ(value(name + R"(_bucket{group="g",le="2"})"), "3");
  EXPECT_EQ(value(name + R"(_bucket{group="g",le="3600"})"), "3");
  EXPECT_EQ(value(name + R"(_bucket{group="g",le="+Inf"})"), "4");
  EXPECT_EQ(value(name + R"(_count{group="g"})"), "4");
  EXPECT_EQ(value(name + R"(_sum{group="g"})"), "18001.513");
  metrics.add_run_duration("g", 2min);
  metrics.add_claim_duration("g", 4ms);
  EXPECT_EQ(value(R"(ballot_run_duration_seconds_bucket{group="g",le="300"})"), "1");
  EXPECT_EQ(value(R"(ballot_claim_duration_seconds_bucket{group="g",le="0.005"})"), "1");
}

TEST_F(MetricsShown, SayWhichGroupsTheNodeLeadsAndWhyItIsDegraded) {
  figures.groups = {{"led", true, true}, {"other", false, false}};
  figures.degraded = {"ledger", "new_word"};
  EXPECT_EQ(value(R"(ballot_group_leader{group="led"})"), "1");
  EXPECT_EQ(value(R"(ballot_group_leader{group="other"})"), "0");
  EXPECT_EQ(value(R"(ballot_group_in_doubt{group="led"})"), "1");
  EXPECT_EQ(value(R"(ballot_node_degraded{reason="ledger"})"), "1");
  EXPECT_EQ(value(R"(ballot_node_degraded{reason="runner"})"), "0");
  EXPECT_EQ(value(R"(ballot_node_degraded{reason="new_word"})"), "1");
}

TEST_F(MetricsShown, SayWhatTheHistoryDoesNotHave) {
  EXPECT_EQ(value("ballot_history_oldest_unsent_timestamp_seconds"), "0");
  figures.history_waits_since = WallTime(1'700'000'000'250ms);
  figures.dropped_rows = 2;
  figures.spooled_rows = 70;
  EXPECT_EQ(value("ballot_history_oldest_unsent_timestamp_seconds"), "1700000000.250");
  EXPECT_EQ(value("ballot_history_dropped_rows_total"), "2");
  EXPECT_EQ(value("ballot_ledger_spooled_rows"), "70");
}

TEST_F(MetricsShown, HaveEachJobWithItsSlotsAndStates) {
  figures.jobs.add("backup", "nightly", {WallTime(100s), WallTime(90s), WallTime(200s), 3, true, false});
  figures.jobs.add("new", "nightly", {{}, {}, {}, 0, false, true});
  const std::string backup = R"({job_name="backup",group="nightly"})", anew = R"({job_name="new",group="nightly"})";
  EXPECT_EQ(value("ballot_job_last_success_timestamp_seconds" + backup), "100");
  EXPECT_EQ(value("ballot_job_previous_slot_timestamp_seconds" + backup), "90");
  EXPECT_EQ(value("ballot_job_next_slot_timestamp_seconds" + backup), "200");
  EXPECT_EQ(value("ballot_job_failing" + backup), "1");
  EXPECT_EQ(value("ballot_job_paused" + backup), "0");
  EXPECT_EQ(value("ballot_job_missed_slots_total" + backup), "3");
  EXPECT_EQ(value("ballot_job_last_success_timestamp_seconds" + anew), "0") << "never";
  EXPECT_EQ(value("ballot_job_previous_slot_timestamp_seconds" + anew), "") << "none";
  EXPECT_EQ(value("ballot_job_next_slot_timestamp_seconds" + anew), "") << "none";
  EXPECT_EQ(value("ballot_job_paused" + anew), "1");
}

TEST_F(MetricsShown, SayOfAJobWhetherItIsAsExpectedAndNothingWhereNothingIs) {
  using Expected = web::JobFigures::Expected;
  figures.jobs.add("unmet", "g", {.overdue = Expected::unmet, .slow = Expected::kept});
  figures.jobs.add("plain", "g", {});
  EXPECT_EQ(value(R"(ballot_job_overdue{job_name="unmet",group="g"})"), "1");
  EXPECT_EQ(value(R"(ballot_job_slow{job_name="unmet",group="g"})"), "0");
  EXPECT_EQ(value(R"(ballot_job_overdue{job_name="plain",group="g"})"), "");
  EXPECT_EQ(value(R"(ballot_job_slow{job_name="plain",group="g"})"), "");
}

TEST_F(MetricsShown, HaveNoJobWhereTheSwitchIsOff) {
  figures.jobs.add("backup", "nightly", {});
  figures.by_job = false;
  EXPECT_EQ(text().find("ballot_job_"), std::string::npos);
}

TEST_F(MetricsShown, EscapeWhatLabelsMayNotHave) {
  EXPECT_EQ(label_text(metric::group_leader, {"a\"b\\c\nd"}), R"(group="a\"b\\c\nd")");
}

/// Each family once, with all its samples right behind its type, in however many pieces.
TEST_F(MetricsShown, AreOneRunOfLinesAFamilyAlsoOfManyJobs) {
  constexpr int many = 5000;
  for (int job = 0; job < many; ++job)
    figures.jobs.add("job-" + std::to_string(job), "g", {WallTime(1s), WallTime(1s), WallTime(1s), 0, false, false});
  metrics.publish(figures);
  Exposition exposition = metrics.exposition();
  std::string text;
  for (std::string piece = exposition.next(); !piece.empty(); piece = exposition.next()) {
    EXPECT_LT(piece.size(), 80u << 10);
    text += piece;
  }
  std::set<std::string> families;
  std::string family;
  int samples = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP")) continue;
    if (line.starts_with("# TYPE ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(families.insert(family).second) << line;
    } else {
      EXPECT_TRUE(line.starts_with(family)) << line;
      samples += line.starts_with("ballot_job_") ? 1 : 0;
    }
  }
  EXPECT_EQ(families.size(), std::size(metric_families));
  EXPECT_EQ(samples, 6 * many);
}

/// "| `ballot_slots_total` | counter | group, status, reason | ..."
TEST(MetricFamilies, AreThoseOfTheReferenceWithTheirTypesAndLabels) {
  std::vector<std::string> told, had;
  std::ifstream page(BALLOT_DOCS "/metrics.md");
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `ballot_")) continue;
    std::erase(line, '`');
    told.push_back(line.substr(0, line.find(" | ", line.find(" | ", line.find(" | ") + 1) + 1)));
  }
  for (const MetricFamily& family : metric_families) {
    std::string labels = family.labels.empty() ? "none" : "";
    for (const char c : family.labels) labels += c == ',' ? ", " : std::string(1, c);
    had.push_back("| " + std::string(family.name) + " | " + std::string(family.type) + " | " + labels);
  }
  std::sort(told.begin(), told.end());
  std::sort(had.begin(), had.end());
  EXPECT_EQ(told, had);
}

}  // namespace
}  // namespace ballot::web
