#include "io/notify/hook_environment.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "io/child_environment.hpp"

namespace ballot::io {
namespace {

constexpr std::string_view of_runs[] = {
    "BALLOT_RUN_ID=", "BALLOT_ATTEMPT=", "BALLOT_FENCE=", "BALLOT_UNCLAIMED=", "BALLOT_IDEMPOTENCY_KEY="};
constexpr std::string_view of_slots[] = {"BALLOT_SLOT=", "BALLOT_TRIGGER="};  // beside those of runs

template <std::size_t n>
bool is_one_of(const std::string& entry, const std::string_view (&names)[n]) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view name) { return entry.starts_with(name); });
}

}  // namespace

std::string hook_slot(const Row& row) { return format_slot(row.slot); }

Result<std::vector<std::string>> hook_environment(const core::Notify& notice, const Identity& daemon,
                                                  const std::string& credentials) {
  const Row& row = notice.row;
  core::Launch launch;
  launch.id = {row.run.value_or(RunId{}), row.attempt};
  launch.definition = notice.definition;
  launch.group = row.group;
  launch.slot = row.slot;
  launch.trigger = row.trigger;
  launch.epoch = row.epoch;
  launch.fence = row.fence;
  const bool is_of_job = notice.event == core::Notify::Event::overdue;  // and of none of its slots
  auto all = child_environment(launch, daemon, row.node, row.slot, credentials);
  if (!all) return all;
  std::erase_if(*all, [&](const std::string& entry) {
    const bool is_absent = (!row.run && is_one_of(entry, of_runs)) || (is_of_job && is_one_of(entry, of_slots));
    return entry.starts_with("BALLOT_DEADLINE=") || is_absent;
  });
  const auto add = [&](const char* name, std::string_view value) {
    all->push_back(std::string(name) + "=" + std::string(value));
  };
  if (notice.expected > Millis(0)) add("BALLOT_EXPECTED", format_duration(notice.expected));
  if (is_of_job) {
    add("BALLOT_LAST_SUCCESS", notice.last_success ? format_millis(*notice.last_success) : "");
    return all;
  }
  add("BALLOT_STATUS", to_string(row.status));
  add("BALLOT_REASON", to_string(row.reason));
  if (row.exit_code) add("BALLOT_EXIT_CODE", std::to_string(*row.exit_code));
  if (row.slot_until) add("BALLOT_SLOT_UNTIL", format_slot(*row.slot_until));
  if (row.slot_until) add("BALLOT_SLOTS", std::to_string(row.slots));
  return all;
}

std::vector<std::string> bare_hook_environment(const core::Notify& notice, const Identity& daemon) {
  auto bare = std::make_shared<schedule::Definition>(*notice.definition);
  bare->job.details.edit().env_file.clear();
  bare->job.details.edit().secrets.clear();
  core::Notify same = notice;
  same.definition = std::move(bare);
  return *hook_environment(same, daemon, "");
}

}  // namespace ballot::io
