// PartialOutputs: what attempts that this node executes have printed so far, for the fleet's history: of those that go
// on and have printed something since the last time.
//
// Thread: the one that uses it; calls block as long as the runner takes to answer.
//
//   PartialOutputs outputs(place, goes_on);
//   std::vector<OutputRow> changed = outputs.take();
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "ballot/history_rows.hpp"
#include "base/runner_wire.hpp"
#include "library/history/file_ledger.hpp"

namespace ballot::library {

class PartialOutputs {
 public:
  PartialOutputs(LedgerPlace place, std::function<bool()> goes_on)
      : place_(std::move(place)), goes_on_(std::move(goes_on)) {}

  std::vector<OutputRow> take();

 private:
  std::optional<Output> read(LedgerView& ledger, const runner::AttemptId& attempt, std::int64_t& known) const;

  const LedgerPlace place_;
  const std::function<bool()> goes_on_;
  std::map<runner::AttemptId, std::int64_t> totals_;  // when they were taken last
};

}  // namespace ballot::library
