// A simulation's report as people and programs read it: tables for 80 columns, JSON, and a page of its own.
//
// Threads: the main one.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/fleet.hpp"
#include "simulation/report.hpp"

namespace ballot::app {

/// What the report is of, beside the fleet.
struct Simulated {
  const simulation::Fleet& fleet;
  const simulation::Report& report;
  std::string folder;      // of the job files
  std::string no_history;  // why none was read; "": it was
};

enum class Extent { chosen, all };  // of hours and jobs: those that matter most, or each

void print_simulation(std::ostream& out, const Simulated& simulated, Extent extent);
void print_simulation_json(std::ostream& out, const Simulated& simulated);
/// One HTML file that needs no other.
void print_simulation_page(std::ostream& out, const Simulated& simulated);

/// "1 job", "9 jobs".
std::string numbered(std::int64_t count, const std::string& what);
/// Outcomes of the whole fleet, and, as `queued` and `running`, of slots that were still open when the span was over.
std::vector<simulation::Outcome> all_outcomes(const simulation::Report& report);
/// Of an outcome; of one that was open "at the end".
std::string_view reason_text(const simulation::Outcome& outcome);

/// "9 jobs by the history, 3 jobs assumed: 1s".
std::string run_times_text(const Simulated& simulated);
/// Slots that were skipped or missed, without those that calendars and clocks leave out.
std::int64_t not_run(const std::vector<simulation::Outcome>& outcomes);
/// Of all kinds of waits but for `upstream`, the longest one, and what for.
struct LongestWait {
  std::int64_t slots = 0;
  Millis longest{0};
  simulation::WaitFor what = simulation::WaitFor::leader;
};
LongestWait longest_of(const simulation::WaitsByKind& waits);

}  // namespace ballot::app
