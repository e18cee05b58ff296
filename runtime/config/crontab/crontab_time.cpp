#include "config/crontab/crontab_time.hpp"

#include <algorithm>
#include <array>

#include "config/diagnostics.hpp"
#include "config/names.hpp"

namespace ballot::config {
namespace {

constexpr std::array<std::string_view, 12> months{"jan", "feb", "mar", "apr", "may", "jun",
                                                  "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> weekdays{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::array<std::string_view, 8> crontab_macros{"@annually", "@daily",  "@hourly", "@midnight",
                                                         "@monthly",  "@reboot", "@weekly", "@yearly"};
constexpr int beyond_all = 1'000'000;

struct TimeRule {
  std::string_view name;
  int low, high;
  int longest_step;  // of a job file's: any longer one also leaves the first value alone
  std::span<const std::string_view> names;
};

constexpr std::array<TimeRule, 5> time_rules{{{"minute", 0, 59, 60, {}},
                                              {"hour", 0, 23, 24, {}},
                                              {"day-of-month", 1, 31, 31, {}},
                                              {"month", 1, 12, 12, months},
                                              {"day-of-week", 0, 7, 7, weekdays}}};

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

/// Reads one field from left to right. Its functions return whether all is well; the first that is not sets the fault.
class TimeReader {
 public:
  TimeReader(const TimeRule& rule, CrontabWord word) : rule_(rule), word_(word) {}

  bool read() {
    do {
      const std::size_t begin = position_;
      if (!read_item()) return false;
      if (!at_end() && !ahead(',')) return overlooked(begin);
    } while (take(','));
    return true;
  }
  const std::string& schedule() const { return schedule_; }
  CrontabFault& fault() { return fault_; }

 private:
  bool at_end() const { return position_ == word_.text.size(); }
  bool ahead(char c) const { return !at_end() && word_.text[position_] == c; }
  /// What is taken is written too.
  bool take(char c) { return ahead(c) && (schedule_ += word_.text[position_++], true); }

  bool read_item() {
    if (take('*')) return read_step();
    const std::size_t begin = position_;
    int low = 0, high = 0;
    if (!read_value(low)) return false;
    if (ahead('/')) return step_of_one(begin);
    if (!take('-')) return true;
    if (!read_value(high)) return false;
    if (low > high)
      return fail(begin, in_quotes(word_.text.substr(begin, position_ - begin)) +
                             " runs backwards, and cron is never due by it; write two ranges, where that is meant");
    return read_step();
  }

  bool read_value(int& value) {
    const std::size_t begin = position_;
    while (!at_end() && is_letter_or_digit(word_.text[position_])) ++position_;
    const std::string_view text = word_.text.substr(begin, position_ - begin);
    const auto name = std::find(rule_.names.begin(), rule_.names.end(), in_small_letters(text));
    schedule_ += text;
    if (name != rule_.names.end()) return value = static_cast<int>(name - rule_.names.begin()) + rule_.low, true;
    return read_number(begin, text, value) && (value >= rule_.low && value <= rule_.high ? true : no_value(begin));
  }

  bool read_number(std::size_t begin, std::string_view digits, int& value) {
    value = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return no_value(begin);
      value = std::min(value * 10 + (c - '0'), beyond_all);
    }
    return !digits.empty() || no_value(begin);
  }

  bool read_step() {
    if (!take('/')) return true;
    const std::size_t begin = position_;
    while (!at_end() && is_letter_or_digit(word_.text[position_])) ++position_;
    int step = 0;
    if (!read_number(begin, word_.text.substr(begin, position_ - begin), step)) return false;
    if (step == 0) return no_value(begin);
    schedule_ += std::to_string(std::min(step, rule_.longest_step));
    return true;
  }

  bool no_value(std::size_t begin) {
    const std::string_view rest = word_.text.substr(begin, word_.text.find(',', begin) - begin);
    const std::string found = rest.empty() ? "a value is missing" : in_quotes(rest) + " is no value of cron's";
    return fail(begin, found + "; " + std::string(rule_.name) + " is " + std::to_string(rule_.low) + " to " +
                           std::to_string(rule_.high) + (rule_.names.empty() ? "" : " or a name of three letters") +
                           ", or *, in lists (a,b), ranges (a-b) and steps (*/n, a-b/n)");
  }

  bool step_of_one(std::size_t begin) {
    const std::string value(word_.text.substr(begin, position_ - begin));
    const std::string_view step = word_.text.substr(position_, word_.text.find(',', position_) - position_);
    return fail(begin, "cron wants a range before a step; write " + value + "-" + std::to_string(rule_.high) +
                           std::string(step));
  }

  bool overlooked(std::size_t begin) {
    const std::string_view rest = word_.text.substr(position_);
    return fail(position_, "cron reads " + in_quotes(word_.text.substr(begin, position_ - begin)) + " and overlooks " +
                               in_quotes(rest) +
                               (rest.starts_with('~') ? "; write the time that is meant, or in the job file H(a-b)"
                                                      : "; write what is meant"));
  }

  bool fail(std::size_t position, std::string text) {
    fault_ = {word_.at + position, std::move(text)};
    return false;
  }

  const TimeRule& rule_;
  CrontabWord word_;
  std::size_t position_ = 0;
  std::string schedule_;
  CrontabFault fault_;
};

}  // namespace

std::string crontab_schedule(std::span<const CrontabWord> words, std::vector<CrontabFault>& faults) {
  if (words.front().text.starts_with('@')) {
    const std::string_view macro = words.front().text;
    if (std::find(crontab_macros.begin(), crontab_macros.end(), macro) == crontab_macros.end())
      faults.push_back({words.front().at, "cron has no " + in_quotes(macro) + suggestion(macro, crontab_macros)});
    return std::string(macro);
  }
  std::string schedule;
  for (std::size_t i = 0; i < time_rules.size(); ++i) {
    TimeReader reader(time_rules[i], words[i]);
    if (!reader.read()) faults.push_back(std::move(reader.fault()));
    schedule += (i == 0 ? "" : " ") + reader.schedule();
  }
  return schedule;
}

}  // namespace ballot::config
