// ballot status: the state of this node. Its exit code is the answer for scripts: 0 healthy, 1 degraded, 2 not
// scheduling, 3 unreachable or misused.
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/options/options.hpp"
#include "app/print/fact_line.hpp"
#include "app/print/format.hpp"
#include "base/duration.hpp"
#include "io/control_client.hpp"

namespace ballot::app {
namespace {

constexpr auto unreachable = static_cast<Exit>(3);
constexpr std::size_t shortest_name = 16;      // beside a text that is longer than the line
constexpr std::chrono::seconds hung_after(5);  // of a daemon that hangs; one that does not waits 2 s for the store

struct StatusOptions {
  ConfigOptions config;
  bool json = false;
};

/// On a line of a fact with so many other characters, as a table has it.
std::string fitted(const std::string& name, std::size_t others) {
  const std::size_t width = terminal_width(), used = fact_indent + others;
  return width == 0 ? name : cut_name(name, std::max(shortest_name, width > used ? width - used : 0));
}

std::string group_text(const io::Message& group) {
  std::string text = " (epoch " + std::to_string(group.integer("epoch").value_or(0));
  for (const char* flag : {"in_doubt", "paused"})
    if (group.flag(flag).value_or(false)) text += std::string(", ") + (flag[0] == 'i' ? "in doubt" : "paused");
  if (const auto halted = group.text("halted"); halted && !halted->empty()) text += ", halted: " + *halted;
  text += ")";
  return fitted(group.text("group").value_or(""), text.size()) + text;
}

std::string counted(std::int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string and_more(std::int64_t count) { return "and " + std::to_string(count) + " more: `ballot jobs`"; }

/// The first one beside the name, the others below it.
void print_list(const char* name, const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) print_fact(i == 0 ? name : "", texts[i]);
}

/// Of a fleet: each node that does not answer, and what waits for it.
void print_nodes(const io::Message& status) {
  std::vector<std::string> texts;
  for (const io::Message& node : status.objects("missing")) {
    std::string text = node.text("node").value_or("") + " is " + node.text("state").value_or("");
    if (const auto at = node.text("last_heard")) text += ", last heard of " + *at;
    std::string led;
    for (const std::string& group : node.texts("leads")) led += (led.empty() ? "" : ", ") + group;
    if (!led.empty()) text += "; until its session is over nobody else leads " + led;
    texts.push_back(std::move(text));
  }
  print_list("nodes", texts);
}

/// The state is this node's: of a healthy one it is said what is not well beside it.
std::string state_text(const io::Message& status, std::int64_t unexpected) {
  const std::string state = status.text("state").value_or("");
  const std::int64_t away = std::ssize(status.objects("missing"));
  if (state != "healthy" || away + unexpected == 0) return state;
  std::string beside;
  if (away > 0) beside = counted(away, "node") + (away == 1 ? " does not answer" : " do not answer");
  if (unexpected > 0)
    beside +=
        (away > 0 ? ", " : "") + counted(unexpected, "job") + (unexpected == 1 ? " is" : " are") + " not as expected";
  return state + " (this node); " + beside;
}

void print(const io::Message& status) {
  print_fact("node", status.text("node").value_or(""));
  print_fact("backend", status.text("backend").value_or("") + ", " + status.text("session").value_or("") +
                            ", timeout " + format_duration(Millis(status.integer("timeout_ms").value_or(0))));
  const auto paused = status.integer("paused_jobs").value_or(0);
  print_fact("jobs", std::to_string(status.integer("jobs").value_or(0)) + " in force, " +
                         (paused > 0 ? std::to_string(paused) + " of those that it leads paused, " : "") +
                         counted(status.integer("open_runs").value_or(0), "run") + " open");
  std::vector<std::string> groups, next;
  for (const io::Message& group : status.objects("groups")) groups.push_back(group_text(group));
  if (groups.empty()) groups.emplace_back("nothing");
  print_list("leads", groups);
  for (const io::Message& one : status.objects("next_slots")) {
    const std::string slot = one.text("slot").value_or("") + " ";
    next.push_back(slot + fitted(one.text("job").value_or(""), slot.size()));
  }
  if (const auto more = status.integer("more_next_slots").value_or(0); more > 0)
    next.push_back("and of " + counted(more, "more job") + ": `ballot next`");
  print_list("next slots", next);
  std::vector<std::string> unmet = status.texts("unmet");
  const auto all = status.integer("overdue_jobs").value_or(0) + status.integer("slow_jobs").value_or(0);
  if (const auto more = all - static_cast<std::int64_t>(unmet.size()); more > 0) unmet.push_back(and_more(more));
  print_list("unexpected", unmet);
  std::vector<std::string> backfills = status.texts("backfills");
  if (const auto more = status.integer("backfilled_jobs").value_or(0) - std::ssize(backfills); more > 0)
    backfills.push_back(and_more(more));
  print_list("backfills", backfills);
  print_nodes(status);
  for (const std::string& reason : status.texts("degraded")) print_fact("degraded", reason);
  print_fact("state", state_text(status, all));
}

Exit run(const StatusOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return unreachable;
  io::Message request;
  request.set("do", "status");
  auto status = io::ask_once(config->control_socket, request, hung_after);
  if (!status) {
    fail("status", status.error());
    return unreachable;
  }
  if (options.json)
    std::cout << io::encode(status->remove("last")) << '\n';  // it ends the answer, and says nothing of the node
  else
    print(*status);
  const std::string state = status->text("state").value_or("");
  if (state == "not scheduling" || state == "starting") return static_cast<Exit>(2);
  return state == "healthy" ? Exit::done : Exit::failed;
}

}  // namespace

Run setup_status(CLI::App& command) {
  auto options = std::make_shared<StatusOptions>();
  add_config_options(command, options->config);
  add_text_or_json_option(command, options->json);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
