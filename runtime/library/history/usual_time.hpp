// UsualTime: how long a job's runs take as a rule. There is this one rule: `ballot slow` and `ballot simulate` go by
// it, and the page, to which the API says it.
//
//   which runs count | those that succeeded, each with how long its last attempt took
//   week             | the middle of those of the last seven days but for the last one: of the 12 newest before one day
//                    | ago, the 12 before three days ago and the 12 before five days ago, so at about this time of the
//                    | day. At least 3
//   recent           | else of the last 100, however old: the middle of the older half, which leaves out at least the 3
//                    | newest; or of the older half of that one where it is less: the time before the job grew slow. At
//                    | least 3
//   few              | else the middle of the last 100; also where these may lack runs that a node knows which does not
//                    | answer
//
// So a job that is slow for hours is not usual.
//
//   const auto usual = ledger.usual_times({"backup"}, now);   // 20m, by its week
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/ledger.hpp"

namespace ballot::library {

class LedgerView;
struct MissingNode;

struct UsualTime {
  enum class Basis {
    none,  // it has no success
    few,   // too few to say what is usual
    recent,
    week
  };
  Basis basis = Basis::none;
  Millis takes{0};
  std::size_t runs = 0;  // of how many it is the middle

  bool is_known() const { return basis == Basis::recent || basis == Basis::week; }
};

std::string_view to_string(UsualTime::Basis basis);

/// `rows`: of one job, newest first; what else they are than what the rule names does not count. `missing`: the nodes
/// whose rows are not among them. Pure.
UsualTime usual_of(const std::vector<Row>& rows, WallTime now, const std::vector<MissingNode>& missing);

/// Of each job, in their order: what the rule names is read of many jobs at once. Errors: those of the ledger. Threads:
/// that of the ledger; blocks.
Result<std::vector<UsualTime>> read_usual_times(LedgerView& ledger, const std::vector<std::string>& jobs, WallTime now);

}  // namespace ballot::library
