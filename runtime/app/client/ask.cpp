#include "app/client/ask.hpp"

#include <algorithm>
#include <iostream>

#include "app/client/ledger_access.hpp"
#include "app/jobs/away_instance.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "base/duration.hpp"
#include "base/instance.hpp"
#include "io/control_client.hpp"

namespace ballot::app {
namespace {

constexpr Millis longest_patience = std::chrono::hours(1);  // of a daemon
constexpr Millis answer_slack = std::chrono::seconds(5);    // the daemon says itself that time is up
constexpr std::size_t shortest_suffix = 6;

}  // namespace

void add_timeout_option(CLI::App& command, Patience& to) {
  add_value(command, "--timeout DURATION", "how long to wait until it is done, as 30s", [&to](const std::string& text) {
    const auto time = parse_duration(text);
    if (!time || *time <= Millis(0) || *time > longest_patience)
      return std::string("must be a duration such as 30s, and at most 1h");
    to = {*time, true};
    return std::string();
  });
}

Result<io::Message> send_request(const config::Config& config, io::Message request, Patience patience) {
  request.set("timeout_ms", std::int64_t{patience.time.count()});
  return io::ask_once(config.control_socket, request, patience.time + answer_slack);
}

Exit ask_daemon(std::string_view command, const ConfigOptions& options, io::Message request, Patience patience) {
  const auto config = load_config(options);
  return config ? ask_daemon(command, *config, std::move(request), patience) : Exit::configuration;
}

Exit ask_daemon(std::string_view command, const config::Config& config, io::Message request, Patience patience) {
  const std::string job = request.text("job").value_or(""), group = request.text("group").value_or("");
  if (const auto known = require_node_of(job, config); !known) return fail(command, known.error());
  const auto answer = send_request(config, std::move(request), patience);
  if (!answer) return fail(command, with_silence(with_guess(answer.error(), job, group, config), job, config));
  if (const auto text = answer->text("text"); text && !text->empty()) std::cout << *text << "\n";
  return Exit::done;
}

Result<std::optional<std::vector<std::string>>> living_instances(const config::Config& config, const std::string& job) {
  using Instances = std::optional<std::vector<std::string>>;
  if (is_instance(job)) return Instances();
  io::Message request;
  request.set("do", "instances").set("job", job);
  const auto answer = io::ask_once(config.control_socket, request, std::chrono::seconds(10));
  if (!answer && answer.error().code == Errc::invalid) return Instances();  // a daemon of before there were any
  if (!answer && answer.error().code == Errc::refused) return Instances();  // as what follows is, by the role it takes
  if (!answer) return answer.error();
  return answer->flag("each").value_or(false) ? Instances(answer->texts("instances")) : Instances();
}

std::optional<io::Message> ask_open_run(const config::Config& config, const std::string& suffix) {
  constexpr std::chrono::seconds patience(2);
  io::Message request;
  request.set("do", "runs");
  auto client = io::ControlClient::ask(config.control_socket, request, patience);
  while (client) {
    const auto line = client->next(patience);
    if (!line || !*line) return std::nullopt;
    for (io::Message& open : (*line)->objects("runs"))
      if (open.text("run").value_or("").ends_with(suffix)) return std::move(open);
  }
  return std::nullopt;
}

std::string check_run_suffix(const std::string& text) {
  const bool digits = std::all_of(text.begin(), text.end(),
                                  [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-'; });
  if (text.size() >= shortest_suffix && text.size() <= 36 && digits) return {};
  return "must be a run id, or its last 6 or more digits, as `ballot history` shows it";
}

std::vector<io::Message> ask_nodes(const config::Config& config) {  // the daemon asks the store for 2 s
  const auto fleet = io::ask_once(config.control_socket, io::Message().set("do", "nodes"), std::chrono::seconds(3));
  return fleet ? fleet->objects("nodes") : std::vector<io::Message>();
}

std::set<std::string> ask_silent_leaders(const config::Config& config, const std::vector<io::Message>& rows,
                                         const char* key) {
  std::set<std::string> named, silent;
  for (const io::Message& row : rows) named.insert(row.text(key).value_or(""));
  named.erase("");
  named.erase(config.node);
  if (named.empty()) return silent;
  for (const io::Message& node : ask_nodes(config))
    if (node.text("state") == "silent" && named.contains(node.text("node").value_or("")))
      silent.insert(*node.text("node"));
  return silent;
}

}  // namespace ballot::app
