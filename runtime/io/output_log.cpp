#include "io/output_log.hpp"

#include <chrono>
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

void OutputLog::end(const runner::AttemptId& id) {
  if (const auto printing = printing_.find(id); printing != printing_.end()) {
    if (!printing->second.rest.empty()) line(id, printing->second, printing->second.rest);
    report_left_out(id, printing->second);
    printing_.erase(printing);
  }
  jobs_.erase(id.run);
}

}  // namespace ballot::io
