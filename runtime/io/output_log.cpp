#include "io/output_log.hpp"

#include <chrono>
#include <set>
#include <utility>

namespace ballot::io {

LogFields OutputLog::fields(const runner::AttemptId& id) const {
  LogFields fields;
  if (const auto job = jobs_.find(id.run); job != jobs_.end()) fields.emplace_back("job", job->second);
  fields.emplace_back("run", id.run.text());
  return fields;
}

void OutputLog::print(const runner::Printed& printed, SteadyTime now) {
  Printing& printing = printing_[printed.id];
  if (now - printing.since >= std::chrono::seconds(1)) {
    report_left_out(printed.id, printing);
    printing.since = now;
    printing.lines = printing.bytes = 0;
  }
  printing.received += static_cast<std::int64_t>(printed.bytes.size());
  printing.rest += printed.bytes;
  const std::string text = std::exchange(printing.rest, {});
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    line(printed.id, printing, std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  if (text.size() - begin < rate_.longest)
    printing.rest = text.substr(begin);
  else
    line(printed.id, printing, std::string_view(text).substr(begin));
}

void OutputLog::line(const runner::AttemptId& id, Printing& printing, std::string_view text) {
  const auto size = static_cast<std::int64_t>(text.size());
  if (printing.lines >= rate_.lines || printing.bytes + size > rate_.bytes) return void(++printing.left_out);
  ++printing.lines;
  printing.bytes += size;
  log_(Level::info, text, fields(id));
}

void OutputLog::report_left_out(const runner::AttemptId& id, Printing& printing) {
  const std::int64_t left_out = std::exchange(printing.left_out, 0);
  if (left_out == 0) return;
  log_(Level::warn, std::to_string(left_out) + " lines of output left out of the log: too many in a second",
       fields(id));
}

void OutputLog::end(const runner::AttemptId& id, std::int64_t printed) {
  const auto printing = printing_.find(id);
  const std::int64_t missing = printed - (printing == printing_.end() ? 0 : printing->second.received);
  finish(id);
  if (missing > 0 && jobs_.contains(id.run))
    log_(Level::warn, std::to_string(missing) + " bytes of output are not in the log: they did not reach the daemon",
         fields(id));
  jobs_.erase(id.run);
}

void OutputLog::keep_only(const std::vector<runner::Running>& running) {
  std::set<RunId> runs;
  for (const runner::Running& one : running) runs.insert(one.id.run);
  for (auto one = printing_.begin(); one != printing_.end();) {
    const runner::AttemptId id = (one++)->first;
    if (!runs.contains(id.run)) finish(id);
  }
  std::erase_if(jobs_, [&](const auto& one) { return !runs.contains(one.first); });
}

void OutputLog::finish(const runner::AttemptId& id) {
  const auto printing = printing_.find(id);
  if (printing == printing_.end()) return;
  if (!printing->second.rest.empty()) line(id, printing->second, printing->second.rest);
  report_left_out(id, printing->second);
  printing_.erase(printing);
}

}  // namespace ballot::io
