#include "library/why/upstream_text.hpp"

#include <optional>

#include "base/short_id.hpp"
#include "base/wall_text.hpp"
#include "core/event.hpp"

namespace ballot::library {
namespace {

constexpr std::int64_t most_rows = 32;

/// Its slot is that of a trigger: a schedule's are whole seconds.
bool is_of_trigger(const Row& row) {
  return row.trigger == Trigger::chain || row.slot != std::chrono::floor<std::chrono::seconds>(row.slot);
}

/// The last attempt of the latest slot that a schedule wanted; for one of a trigger, of the latest slot at all.
std::optional<Row> latest(const std::string& job, WallTime slot, bool is_any, LedgerView& ledger) {
  std::optional<Row> latest;
  const storage::Filter filter{.jobs = {job}, .until = slot + Millis(1), .limit = most_rows};
  (void)ledger.history(filter, [&](const Row& row) {
    if (!latest && (is_any || core::is_of_slot(row))) latest = row;
    return !latest;
  });
  return latest;
}

std::string text_of(const std::string& job, const std::optional<Row>& row) {
  if (!row) return " Of job " + job + ", after which it comes, no slot at or before it is recorded.";
  std::string text = " It comes after job " + job + ", whose slot " + format_slot(row->slot_until.value_or(row->slot));
  if (row->status == Status::running)
    text += " runs" + (row->started_at ? " since " + format_millis(*row->started_at) : "");
  else if (!is_final(row->status))
    text += " is " + std::string(to_string(row->status));
  else
    text += " " + std::string(row->status.description());
  if (row->reason != Reason::none) text += ": " + std::string(row->reason.description());
  if (row->ended_at) text += ", ended " + format_millis(*row->ended_at);
  if (row->run) text += " (run " + short_id(*row->run) + (row->node.empty() ? "" : " on " + row->node) + ")";
  return text + ".";
}

}  // namespace

std::string upstream_text(const Row& row, LedgerView& ledger, const std::vector<std::string>& after) {
  std::string text;
  for (const std::string& job : after) text += text_of(job, latest(job, row.slot, is_of_trigger(row), ledger));
  return text;
}

}  // namespace ballot::library
