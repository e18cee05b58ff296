// What commands ask of a running daemon: one request over the control socket, and the wait for its answer.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/exit.hpp"
#include "app/options/options.hpp"
#include "io/message.hpp"

namespace ballot::app {

/// How long a command waits, with --timeout.
struct Patience {
  Millis time = std::chrono::seconds(30);
  bool given = false;  // else it is this default
};
void add_timeout_option(CLI::App& command, Patience& to);

/// A request that is done by whoever leads: {"do": what}, and what `fields` says. Prints what was done, where the
/// daemon says so, or why not.
Exit ask_daemon(std::string_view command, const ConfigOptions& options, io::Message request, Patience patience);
Exit ask_daemon(std::string_view command, const config::Config& config, io::Message request, Patience patience);

/// The same, and what the daemon answered.
Result<io::Message> send_request(const config::Config& config, io::Message request, Patience patience);

/// The instances of a job that runs on each node, of nodes that live; nullopt: it is no such job.
Result<std::optional<std::vector<std::string>>> living_instances(const config::Config& config, const std::string& job);

/// What the daemon shows of a run that has not ended, by its id or the last digits of it: `job`, `run`, `attempt`,
/// `node`, `state`. None: it shows no such run, or does not answer.
std::optional<io::Message> ask_open_run(const config::Config& config, const std::string& suffix);

/// What a run id, or its last digits, may look like: "" or what is wrong with it.
std::string check_run_suffix(const std::string& text);

/// As `ballot nodes` shows them, each with `node` and `state`; none where no daemon answers.
std::vector<io::Message> ask_nodes(const config::Config& config);
/// Of the nodes that `rows` name by `key`, those whose session is not renewed: what they lead others lead soon. Nobody
/// is asked where they name none but this one; none also where the daemon does not answer.
std::set<std::string> ask_silent_leaders(const config::Config& config, const std::vector<io::Message>& rows,
                                         const char* key);

}  // namespace ballot::app
