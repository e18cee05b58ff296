#include "app/store/namespace_copy.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/wall_text.hpp"
#include "core/record/move_marks.hpp"
#include "core/record/register.hpp"

namespace ballot::app {
namespace {

constexpr const char* group_of_none = "default";
constexpr std::string_view halted_at_key = "halted_at ";
constexpr std::size_t shown_names = 3;

std::string halted_key() { return "halted " + std::string(core::halted_by_move); }

bool is_group_entry(const StoredEntry& entry) { return entry.name.starts_with("g/"); }
bool is_job_entry(const StoredEntry& entry) { return entry.name.starts_with("j/"); }

std::string count_text(std::size_t number, std::string_view one, std::string_view many) {
  return std::to_string(number) + " " + std::string(number == 1 ? one : many);
}

}  // namespace

Result<std::vector<StoredEntry>> entries_of(std::vector<Register> listed) {
  std::vector<StoredEntry> entries;
  entries.reserve(listed.size());
  for (Register& one : listed) {
    if (stays(one.name)) continue;
    const auto kind = kind_of(one.name);
    if (!kind) return kind.error();
    entries.push_back({*kind, std::move(one.name), std::move(one.value)});
    if (is_group_entry(entries.back())) entries.back().value = unhalted_text(entries.back().value);
  }
  std::sort(entries.begin(), entries.end(), [](const StoredEntry& a, const StoredEntry& b) { return a.name < b.name; });
  return entries;
}

std::string group_of(const StoredEntry& entry) {
  if (entry.kind == StoredEntry::Kind::of_record) return {};
  if (!is_job_entry(entry)) return entry.name.substr(2);
  const auto stored = core::parse_job_register(entry.value);
  return stored && !stored->group->empty() ? *stored->group : group_of_none;
}

std::vector<std::string> groups_in(const std::vector<StoredEntry>& entries) {
  std::set<std::string> groups;
  for (const StoredEntry& entry : entries)
    if (entry.kind == StoredEntry::Kind::of_register) groups.insert(group_of(entry));
  if (groups.empty()) groups.insert(group_of_none);
  return {groups.begin(), groups.end()};
}

std::uint64_t highest_epoch_in(const std::vector<StoredEntry>& entries) {
  std::uint64_t highest = 0;
  for (const StoredEntry& entry : entries) {
    if (is_group_entry(entry)) {
      if (const auto stored = core::parse_group_register(entry.value)) highest = std::max(highest, stored->epoch);
    } else if (is_job_entry(entry)) {
      const auto stored = core::parse_job_register(entry.value);
      if (!stored) continue;
      highest = std::max(highest, stored->epoch);
      for (const core::OpenRun& run : stored->runs) highest = std::max(highest, run.epoch);
    }
  }
  return highest;
}

std::string halted_text(const std::string& value, std::string_view why, WallTime now) {
  const auto stored = core::parse_group_register(value);
  if (!stored || !stored->halted.empty() || !value.ends_with("\n")) return value;
  return value + halted_key().append(why) + "\n" + std::string(halted_at_key) + format_millis(now) + "\n";
}

std::string unhalted_text(const std::string& value) {
  const std::size_t at = value.find("\n" + halted_key());
  if (at == std::string::npos) return value;
  std::size_t end = value.find('\n', at + 1);
  if (end != std::string::npos && value.compare(end + 1, halted_at_key.size(), halted_at_key) == 0)
    end = value.find('\n', end + 1);
  return end == std::string::npos ? value : value.substr(0, at) + value.substr(end);
}

Differences differences(const std::vector<StoredEntry>& first, const std::vector<StoredEntry>& second) {
  Differences found;
  auto a = first.begin(), b = second.begin();
  while (a != first.end() || b != second.end()) {
    if (b == second.end() || (a != first.end() && a->name < b->name)) {
      found.only_first.push_back((a++)->name);
    } else if (a == first.end() || b->name < a->name) {
      found.only_second.push_back((b++)->name);
    } else {
      if (a->value != b->value) found.differing.push_back(a->name);
      ++a, ++b;
    }
  }
  return found;
}

std::string some_of(const std::vector<std::string>& names) {
  std::string text = names.size() > shown_names ? "such as " : "";
  for (std::size_t i = 0; i < std::min(names.size(), shown_names); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return text;
}

std::string summary_of(const std::vector<StoredEntry>& entries) {
  std::size_t jobs = 0, groups = 0, runs = 0, pauses = 0, requests = 0;
  for (const StoredEntry& entry : entries) {
    const bool is_request = entry.name.starts_with("q/") && entry.name.find('.') == std::string::npos;
    jobs += is_job_entry(entry), groups += is_group_entry(entry), requests += is_request;
    pauses += entry.name.starts_with("p/") && !entry.name.starts_with("p/-");
    if (const auto stored = is_job_entry(entry) ? core::parse_job_register(entry.value) : Error{})
      runs += stored->runs.size(), pauses += stored->paused;
    if (const auto stored = is_group_entry(entry) ? core::parse_group_register(entry.value) : Error{})
      pauses += stored->paused;
  }
  return count_text(jobs, "job", "jobs") + ", " + count_text(groups, "group", "groups") + ", " +
         count_text(runs, "open run", "open runs") + ", " + count_text(pauses, "pause", "pauses") + ", " +
         count_text(requests, "request", "requests");
}

}  // namespace ballot::app
