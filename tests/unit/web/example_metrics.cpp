// Prints an exposition with samples of every family, for what reads it: tests/prometheus/check_alerts.
#include <cstdio>

#include "http/metrics.hpp"

int main() {
  using namespace std::chrono_literals;
  using ballot::WallTime;
  ballot::web::Metrics metrics("1.2.3");
  metrics.count_slots("nightly", "skipped", "overlap", 3);
  metrics.count_attempt("nightly", "failed", "exit_code");
  metrics.count_election("nightly", "expired");
  metrics.add_start_lateness("nightly", 30ms);
  metrics.add_run_duration("nightly", 2min);
  metrics.add_claim_duration("nightly", 4ms);
  metrics.count_unmet("nightly", "expect_within");
  ballot::web::Figures figures;
  figures.groups = {{"nightly", true, false}, {"default", false, false}};
  figures.degraded = {"ledger"};
  figures.requests[{"/api/v1/jobs/{name}", 404}] = 1;
  figures.jobs.add("backup", "nightly", {WallTime(100s), WallTime(90s), WallTime(200s), 3, true, false});
  figures.jobs.add("a\"strange\\name", "nightly", {{}, {}, {}, 0, false, true});
  using Expected = ballot::web::JobFigures::Expected;
  figures.jobs.add("expected", "nightly", {.overdue = Expected::unmet, .slow = Expected::kept});
  metrics.publish(std::move(figures));
  auto exposition = metrics.exposition();
  for (std::string piece = exposition.next(); !piece.empty(); piece = exposition.next())
    std::fwrite(piece.data(), 1, piece.size(), stdout);
}
