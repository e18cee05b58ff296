// UsualTime: how long a job's runs take as a rule, by runs of before the last ones. There is this one rule: `ballot
// slow` and `ballot simulate` go by it, and the page, to which the API says it.
//
//   which runs count | those that succeeded, each with how long its last attempt took
//   week             | the middle of those of the two weeks before the last day: of the 8 newest before one, two, four,
//                    | seven and ten days ago, so at about this time of the day. At least 3
//   recent           | else, of a job that is known for a day or so, the middle of the older half of the last 60, not
//                    | the 3 newest; or of all 60 where that is less. At least 3
//   few              | else the middle of the last 60; also where these may lack runs that a node knows which does not
//                    | answer
//   slower since     | where these runs have grown slow for good, by half as much again and a second, only those before
//                    | count: six of eight of them took less than seven of eight of those since. Of a job whose last 60
//                    | are of less than a day older ones of the day are looked at, too; and of one whose runs are all
//                    | of the last ten days its 3 to 15 oldest. Where these alone are quick, and it is known for more
//                    | than a day, it has to be slow at all times of the last day. The first slow run of all is found
//                    | by further reads between those that are looked at: of a hundred runs one, else 20 at most
//
// So a job that is slow is not usual, for hours or for days, until it has been so for ten days or is quick again: for
// an eighth of what is looked at since it is slow, 8 runs of the last 60.
//
//   const auto usual = ledger.usual_times({"backup"}, now);   // 20m, by its week
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/ledger.hpp"

namespace ballot::library {

class LedgerView;
struct MissingNode;

/// Less is noise: a run of some milliseconds is not slow.
inline constexpr Millis least_slowness{1000};

struct UsualTime {
  enum class Basis {
    none,  // it has no success
    few,   // too few to say what is usual
    recent,
    week
  };
  Basis basis = Basis::none;
  Millis takes{0};
  std::size_t runs = 0;                       // of how many it is the middle
  std::optional<WallTime> slower_since = {};  // they have grown slow for good then; none of them is from then on
  /// They have grown slow, and when could not be read.
  struct Unread {
    WallTime quick_until;
    std::string why;
  };
  std::optional<Unread> unread = {};

  bool is_known() const { return basis == Basis::recent || basis == Basis::week; }
  /// Runs from then on are held against it.
  WallTime until(WallTime now) const;
};

std::string_view to_string(UsualTime::Basis basis);

/// `rows`: of one job, newest first; what else they are than what the rule names does not count. `missing`: the nodes
/// whose rows are not among them. Pure.
UsualTime usual_of(const std::vector<Row>& rows, WallTime now, const std::vector<MissingNode>& missing);

/// Of each job, in their order: what the rule names is read of many jobs at once. Errors: those of the ledger. Threads:
/// that of the ledger; blocks.
Result<std::vector<UsualTime>> read_usual_times(LedgerView& ledger, const std::vector<std::string>& jobs, WallTime now);

}  // namespace ballot::library
