// Report: what one process of a probe reported of itself to the oracle, and when it was gone. And the messages for it.
//
// A message is one packet of words: "START boot_us wall_ms pid job slot trigger attempt run epoch fence node", then at
// most one "END boot_us wall_ms exit 7" or "... signal 15". A fence of 0: the run was launched unclaimed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot::testing {

/// By both clocks, read together. Of nodes on one host the boot clocks are one clock.
struct Instant {
  std::chrono::microseconds boot{};
  WallTime wall{};

  static Instant now();
};

struct Report {
  std::string job, node;
  WallTime slot{};
  Trigger trigger = Trigger::schedule;
  RunId run;
  int attempt = 1;
  std::uint64_t epoch = 0, fence = 0;
  int pid = 0;
  Instant started;
  std::optional<Instant> ended;  // as it said right before its last act; none: it was killed, or still runs
  std::string how;               // with `ended`: "exit 7", "signal 15"
  std::optional<Instant> gone;   // when the oracle saw it gone: at once or a little late

  /// When it surely did nothing any more; none while it may live.
  std::optional<Instant> over() const { return ended ? ended : gone; }
  /// Whether it was started when its slot was due: whoever catches up has done so.
  bool on_time() const { return started.wall - slot < Millis(1000); }
  /// One line that names all of it.
  std::string text() const;
};

/// "START ..." with what is in the environment (BALLOT_JOB and so on), "END ..."; both of this process, now.
std::string start_message();
std::string end_message(std::string_view how);

/// False: the message is none of the two.
bool parse_start(std::string_view message, Report& report);
bool parse_end(std::string_view message, Report& report);

}  // namespace ballot::testing
