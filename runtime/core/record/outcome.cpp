#include "core/record/outcome.hpp"

#include "core/record/record_text.hpp"
#include "core/record/trigger_text.hpp"

namespace ballot::core {
namespace {

constexpr int largest_signal = 64;

using RowField = Field<Row>;
constexpr RowField row_fields[] = {
    {"run", Times::once, [](Row& row, Words& w) { row.run = w.keep(RunId::parse(w.word())); }},
    {"attempt", Times::once, [](Row& row, Words& w) { row.attempt = w.count(1); }},
    {"job", Times::once, [](Row& row, Words& w) { row.job = w.name(); }},
    {"group", Times::once, [](Row& row, Words& w) { row.group = w.name(); }},
    {"slot", Times::once, [](Row& row, Words& w) { row.slot = w.time(); }},
    {"trigger", Times::once, [](Row& row, Words& w) { row.trigger = w.keep(parse_trigger(w.word())); }},
    {"kind", Times::at_most_once, [](Row& row, Words& w) { row.trigger = w.keep(parse_trigger(w.word())); }},
    {"node", Times::once, [](Row& row, Words& w) { row.node = w.word(); }},
    {"epoch", Times::once, [](Row& row, Words& w) { row.epoch = w.counter(); }},
    {"fence", Times::once, [](Row& row, Words& w) { row.fence = w.counter(); }},
    {"status", Times::once, [](Row& row, Words& w) { row.status = w.keep(Named<Status>::parse(w.word())); }},
    {"reason", Times::at_most_once, [](Row& row, Words& w) { row.reason = w.keep(Named<Reason>::parse(w.word())); }},
    {"exit_code", Times::at_most_once, [](Row& row, Words& w) { row.exit_code = w.number(0, 255); }},
    {"signal", Times::at_most_once, [](Row& row, Words& w) { row.signal = w.number(1, largest_signal); }},
    {"started_at", Times::at_most_once, [](Row& row, Words& w) { row.started_at = w.time(); }},
    {"ended_at", Times::at_most_once, [](Row& row, Words& w) { row.ended_at = w.time(); }},
    {"duration_ms", Times::at_most_once,
     [](Row& row, Words& w) { row.duration = Millis(w.number<std::int64_t>(0, longest_span.count())); }},
    {"output_bytes", Times::at_most_once,
     [](Row& row, Words& w) {
       row.output_bytes = w.number<std::int64_t>(0, static_cast<std::int64_t>(largest_counter));
     }},
    {"leftover", Times::at_most_once, [](Row& row, Words& w) { row.leftover = w.keep(parse_leftover(w.word())); }},
};

std::string_view fault_of_row(const Row& row) { return is_final(row.status) ? "" : "it is of no end"; }

constexpr TextForm<Row> row_form{"the outcome", row_fields, fault_of_row};

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
  line(text, "trigger", to_string(known_before(row.trigger)));
  if (known_before(row.trigger) != row.trigger) line(text, "kind", to_string(row.trigger));
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

Result<Row> parse_outcome(std::string_view text) { return parse_text(row_form, text); }

}  // namespace ballot::core
