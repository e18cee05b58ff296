// What a node is made with, and its job files are checked against, of a configuration.
#pragma once

#include <optional>
#include <string>

#include "config/config.hpp"
#include "config/job_file.hpp"
#include "library/history/fleet.hpp"
#include "library/node.hpp"

namespace ballot::library {

/// The programs that nobody calls by hand. "": there is none.
struct Programs {
  std::string runner, sendmail, ping;
};

NodeSettings node_settings(const config::Config& config, const Programs& programs);

/// Where the runner of a configuration listens.
std::string runner_socket(const config::Config& config);

/// The fleet's history, where there is one.
HistoryChoice history_choice(const config::Config& config);

/// What asking the other nodes takes, where they can be asked: with an API of this node's own, and a store that other
/// hosts reach. None: this node answers for itself alone.
std::optional<FleetSettings> fleet_settings(const config::Config& config);

/// What job files are checked against, on this machine.
config::JobSettings job_settings(const config::Config& config);

/// Whether others can write to state_dir, run_dir, or the folders of the ledger and the control socket: the daemon
/// believes all that lies there. A folder that is missing is trusted; none is made. Error: refused.
Result<void> check_folders(const config::Config& config);

/// Makes state_dir (0750) and run_dir (0755). Errors: io; refused, as check_folders().
Result<void> make_folders(const config::Config& config);

}  // namespace ballot::library
