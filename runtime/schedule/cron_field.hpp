// One field of a cron expression: text to sets of bits. Numbers and names in any case, in a list of
//
//   *  ?  */n       every value; every nth from the first
//   a  a-b  a-b/n   one value; a range; every nth of it. a/n: from a to the last
//   H  H(a-b)       one value that the job's name picks, of the field's range (day of the month: 1 to 28) or of a to b
//   H/n  H(a-b)/n   every nth of that range, from one of its first n values, picked the same way
//   L  L-n          day of the month: the last; the nth before it
//   nW  LW          day of the month: the weekday (Monday to Friday) nearest to day n in the same month, and none in a
//                   month without day n; the last weekday
//   d#n  dL         day of the week: the month's nth d, 1 to 5; its last d
//
// Sunday is 0 and 7. A range does not run backwards (FRI-MON, 22-2): crons differ in what they make of it, so the
// error says how to write it as two.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schedule/cron_fields.hpp"
#include "schedule/hash_seed.hpp"

namespace ballot::schedule {

enum class CronField { second, minute, hour, day_of_month, month, day_of_week };

/// What is wrong in an expression, and where: the column counts bytes from 1.
struct CronFault {
  int column = 1;
  std::string text;
};

/// Adds what `text` says of the field to `into`; the first fault if it makes no sense. `column` is that of its first
/// byte. Requires: not empty.
std::optional<CronFault> parse_cron_field(CronField field, std::string_view text, int column, const HashSeed& seed,
                                          CronFields& into);

}  // namespace ballot::schedule
