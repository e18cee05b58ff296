#include "config/ical.hpp"

#include <algorithm>
#include <optional>

#include "base/utf8.hpp"
#include "config/diagnostics.hpp"
#include "schedule/calendar.hpp"

namespace ballot::config {
namespace {

using schedule::local_days;
using std::chrono::days;

constexpr std::size_t most_faults = 10, most_events = 10'000, most_nested = 16;
const local_days last_day = local_days(schedule::Calendar::horizon / 1 / 1) - days(1);
constexpr int longest_event = 36'525;  // days

bool same_word(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return (a >= 'a' && a <= 'z' ? static_cast<char>(a - 'a' + 'A') : a) == b; };
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), same);
}

/// A content line: NAME *(;PARAMETER) : VALUE.
struct Line {
  int number = 0;
  std::string_view name, parameters, value;

  bool is(std::string_view word) const { return same_word(name, word); }
};

/// The lines of a text, unfolded.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// The next one as it is, without its end; false: there is none.
  bool next(std::string& line, int& number) {
    if (rest_.empty()) return false;
    number = next_;
    line = take();
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) line += take().substr(1);
    return true;
  }

 private:
  std::string_view take() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++next_;
    return line;
  }

  std::string_view rest_;
  int next_ = 1;
};

/// What stands in quotes may have ':' and ';' in it.
std::size_t find_outside_quotes(std::string_view text, std::string_view wanted) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && wanted.find(text[i]) != std::string_view::npos) return i;
  }
  return std::string_view::npos;
}

std::optional<Line> parse(std::string_view text, int number) {
  const std::size_t end = find_outside_quotes(text, ";:"), colon = find_outside_quotes(text, ":");
  if (end == 0 || colon == std::string_view::npos) return std::nullopt;
  return Line{number, text.substr(0, end), text.substr(end, colon - end), text.substr(colon + 1)};
}

std::optional<int> number_of(std::string_view digits) {
  if (digits.empty() || digits.size() > 8) return std::nullopt;
  int number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

/// "20261225".
std::optional<local_days> date_of(std::string_view text) {
  const auto number = text.size() == 8 ? number_of(text) : std::nullopt;
  if (!number) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*number / 10'000),
                                         std::chrono::month(static_cast<unsigned>(*number / 100 % 100)),
                                         std::chrono::day(static_cast<unsigned>(*number % 100)));
  if (!date.ok() || date.year() < std::chrono::year(1800) || date.year() >= schedule::Calendar::horizon)
    return std::nullopt;
  return local_days(date);
}

/// "P1D", "P2W".
std::optional<int> days_of(std::string_view duration) {
  if (duration.starts_with('+')) duration.remove_prefix(1);
  if (!duration.starts_with('P') || duration.size() < 3) return std::nullopt;
  const char unit = duration.back();
  const auto number = number_of(duration.substr(1, duration.size() - 2));
  if (!number || *number < 1 || *number > longest_event || (unit != 'D' && unit != 'W')) return std::nullopt;
  return *number * (unit == 'W' ? 7 : 1);
}

/// As many whole characters as are enough to know an event by.
std::string beginning_of(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t next; end < 60 && (next = utf8_length(text.substr(end))) > 0;) end += next;
  return std::string(text.substr(0, end));
}

struct Event {
  int line = 0;
  std::optional<local_days> from, end;
  std::optional<int> length;
  std::optional<IcalFault> fault;  // the first one
  std::string summary;
  bool cancelled = false;
};

class Reader {
 public:
  void read(const Line& line) {
    if (line.is("BEGIN"))
      begin(line);
    else if (line.is("END"))
      end(line);
    else if (event_ && open_.size() == depth_)
      read_event(line);
  }
  /// Of the event that is read, whose others are no news: it is kept until its end, as a cancelled event has none.
  void fault(int line, std::string text) {
    if (!event_)
      add({line, std::move(text)});
    else if (!event_->fault)
      event_->fault = {line, std::move(text)};
  }
  bool is_full() const { return found_.faults.size() >= most_faults; }
  IcalDays finish(int last_line) {
    if (!is_calendar_)
      add({last_line, "this is no iCalendar file: it has no BEGIN:VCALENDAR"});
    else if (!open_.empty())
      add({last_line, "the file ends before the END of " + in_quotes(open_.back().substr(0, 40))});
    return std::move(found_);
  }

