#include "library/metrics/record_counter.hpp"

#include <utility>

namespace ballot::library {
namespace {

constexpr std::size_t ends_kept = 4096;

}  // namespace

void RecordCounter::on_row(const core::RecordRow& record) {
  const Row& row = record.row;
  if (record.if_absent) return;
  if (record.claim_took) metrics_.add_claim_duration(row.group, *record.claim_took);
  if (record.start_lateness) metrics_.add_start_lateness(row.group, *record.start_lateness);
  const std::string_view status = row.status.text(), reason = row.reason.text();
  if (!row.run && core::is_of_slot(row))
    metrics_.count_slots(row.group, status, reason, static_cast<std::uint64_t>(row.slots));
  if (!row.run || !is_first_end(row)) return;
  metrics_.count_attempt(row.group, status, reason);
  if (row.attempt == 1 && core::is_of_slot(row)) metrics_.count_slots(row.group, status, reason, 1);
  if (row.duration) metrics_.add_run_duration(row.group, *row.duration);
}

void RecordCounter::on_term(const core::RecordTerm& record) {
  if (!record.elected_after) return;
  const std::string_view cause = to_string(*record.elected_after);
  metrics_.count_election(record.term.group, cause.empty() ? "none" : cause);
}

void RecordCounter::on_notify(const core::Notify& notice) {
  using Event = core::Notify::Event;
  const std::string& group = notice.row.group;
  if (notice.event == Event::late) metrics_.count_unmet(group, "late_after");
  if (notice.event == Event::slow) metrics_.count_unmet(group, "expect_within");
  if (notice.event == Event::overdue) metrics_.count_unmet(group, "expect_success");
}

bool RecordCounter::is_first_end(const Row& row) {
  const bool own = row.node == node_ || row.status == Status::lost;
  if (!own || !is_final(row.status) || !ended_.emplace(*row.run, row.attempt).second) return false;
  order_.emplace_back(*row.run, row.attempt);
  if (order_.size() > ends_kept) {
    ended_.erase(order_.front());
    order_.pop_front();
  }
  return true;
}

io::Engine::Observer RecordCounter::observer() {
  io::Engine::Observer observer;
  observer.on_row = [this](const core::RecordRow& record) { on_row(record); };
  observer.on_term = [this](const core::RecordTerm& record) { on_term(record); };
  observer.on_notify = [this](const core::Notify& notice) { on_notify(notice); };
  return observer;
}

}  // namespace ballot::library
