#include "core/outcome.hpp"

#include "core/record_text.hpp"

namespace ballot::core {
namespace {

void read_end(Row& row, Words& words, std::string_view key) {
  if (key == "status")
    row.status = words.keep(parse_status(words.word()));
  else if (key == "reason")
    row.reason = words.keep(parse_reason(words.word()));
  else if (key == "exit_code")
    row.exit_code = words.as<int>(words.word());
  else if (key == "signal")
    row.signal = words.as<int>(words.word());
  else if (key == "started_at")
    row.started_at = words.time();
  else if (key == "ended_at")
    row.ended_at = words.time();
  else if (key == "duration_ms")
    row.duration = Millis(words.as<std::int64_t>(words.word()));
  else if (key == "output_bytes")
    row.output_bytes = words.as<std::int64_t>(words.word());
  else if (key == "leftover")
    row.leftover = words.keep(parse_leftover(words.word()));
}

void read_outcome_line(Row& row, Words& words, std::string_view) {
  const std::string_view key = words.word();
  if (key == "run")
    row.run = words.keep(RunId::parse(words.word()));
  else if (key == "attempt")
    row.attempt = words.as<int>(words.word());
  else if (key == "job")
    row.job = words.word();
  else if (key == "group")
    row.group = words.word();
  else if (key == "slot")
    row.slot = words.time();
  else if (key == "trigger")
    row.trigger = words.keep(parse_trigger(words.word()));
  else if (key == "node")
    row.node = words.word();
  else if (key == "epoch")
    row.epoch = words.number();
  else if (key == "fence")
    row.fence = words.number();
  else
    read_end(row, words, key);
}

}  // namespace

std::string outcome_record(const runner::AttemptId& id) {
  return std::string(outcome_prefix) + id.run.text() + "." + std::to_string(id.attempt);
}

std::string outcome_text(const Row& row) {
  std::string text(heading);
  text += "\n";
  const auto number = [&](std::string_view key, auto value) { line(text, key, std::to_string(value)); };
  line(text, "run", row.run->text());
  number("attempt", row.attempt);
  line(text, "job", row.job);
  line(text, "group", row.group);
  line(text, "slot", format_millis(row.slot));
  line(text, "trigger", to_string(row.trigger));
  line(text, "node", row.node);
  number("epoch", row.epoch);
  number("fence", row.fence);
  line(text, "status", to_string(row.status));
  if (row.reason != Reason::none) line(text, "reason", to_string(row.reason));
  if (row.exit_code) number("exit_code", *row.exit_code);
  if (row.signal) number("signal", *row.signal);
  if (row.started_at) line(text, "started_at", format_millis(*row.started_at));
  if (row.ended_at) line(text, "ended_at", format_millis(*row.ended_at));
  if (row.duration) number("duration_ms", row.duration->count());
  if (row.output_bytes > 0) number("output_bytes", row.output_bytes);
  if (row.leftover != Leftover::none) line(text, "leftover", to_string(row.leftover));
  return text;
}

Result<Row> parse_outcome(std::string_view text) {
  Result<Row> row = parse_lines<Row>(text, "the outcome", read_outcome_line);
  if (row && !row->run) return Error{Errc::corrupt, "the outcome names no run"};
  return row;
}

}  // namespace ballot::core
