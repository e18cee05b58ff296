#include "config/calendars.hpp"

#include <algorithm>
#include <sstream>

#include "config/claims.hpp"
#include "config/document.hpp"
#include "config/ical.hpp"
#include "config/key_table.hpp"

namespace ballot::config {
namespace {

constexpr std::size_t longest_rule = 8 * 1024;  // bytes of a job's rule, which its definitions in the ledger have

/// A calendar while its table is read.
struct Draft {
  PlacedCalendar placed;
  const ReadBeside* read_beside = nullptr;
  std::size_t faults = 0;
};

void fault(const Value& value, Draft& draft, std::string_view text) {
  ++draft.faults;
  value.error(text);
}

/// "2026-12-25", also as a date of TOML.
std::string date_text(const toml::node& node) {
  if (const auto* const date = node.as_date()) {
    std::ostringstream text;
    text << date->get();
    return text.str();
  }
  const auto* const text = node.as_string();
  return text == nullptr ? "" : text->get();
}

void read_dates(const Value& value, Draft& draft) {
  const toml::array* const list = value.list("dates");
  if (list == nullptr) return void(++draft.faults);
  for (const toml::node& node : *list) {
    const Value one(value.key(), node, value.findings());
    if (!node.is_date() && !one.string()) return void(++draft.faults);
    const std::string text = date_text(node);
    if (const std::string what = draft.placed.days.add_date(text); !what.empty())
      fault(one, draft, "has a date that is none: " + what);
  }
}

void read_weekdays(const Value& value, Draft& draft) {
  const toml::array* const list = value.list("days of the week");
  if (list == nullptr) return void(++draft.faults);
  for (const toml::node& node : *list) {
    const Value one(value.key(), node, value.findings());
    const auto text = one.string();
    if (!text) return void(++draft.faults);
    if (const std::string what = draft.placed.days.add_weekday(*text); !what.empty())
      fault(one, draft, "has a day that is none: " + what);
  }
}

void read_file(const Value& value, Draft& draft) {
  const auto name = value.string();
  if (!name) return void(++draft.faults);
  if (!is_calendar_file_name(*name))
    return fault(value, draft,
                 "must be the name of an iCalendar file in the job file's folder, such as \"holidays.ics\": letters, "
                 "digits, '.', '_' and '-', no path, not " +
                     in_quotes(*name));
  draft.placed.file = *name;
  const auto text = *draft.read_beside ? (*draft.read_beside)(std::string(*name))
                                       : Result<std::string>(Error{Errc::invalid, "no file is read here"});
  if (!text) return fault(value, draft, std::string(*name) + ": " + text.error().what);
  const IcalDays read = read_ical(*text);
  for (const IcalFault& one : read.faults)
    fault(value, draft, std::string(*name) + ", line " + std::to_string(one.line) + ": " + one.text);
  if (read.faults.empty() && read.days.empty())
    fault(value, draft, std::string(*name) + ": it has no all-day event, so no day");
  for (const auto& range : read.days) draft.placed.days.add(range);
}

constexpr Key<Draft> calendar_keys[] = {
    plain_row<Draft>("dates", read_dates),
    plain_row<Draft>("file", read_file),
    plain_row<Draft>("weekdays", read_weekdays),
};
static_assert(is_sorted(calendar_keys));

void read_calendar(const toml::key& key, const toml::table& table, const ReadBeside& read_beside, Findings& findings,
                   std::vector<PlacedCalendar>& calendars) {
  Draft draft{{std::string(key.str()), position_of(key.source()), {}}, &read_beside};
  for (auto&& [name, node] : table)
    if (find_key(name.str(), std::span<const Key<Draft>>(calendar_keys)) == nullptr) ++draft.faults;
  read_table(table, calendar_keys, draft, findings);
  if (draft.faults > 0) return;
  if (draft.placed.days.empty())
    return findings.error(draft.placed.position, "calendar " + in_quotes(draft.placed.name) +
                                                     " has no day; give it 'dates', 'weekdays' or a 'file'");
  calendars.push_back(std::move(draft.placed));
}

const PlacedCalendar* find_in(const std::vector<PlacedCalendar>& calendars, std::string_view name) {
  const auto at = std::find_if(calendars.begin(), calendars.end(), [&](const auto& one) { return one.name == name; });
  return at == calendars.end() ? nullptr : &*at;
}

}  // namespace

bool is_calendar_file_name(std::string_view text) {
  constexpr std::string_view ending = ".ics";
  return text.ends_with(ending) && is_job_file_name(std::string(text.substr(0, text.size() - ending.size())) + ".toml");
}

void read_calendars(const Value& value, const ReadBeside& read_beside, std::vector<PlacedCalendar>& calendars) {
  const toml::table* const tables = value.table();
  if (tables == nullptr) return;
  for (auto&& [key, node] : *tables) {
    const Position at = position_of(key.source());
    if (!is_name(key.str()))
      value.findings().error(at, in_quotes(key.str()) +
                                     " is not a valid calendar name: 1 to 64 letters, digits, '_' and '-', "
                                     "beginning with a letter or digit");
    else if (const toml::table* const table = Value(key.str(), node, value.findings()).table())
      read_calendar(key, *table, read_beside, value.findings(), calendars);
  }
}

std::vector<PlacedCalendar> calendars_in(std::string_view text, const ReadBeside& read_beside) {
  std::vector<PlacedCalendar> calendars;
  Diagnostics unheard;
  Findings findings("", unheard);
  const auto document = parse_toml(text, findings);
  const toml::node* const node = document ? document->get("calendar") : nullptr;
  if (node != nullptr) read_calendars(Value("calendar", *node, findings), read_beside, calendars);
  return calendars;
}

bool may_have_calendars(std::string_view text) {
  for (const std::string_view word : {"calendar", "except", "only", "\\"})
    if (text.find(word) != std::string_view::npos) return true;
  return false;
}

void Calendars::put(const std::string& file, const std::vector<PlacedCalendar>& calendars) {
  std::erase_if(calendars_, [&](const auto& one) { return one.first.second == file; });
  for (const PlacedCalendar& one : calendars) calendars_.insert_or_assign({one.name, file}, one);
}

const PlacedCalendar* Calendars::find(std::string_view name) const {
  const auto at = calendars_.lower_bound({std::string(name), ""});
  return at != calendars_.end() && at->first.first == name ? &at->second : nullptr;
}

std::string_view Calendars::file_of(std::string_view name) const {
  const auto at = calendars_.lower_bound({std::string(name), ""});
  return at != calendars_.end() && at->first.first == name ? std::string_view(at->first.second) : std::string_view();
}

std::vector<PlacedCalendar> Calendars::of_file(std::string_view file) const {
  std::vector<PlacedCalendar> found;
  for (const auto& [place, calendar] : calendars_)
    if (place.second == file) found.push_back(calendar);
  return found;
}

std::vector<std::string_view> Calendars::names() const {
  std::vector<std::string_view> names;
  for (const auto& [place, calendar] : calendars_)
    if (names.empty() || names.back() != place.first) names.push_back(place.first);
  return names;
}

std::set<std::string> Calendars::differing(const Calendars& other) const {
  std::set<std::string> names;
  for (const Calendars* const one : {this, &other})
    for (const auto& [place, calendar] : one->calendars_) {
      const PlacedCalendar *const mine = find(place.first), *const others = other.find(place.first);
      if (!mine || !others || mine->days != others->days) names.insert(place.first);
    }
  return names;
}

Diagnostics Calendars::duplicates(const std::function<std::string(std::string_view file)>& shown) const {
  Diagnostics all;
  for (const auto& [place, calendar] : calendars_) {
    const PlacedCalendar* const first = find(place.first);
    if (first == &calendar) continue;
    all.push_back({Severity::error, shown(place.second), calendar.position.line, calendar.position.column,
                   "calendar " + in_quotes(place.first) + " is already defined at " +
                       at(shown(file_of(place.first)), first->position) + ", and counts there; rename this one"});
  }
  return all;
}

bool DayKeys::add(const toml::table& job, const char* key, const std::vector<std::string>& names,
                  std::vector<schedule::DayRule::Named>& into) const {
  const toml::node* const node = job.get(key);
  const toml::array* const list = node == nullptr ? nullptr : node->as_array();
  bool is_good = true;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const toml::node* const element = list != nullptr ? list->get(i) : node;
    const PlacedCalendar* found = all_.find(names[i]);
    if (found == nullptr) found = find_in(own_, names[i]);
    if (found != nullptr) {
      into.push_back({found->name, found->days});
      continue;
    }
    std::vector<std::string_view> known = all_.names();
    for (const PlacedCalendar& one : own_) known.push_back(one.name);
    is_good = false;
    if (element != nullptr)
      Value(key, *element, findings_)
          .error("names the calendar " + in_quotes(names[i]) + ", and no job file has a [calendar." +
                 std::string(names[i].substr(0, 64)) + "] without an error" + did_you_mean(names[i], known));
  }
  return is_good;
}

std::optional<schedule::DayRule> DayKeys::rule(const toml::table& job, const std::vector<std::string>& except,
                                               const std::vector<std::string>& only, DayShift shift) const {
  schedule::DayRule rule;
  rule.shift = shift;
  const bool are_known = add(job, "except", except, rule.except), too = add(job, "only", only, rule.only);
  if (!are_known || !too) return std::nullopt;
  const toml::node* const node = job.get(except.empty() ? "only" : "except");
  const char* const key = except.empty() ? "only" : "except";
  const auto refuse = [&](std::string_view why) {
    if (node != nullptr) Value(key, *node, findings_).error(why);
    return std::nullopt;
  };
  if (rule.text().size() > longest_rule)
    return refuse(
        "names calendars of more than 8 KiB as text, which is more than a job's definition may have; "
        "leave out years that are over, and write days that follow each other as ranges");
  if (rule.never()) return refuse("leaves the job no day at all: its calendars allow none");
  return rule;
}

}  // namespace ballot::config
