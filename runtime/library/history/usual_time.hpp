// UsualTime: how long a job's runs take as a rule, by its ledger. The rule is that of the page (learnUsual of
// http/page/lists.js): the middle of its successes of the last seven days, but for the last one, at about this time of
// the day; of a job that is not known so long, of the older half of its last hundred slots. So a job that is slow for
// hours is not usual.
//
//   const auto usual = usual_time(ledger, "backup", now);   // 20m, by its week
#pragma once

#include <optional>
#include <string>

#include "library/history/ledger_view.hpp"

namespace ballot::library {

struct UsualTime {
  enum class Basis {
    none,    // it has no success
    few,     // too few for the rule: the middle of those that there are
    recent,  // the older half of its last hundred slots
    week     // its week
  };
  Basis basis = Basis::none;
  Millis takes{0};
};

/// Errors: those of the ledger. Threads: that of the ledger; blocks.
Result<UsualTime> usual_time(LedgerView& ledger, const std::string& job, WallTime now);

}  // namespace ballot::library
