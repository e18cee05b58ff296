// Metric families: every metric that a node exports: its name, its type, its labels and its text of help.
// docs/metrics.md has the same table, and a test holds the two together.
//
// Plain values.
#pragma once

#include <array>
#include <string_view>

namespace ballot::web {

struct MetricFamily {
  std::string_view name;
  std::string_view type;    // "counter", "gauge", "histogram"
  std::string_view labels;  // "group,status,reason"; "": none
  std::string_view help;
};

namespace metric {

inline constexpr MetricFamily slots{
    "ballot_slots_total", "counter", "group,status,reason",
    "Slots by what became of them: of one that was claimed, how its first attempt ended."};
inline constexpr MetricFamily attempts{"ballot_attempts_total", "counter", "group,status,reason",
                                       "Attempts of runs by how they ended."};
inline constexpr MetricFamily elections{"ballot_elections_total", "counter", "group,cause",
                                        "Elections that this node won, by why the term before had ended."};
inline constexpr MetricFamily unmet{"ballot_unmet_expectations_total", "counter", "group,expectation",
                                    "What jobs were expected to keep and did not, as it was noticed."};
inline constexpr MetricFamily start_lateness{"ballot_start_lateness_seconds", "histogram", "group",
                                             "How long after it was due a slot's first attempt started."};
inline constexpr MetricFamily run_duration{"ballot_run_duration_seconds", "histogram", "group",
                                           "How long attempts ran."};
inline constexpr MetricFamily claim_duration{"ballot_claim_duration_seconds", "histogram", "group",
                                             "How long the store took to confirm a claim."};
inline constexpr MetricFamily group_leader{"ballot_group_leader", "gauge", "group",
                                           "1 where this node leads the group."};
inline constexpr MetricFamily group_in_doubt{
    "ballot_group_in_doubt", "gauge", "group",
    "1 where this node leads the group and its session is in doubt, so that nothing is claimed."};
inline constexpr MetricFamily node_degraded{"ballot_node_degraded", "gauge", "reason",
                                            "1 where the node is degraded for this reason."};
inline constexpr MetricFamily oldest_unsent{
    "ballot_history_oldest_unsent_timestamp_seconds", "gauge", "",
    "Since when rows wait that the ledger, or the fleet's history, has not taken; 0: none does."};
inline constexpr MetricFamily dropped_rows{"ballot_history_dropped_rows_total", "counter", "",
                                           "Rows that are lost, or that the fleet's history does not get."};
inline constexpr MetricFamily spooled_rows{"ballot_ledger_spooled_rows", "gauge", "",
                                           "Records that wait in the spool for the ledger's file."};
inline constexpr MetricFamily http_requests{"ballot_http_requests_total", "counter", "route,code",
                                            "Requests of HTTP by route and status code."};
inline constexpr MetricFamily build_info{"ballot_build_info", "gauge", "version", "1; the label has the version."};

// By job: of jobs that this node leads.
inline constexpr MetricFamily last_success{"ballot_job_last_success_timestamp_seconds", "gauge", "job_name,group",
                                           "When the job's last run that succeeded had ended; 0: none has."};
inline constexpr MetricFamily previous_slot{"ballot_job_previous_slot_timestamp_seconds", "gauge", "job_name,group",
                                            "The job's last slot that was claimed, skipped or missed."};
inline constexpr MetricFamily next_slot{"ballot_job_next_slot_timestamp_seconds", "gauge", "job_name,group",
                                        "The job's next slot."};
inline constexpr MetricFamily job_failing{"ballot_job_failing", "gauge", "job_name,group",
                                          "1 where the job's last run has failed."};
inline constexpr MetricFamily job_paused{"ballot_job_paused", "gauge", "job_name,group",
                                         "1 where the job, or its group, is paused."};
inline constexpr MetricFamily job_overdue{"ballot_job_overdue", "gauge", "job_name,group",
                                          "1 where no run of the job has succeeded within its expect_success."};
inline constexpr MetricFamily job_slow{"ballot_job_slow", "gauge", "job_name,group",
                                       "1 where a run of the job goes on for longer than its expect_within."};
inline constexpr MetricFamily missed_slots{"ballot_job_missed_slots_total", "counter", "job_name,group",
                                           "The job's slots that were missed, whoever led it."};

}  // namespace metric

/// In the order in which they are exported.
inline constexpr std::array metric_families{
    metric::slots,         metric::attempts,       metric::elections,    metric::unmet,          metric::start_lateness,
    metric::run_duration,  metric::claim_duration, metric::group_leader, metric::group_in_doubt, metric::node_degraded,
    metric::oldest_unsent, metric::dropped_rows,   metric::spooled_rows, metric::http_requests,  metric::build_info,
    metric::last_success,  metric::previous_slot,  metric::next_slot,    metric::job_failing,    metric::job_paused,
    metric::job_overdue,   metric::job_slow,       metric::missed_slots};

}  // namespace ballot::web
