// The plugin `zookeeper`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <exception>
#include <memory>
#include <string>

#include "settings.hpp"
#include "support/options.hpp"
#include "support/threaded_backend.hpp"
#include "zookeeper_driver.hpp"

namespace {

using namespace ballot::zookeeper;

std::vector<ballot::OptionProblem> check(const ballot::Options& options) noexcept { return check_options(options); }

ballot::Error open_store(const Settings& settings) {
  return {ballot::Errc::refused,
          "the ZooKeeper at " + settings.servers +
              " is open: whoever reaches it may trigger, kill and pause jobs here. Set [zookeeper] auth = "
              "\"digest:USER:FILE\", or say that this is wanted with [coordination] allow_open_store = true"};
}

ballot::Error problem(const ballot::BackendSettings& settings) {
  using ballot::Errc;
  if (const auto problems = check(settings.options); !problems.empty())
    return {Errc::invalid, "[zookeeper] " + problems.front().text};
  if (!ballot::support::is_path_part(settings.name_space))
    return {Errc::invalid,
            "the namespace '" + settings.name_space + "' cannot be a node's name: use [A-Za-z0-9][A-Za-z0-9._-]*"};
  if (settings.name_space == "zookeeper" && read_settings(settings.options).chroot.empty())
    return {Errc::invalid, "the namespace 'zookeeper' is the store's own: choose another, or a path in servers"};
  if (settings.hold)
    return {Errc::refused,
            "on_outage = \"hold\" is not kept by the backend zookeeper: its servers cannot be asked one by one whether "
            "they have a quorum. Remove it"};
  return {Errc::invalid, {}};
}

ballot::Backend* create(ballot::Host& host, const ballot::BackendSettings& settings, ballot::Error& error) noexcept {
  try {
    if (error = problem(settings); !error.what.empty()) return nullptr;
    const Settings own = read_settings(settings.options);
    if (auto credentials = credentials_of(own); !credentials) {
      error = credentials.error();
      return nullptr;
    }
    if (own.user.empty() && settings.open_store != ballot::OpenStore::accept) {
      if (settings.open_store == ballot::OpenStore::refuse) return error = open_store(own), nullptr;
      host.log(ballot::Level::warn, open_store(own).what);
    }
    const ZookeeperDriver::Place place{own, settings.name_space, settings.state_dir};
    return new ballot::support::ThreadedBackend(host, "ballot-zk", [place](ballot::support::Outlet& outlet) {
      return std::make_unique<ZookeeperDriver>(outlet, place);
    });
  } catch (const std::exception& failure) {
    error = {ballot::Errc::io, std::string("the backend zookeeper cannot start: ") + failure.what()};
    return nullptr;
  }
}

}  // namespace

BALLOT_PLUGIN("zookeeper", "0.1.0", check, create)
