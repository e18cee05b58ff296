// CronRules: when Debian's cron starts a line, from crontab(5) and cron(8): bits for each field, looked at minute by
// minute. Knows nothing of ballot's schedules: what the tests of the import expect comes from here.
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ballot/time.hpp"

namespace ballot::testing {

class CronRules {
 public:
  using Minute = std::chrono::sys_time<std::chrono::minutes>;

  /// `times`: five fields, or a macro but @reboot. Throws where cron would refuse them.
  explicit CronRules(std::string times) {
    static const std::map<std::string, std::string> macros{
        {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
        {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"}};
    if (const auto macro = macros.find(times); macro != macros.end()) times = macro->second;
    std::istringstream words(times);
    constexpr int low[] = {0, 0, 1, 1, 0}, high[] = {59, 23, 31, 12, 7};
    for (std::size_t i = 0; i < 5; ++i) {
      std::string field;
      if (!(words >> field)) throw std::invalid_argument(times);
      star_[i] = field[0] == '*';
      std::istringstream items(field);
      for (std::string item; std::getline(items, item, ',');) add(i, item, low[i], high[i]);
    }
    if (bits_[4][0] || bits_[4][7]) bits_[4].set(0).set(7);
  }

  /// Whether a line is started at this minute of the wall's clock.
  bool matches(Minute wall) const {
    const auto day = std::chrono::floor<std::chrono::days>(wall);
    const auto of_day = static_cast<std::size_t>((wall - day).count());
    return bits_[0][of_day % 60] && bits_[1][of_day / 60] && matches_day(day);
  }
  bool matches_day(std::chrono::sys_days day) const {
    const std::chrono::year_month_day date(day);
    const bool dom = bits_[2][unsigned(date.day())], dow = bits_[4][std::chrono::weekday(day).c_encoding()];
    return bits_[3][unsigned(date.month())] && (star_[2] || star_[4] ? dom && dow : dom || dow);
  }

  /// The first `count` minutes after `after`, up to `until`, of a clock without daylight saving.
  std::vector<WallTime> next(WallTime after, std::size_t count, WallTime until) const {
    using std::chrono::minutes;
    std::vector<WallTime> found;
    auto at = std::chrono::floor<minutes>(after) + minutes(1);
    while (at <= until && found.size() < count) {
      const auto day = std::chrono::floor<std::chrono::days>(at);
      if (!matches_day(day)) {
        at = day + std::chrono::days(1);
      } else if (const auto hour = std::chrono::floor<std::chrono::hours>(at);
                 !bits_[1][std::size_t((hour - day).count())]) {
        at = hour + std::chrono::hours(1);
      } else {
        if (matches(at)) found.push_back(at);
        at += minutes(1);
      }
    }
    return found;
  }

  /// What cron starts where the wall's clock is `offset` ahead of UTC. It has a clock of its own, of minutes, which
  /// goes with the wall's. Where that jumps ahead by up to three hours, lines with a `*` in front of minute or hour go
  /// on with the wall's, and of the others it makes up for each minute that was jumped over; where it jumps back, the
  /// others wait until the wall's clock is there again.
  std::vector<WallTime> between(WallTime after, WallTime until,
                                const std::function<std::chrono::seconds(WallTime)>& offset) const {
    using std::chrono::minutes;
    const bool wild = star_[0] || star_[1];
    std::vector<WallTime> started;
    const auto wall_at = [&](Minute at) { return std::chrono::floor<minutes>(at + offset(at)); };
    const auto start = [&](Minute wall, WallTime at) {
      if (matches(wall)) started.push_back(at);
    };
    auto at = std::chrono::floor<minutes>(after);
    for (auto own = wall_at(at); (at += minutes(1)) <= until;) {
      const auto wall = wall_at(at);
      const auto ahead = wall - own;
      if (ahead == minutes(1)) {
        own = wall;
        start(wall, at);
      } else if (ahead > minutes(5) && ahead <= minutes(180)) {
        if (wild) start(wall, at);
        while (own < wall) {
          own += minutes(1);
          if (!wild) start(own, at);
        }
      } else if (ahead <= minutes(0) && ahead > minutes(-180)) {
        if (wild) start(wall, at);
      } else {
        throw std::invalid_argument("a jump of the clock that the tests do not make");
      }
    }
    return started;
  }

 private:
  void add(std::size_t field, const std::string& item, int low, int high) {
    const std::size_t slash = item.find('/');
    const std::string range = item.substr(0, slash);
    const int step = slash == item.npos ? 1 : std::atoi(item.substr(slash + 1).c_str());
    const std::size_t dash = range.find('-');
    int from = low, to = high;
    if (range != "*") {
      from = number(field, range.substr(0, dash));
      to = dash == range.npos ? from : number(field, range.substr(dash + 1));
    }
    if (from < low || to > high || from > to || step < 1) throw std::invalid_argument(item);
    for (int i = from; i <= to; i += step) bits_[field].set(static_cast<std::size_t>(i));
  }

  static int number(std::size_t field, std::string text) {
    static const std::string months = "jan feb mar apr may jun jul aug sep oct nov dec",
                             weekdays = "sun mon tue wed thu fri sat";
    for (char& c : text) c = static_cast<char>(std::tolower(c));
    if (text.find_first_not_of("0123456789") == text.npos) return std::atoi(text.c_str());
    const std::size_t at = field == 3 ? months.find(text) : field == 4 ? weekdays.find(text) : text.npos;
    if (at == text.npos || at % 4 != 0 || text.size() != 3) throw std::invalid_argument(text);
    return static_cast<int>(at / 4) + (field == 3 ? 1 : 0);
  }

  std::array<std::bitset<64>, 5> bits_;
  std::array<bool, 5> star_{};
};

}  // namespace ballot::testing
