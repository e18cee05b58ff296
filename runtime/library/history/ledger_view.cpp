#include "library/history/ledger_view.hpp"

#include <algorithm>
#include <utility>

#include "config/names.hpp"

namespace ballot::library {
namespace {

/// A node that has left the fleet is known by what it did.
Result<bool> has_done_something(LedgerView& ledger, const std::string& node) {
  bool is_found = false;
  const auto row = ledger.history({.nodes = {node}, .limit = 1}, [&](const Row&) { return is_found = true, false; });
  if (!row) return row.error();
  if (is_found) return true;
  const auto request =
      ledger.requests({.nodes = {node}, .limit = 1}, [&](const RequestRow&) { return is_found = true, false; });
  return request ? Result<bool>(is_found) : request.error();
}

}  // namespace

Row as_shown(Row row, bool is_evidence) {
  if (is_evidence && !row.run && row.status == Status::claimed) row.status = *Named<Status>::parse("ended");
  return row;
}

Result<void> LedgerView::newest_rows(storage::Filter filter, const VisitPlacedRow& visit) {
  filter.after.reset();
  bool goes_on = true;
  for (const std::string& job : std::vector<std::string>(std::move(filter.jobs))) {
    filter.jobs = {job};
    const auto read = walk(filter, [&](const Row& row, const auto& at) { return goes_on = visit(row, at); });
    if (!read) return read.error();
    if (!goes_on) break;
  }
  return {};
}

Result<std::vector<UsualTime>> LedgerView::usual_times(const std::vector<std::string>& jobs, WallTime now) {
  return read_usual_times(*this, jobs, now);
}

Result<void> require_nodes(LedgerView& ledger, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const auto known = ledger.nodes();
  if (!known && known.error().code == Errc::invalid) return {};
  if (!known) return known.error();
  for (const std::string& name : names) {
    if (std::find(known->begin(), known->end(), name) != known->end()) continue;
    const auto is_known = has_done_something(ledger, name);
    if (!is_known) return is_known.error();
    if (*is_known) continue;
    const std::vector<std::string_view> near(known->begin(), known->end());
    return not_known(ledger,
                     "no node " + name + " is in the fleet that this node knows, nor in " +
                         (ledger.is_of_fleet() ? "the ledger of a node that answers" : "this node's ledger"),
                     config::did_you_mean(name, near));
  }
  return {};
}

}  // namespace ballot::library
