// OutputLog: what jobs with `log_output` print, into the log line by line, and not more than a log can take: of a run
// in a second the first lines, up to a number and a size. How many were left out is said in the next second that has a
// line, or at the run's end.
//
// Thread: the loop's.
//
//   OutputLog output(log);
//   output.begin(run, "backup");
//   output.print(printed, read_clocks().steady);   ... INFO what it prints job=backup run=...
//   output.end(id, ended.output.total_bytes);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

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

  /// The run's output is logged, under its job's name. An adopted run has no begin(): an earlier daemon has logged a
  /// part of its output, under the job's name.
  void begin(const RunId& run, const std::string& job) { jobs_[run] = job; }
  void print(const runner::Printed& printed, SteadyTime now);
  /// The attempt has ended, or could not start, and has printed so many bytes in all: a last line without an end is a
  /// line too, and bytes that were not received are counted.
  void end(const runner::AttemptId& id, std::int64_t printed);
  /// Other attempts than these are gone, and nothing more comes of them.
  void keep_only(const std::vector<runner::Running>& running);

 private:
  struct Printing {
    std::string rest;  // of a line that has not ended
    SteadyTime since{};
    std::int64_t lines = 0, bytes = 0, left_out = 0;  // since then
    std::int64_t received = 0;                        // bytes in all
  };

  void line(const runner::AttemptId& id, Printing& printing, std::string_view text);
  void finish(const runner::AttemptId& id);
  void report_left_out(const runner::AttemptId& id, Printing& printing);
  LogFields fields(const runner::AttemptId& id) const;

  const Log log_;
  const OutputRate rate_;
  std::map<RunId, std::string> jobs_;
  std::map<runner::AttemptId, Printing> printing_;
};

}  // namespace ballot::io
