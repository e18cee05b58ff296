#include "support/judge/report.hpp"

#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <sstream>

#include "base/wall_text.hpp"

namespace ballot::testing {
namespace {

using std::chrono::microseconds;

std::string variable(const char* name, const char* absent) {
  const char* value = std::getenv(name);
  return value && *value ? value : absent;
}

std::string stamp() {
  const Instant now = Instant::now();
  return std::to_string(now.boot.count()) + " " + std::to_string(now.wall.time_since_epoch().count());
}

std::istream& operator>>(std::istream& in, Instant& instant) {
  std::int64_t boot = 0, wall = 0;
  in >> boot >> wall;
  instant = {microseconds(boot), WallTime(Millis(wall))};
  return in;
}

}  // namespace

Instant Instant::now() {
  timespec boot{}, wall{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  ::clock_gettime(CLOCK_REALTIME, &wall);
  return {std::chrono::seconds(boot.tv_sec) + microseconds(boot.tv_nsec / 1000),
          WallTime(Millis(wall.tv_sec * 1000 + wall.tv_nsec / 1'000'000))};
}

std::string Report::text() const {
  std::string text = "START at " + format_millis(started.wall) + " of run " + run.text() + " attempt " +
                     std::to_string(attempt) + " on " + node + ", epoch " + std::to_string(epoch) + " fence " +
                     std::to_string(fence) + " pid " + std::to_string(pid);
  if (ended) text += ", END at " + format_millis(ended->wall) + " " + how;
  if (!ended && gone) text += ", gone at " + format_millis(gone->wall);
  return text;
}

std::string start_message() {
  return "START " + stamp() + " " + std::to_string(::getpid()) + " " + variable("BALLOT_JOB", "?") + " " +
         variable("BALLOT_SLOT", "?") + " " + variable("BALLOT_TRIGGER", "?") + " " + variable("BALLOT_ATTEMPT", "0") +
         " " + variable("BALLOT_RUN_ID", "?") + " " + variable("BALLOT_EPOCH", "0") + " " +
         variable("BALLOT_FENCE", "0") + " " + variable("BALLOT_NODE", "?");
}

std::string end_message(std::string_view how) { return "END " + stamp() + " " + std::string(how); }

bool parse_start(std::string_view message, Report& report) {
  std::istringstream in{std::string(message)};
  std::string kind, slot, trigger, run;
  in >> kind >> report.started >> report.pid >> report.job >> slot >> trigger >> report.attempt >> run >>
      report.epoch >> report.fence >> report.node;
  const auto parsed_slot = parse_wall(slot);
  const auto parsed_trigger = parse_trigger(trigger);
  const auto parsed_run = RunId::parse(run);
  if (in.fail() || kind != "START" || !parsed_slot || !parsed_trigger || !parsed_run) return false;
  report.slot = *parsed_slot;
  report.trigger = *parsed_trigger;
  report.run = *parsed_run;
  return true;
}

bool parse_end(std::string_view message, Report& report) {
  std::istringstream in{std::string(message)};
  std::string kind;
  Instant ended;
  if (!(in >> kind >> ended) || kind != "END") return false;
  report.ended = ended;
  std::getline(in >> std::ws, report.how);
  return true;
}

}  // namespace ballot::testing
