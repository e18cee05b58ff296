// OutputLog: what jobs with `log_output` print, into the log line by line, and not more than a log can take: of a run
// in a second the first lines, up to a number and a size. How many were left out is said in the next second that has a
// line, or at the run's end.
//
// Thread: the loop's.
//
//   OutputLog output(log);
//   output.begin(run, "backup");
//   output.print(printed, read_clocks().steady);   ... INFO what it prints job=backup run=...
//   output.end(id);
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ballot/log.hpp"
#include "ballot/time.hpp"
#include "base/runner_wire.hpp"

namespace ballot::io {

struct OutputRate {
  std::int64_t lines = 1000;        // of a run in a second,
  std::int64_t bytes = 256 * 1024;  // and of their bytes
  std::size_t longest = 16 * 1024;  // a longer line is split
};

class OutputLog {
 public:
  explicit OutputLog(Log log, OutputRate rate = {}) : log_(std::move(log)), rate_(rate) {}

  /// The run's output is logged, under its job's name. Of a run that was adopted nobody says it.
  void begin(const RunId& run, const std::string& job) { jobs_[run] = job; }
  void print(const runner::Printed& printed, SteadyTime now);
  /// The attempt has ended, or could not start: a last line without an end is a line too.
  void end(const runner::AttemptId& id);

 private:
  struct Printing {
    std::string rest;  // of a line that has not ended
    SteadyTime since{};
    std::int64_t lines = 0, bytes = 0, left_out = 0;  // since then
  };

  void line(const runner::AttemptId& id, Printing& printing, std::string_view text);
  void report_left_out(const runner::AttemptId& id, Printing& printing);
  LogFields fields(const runner::AttemptId& id) const;

  const Log log_;
  const OutputRate rate_;
  std::map<RunId, std::string> jobs_;
  std::map<runner::AttemptId, Printing> printing_;
};

}  // namespace ballot::io
