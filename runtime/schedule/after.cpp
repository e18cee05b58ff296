#include "schedule/after.hpp"

#include <algorithm>
#include <cstdint>

#include "schedule/cron_expression.hpp"

namespace ballot::schedule {
namespace {

constexpr std::string_view mark = "@after ", as_first = ", as ";
constexpr std::pair<std::string_view, AfterStatus> words[] = {
    {"succeeded", AfterStatus::succeeded}, {"failed", AfterStatus::failed}, {"ended", AfterStatus::ended}};

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(by), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <class Bits>
std::string numbers(Bits bits) {
  std::string text;
  for (int i = 0; i < 64 && bits != 0; ++i, bits = static_cast<Bits>(bits >> 1))
    if ((bits & 1) != 0) text += (text.empty() ? "" : ",") + std::to_string(i);
  return text;
}

/// What an element `H...` of the field stands for.
std::string picked(CronField field, std::string_view element, const HashSeed& seed) {
  CronFields fields;
  if (parse_cron_field(field, element, 1, seed, fields)) return std::string(element);
  switch (field) {
    case CronField::second: return numbers(fields.seconds);
    case CronField::minute: return numbers(fields.minutes);
    case CronField::hour: return numbers(fields.hours);
    case CronField::day_of_month: return numbers(fields.days);
    case CronField::month: return numbers(fields.months);
    case CronField::day_of_week: return numbers(fields.weekdays);
  }
  return std::string(element);
}

bool is_hash(std::string_view element) {
  return (element.starts_with('H') || element.starts_with('h')) &&
         (element.size() == 1 || element[1] == '(' || element[1] == '/');
}

}  // namespace

std::string_view to_string(AfterStatus status) {
  for (const auto& [word, value] : words)
    if (value == status) return word;
  return {};
}

std::optional<After> after_of(const Job& job) {
  if (job.details->after.empty()) return std::nullopt;
  return After{job.details->after, job.details->after_status, job.details->has_slots_of_first};
}

std::string to_text(const After& after) {
  std::string text(mark);
  for (const std::string& job : after.jobs) text += (text.size() == mark.size() ? "" : ",") + job;
  text.append(" ").append(to_string(after.status));
  return after.has_slots_of_first ? text.append(as_first).append(after.jobs.front()) : text;
}

std::optional<After> parse_after(std::string_view text) {
  if (!text.starts_with(mark)) return std::nullopt;
  text.remove_prefix(mark.size());
  const std::size_t space = std::min(text.find(' '), text.size());
  After after;
  after.jobs = split(text.substr(0, space), ',');
  text.remove_prefix(std::min(space + 1, text.size()));
  const std::string_view status = text.substr(0, text.find(as_first));
  const auto* const word =
      std::find_if(std::begin(words), std::end(words), [&](const auto& one) { return one.first == status; });
  if (after.jobs.empty() || word == std::end(words)) return std::nullopt;
  after.status = word->second;
  after.has_slots_of_first = status.size() < text.size();
  return after;
}

std::optional<After> find_after(const std::vector<std::string>& schedules) {
  for (const std::string& schedule : schedules)
    if (auto after = parse_after(schedule)) return after;
  return std::nullopt;
}

std::string without_hash(std::string_view expression, std::string_view group, std::string_view job) {
  if (expression.starts_with('@') || expression.find_first_of("Hh") == std::string_view::npos)
    return std::string(expression);
  std::vector<std::string> fields = split(expression, ' ');
  std::erase(fields, "");
  const std::size_t zone = !fields.empty() && fields.front().find('=') != std::string::npos ? 1 : 0;
  constexpr CronField kinds[] = {CronField::second,       CronField::minute, CronField::hour,
                                 CronField::day_of_month, CronField::month,  CronField::day_of_week};
  const std::size_t skipped = fields.size() - zone == std::size(kinds) ? 0 : 1;
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::string field;
    for (const std::string& element : split(fields[i], ','))
      field += (field.empty() ? "" : ",") + (i >= zone && i - zone + skipped < std::size(kinds) && is_hash(element)
                                                 ? picked(kinds[i - zone + skipped], element, {group, job})
                                                 : element);
    text += (i == 0 ? "" : " ") + field;
  }
  return text;
}

}  // namespace ballot::schedule