 private:
  void add(IcalFault fault) {
    if (!is_full()) found_.faults.push_back(std::move(fault));
  }

  void begin(const Line& line) {
    if (open_.size() >= most_nested) return fault(line.number, "BEGIN is nested too deeply");
    const bool is_first = open_.empty();
    if (is_first && !same_word(line.value, "VCALENDAR"))
      return fault(line.number, "is no part of an iCalendar file: that begins with BEGIN:VCALENDAR");
    is_calendar_ = true;
    open_.emplace_back(line.value);
    if (event_ || !same_word(line.value, "VEVENT")) return;
    event_.emplace();
    event_->line = line.number;
    depth_ = open_.size();
  }

  void end(const Line& line) {
    if (open_.empty() || open_.back() != line.value)
      return fault(line.number, "END of " + in_quotes(line.value.substr(0, 40)) + " ends nothing that has begun");
    if (event_ && open_.size() == depth_) finish_event();
    open_.pop_back();
  }

  void read_event(const Line& line) {
    for (const char* const word : {"RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID"})
      if (line.is(word))
        return fault(line.number, "an event with " + std::string(word) +
                                      " recurs, which is not read: export the calendar with each day as an event of "
                                      "its own, or write the days to 'dates' (\"12-25\" is every year's)");
    if (line.is("SUMMARY")) event_->summary = beginning_of(line.value);
    if (line.is("STATUS")) event_->cancelled = same_word(line.value, "CANCELLED");
    if (line.is("DTSTART")) read_date(line, event_->from);
    if (line.is("DTEND")) read_date(line, event_->end);
    if (!line.is("DURATION")) return;
    event_->length = days_of(line.value);
    if (!event_->length)
      fault(line.number, "an event's DURATION must be whole days or weeks, such as P1D: only all-day events are read");
  }

  void read_date(const Line& line, std::optional<local_days>& into) {
    if (line.value.find('T') != std::string_view::npos)
      return fault(line.number,
                   std::string(line.name) +
                       " has a time of day: only all-day events are read, such as DTSTART;VALUE=DATE:20261225");
    into = date_of(line.value);
    if (!into)
      fault(line.number,
            in_quotes(line.value.substr(0, 40)) + " is no day of the years 1800 to 2399, such as 20261225");
  }

  void finish_event() {
    const Event& event = *event_;
    if (!event.from) fault(event.line, "an event without DTSTART has no day");
    const bool has_length = event.from && event.length && !event.end;
    const local_days after =
        event.end ? *event.end : event.from.value_or(local_days()) + days(has_length ? *event.length : 1);
    // Some programs write a DTEND that is DTSTART for one day.
    const local_days last = std::clamp(after - days(1), event.from.value_or(local_days()), last_day);
    if (event.from && event.end && *event.end < *event.from)
      fault(event.line, "an event's DTEND is before its DTSTART");
    else if (event.from && last - *event.from > days(longest_event))
      fault(event.line, "an event is longer than a hundred years");
    if (!event.cancelled && found_.days.size() >= most_events)
      fault(event.line, "the file has more than 10,000 events");
    if (!event.cancelled && event.fault)
      add({event.fault->line,
           event.fault->text + (event.summary.empty() ? "" : " (event " + in_quotes(event.summary) + ")")});
    if (!event.cancelled && !event.fault) found_.days.push_back({*event.from, last});
    event_.reset();
  }

  IcalDays found_;
  std::vector<std::string> open_;  // components
  std::optional<Event> event_;
  std::size_t depth_ = 0;  // of the event
  bool is_calendar_ = false;
};

}  // namespace

IcalDays read_ical(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Lines lines(text);
  Reader reader;
  std::string line;
  int number = 1;
  while (!reader.is_full() && lines.next(line, number)) {
    if (line.empty()) continue;
    if (const auto parsed = parse(line, number))
      reader.read(*parsed);
    else
      reader.fault(number, "is no line of an iCalendar file: NAME:VALUE");
  }
  return reader.finish(number);
}

}  // namespace ballot::config
