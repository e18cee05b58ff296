#include "io/notify/hook_environment.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/wall_text.hpp"
#include "io/child_environment.hpp"

namespace ballot::io {
namespace {

constexpr std::string_view of_runs[] = {
    "BALLOT_RUN_ID=", "BALLOT_ATTEMPT=", "BALLOT_FENCE=", "BALLOT_UNCLAIMED=", "BALLOT_IDEMPOTENCY_KEY="};

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
  auto all = child_environment(launch, daemon, row.node, row.slot, credentials);
  if (!all) return all;
  std::erase_if(*all, [&](const std::string& entry) {
    const bool of_run = std::any_of(std::begin(of_runs), std::end(of_runs),
                                    [&](std::string_view name) { return entry.starts_with(name); });
    return entry.starts_with("BALLOT_DEADLINE=") || (of_run && !row.run);
  });
  const auto add = [&](const char* name, std::string_view value) {
    all->push_back(std::string(name) + "=" + std::string(value));
  };
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
