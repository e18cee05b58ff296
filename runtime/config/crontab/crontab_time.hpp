// The times of a crontab line, as a schedule that is due at the same minutes.
//
// The grammar is that of Debian's cron, which is narrower than a job file's: numbers, ranges and lists, `*`, steps of a
// range or of `*`, names of months and weekdays (in any case), and the macros (in small letters). Days mean the same in
// both, also that a field which begins with `*` restricts beside the other one. What differs is written as the job file
// has it (a step beyond the field's end), and what cron overlooks or reads as no value at all is a fault: a line that
// does less than it says should not be moved unseen. Pure; knows nothing of lines and files.
//
//   std::vector<CrontabFault> faults;
//   crontab_schedule({{"*/90", 0}, {"2", 5}, {"*", 7}, {"*", 9}, {"mon-fri", 11}}, faults)   // "*/60 2 * * mon-fri"
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::config {

/// A word of a line, and the byte at which it begins.
struct CrontabWord {
  std::string_view text;
  std::size_t at = 0;
};

struct CrontabFault {
  std::size_t at = 0;  // byte of the line
  std::string text;
};

/// The schedule of five fields, or of one word that begins with `@`. At most one fault is added for each field; with a
/// fault the result is meaningless.
std::string crontab_schedule(std::span<const CrontabWord> words, std::vector<CrontabFault>& faults);

}  // namespace ballot::config
