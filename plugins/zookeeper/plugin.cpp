// The plugin `zookeeper`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <memory>
#include <string>

#include "settings.hpp"
#include "support/make_backend.hpp"
#include "zookeeper_driver.hpp"

namespace ballot::zookeeper {

namespace {

Result<MakeDriver> prepare(Host& host, const BackendSettings& settings) {
  const ZookeeperDriver::Place place{read_settings(settings.options), settings.name_space, settings.state_dir};
  const Settings& own = place.settings;
  if (settings.name_space == "zookeeper" && own.chroot.empty())
    return Error{Errc::invalid, "the namespace 'zookeeper' is the store's own: choose another, or a path in servers"};
  if (auto credentials = credentials_of(own); !credentials) return credentials.error();
  if (own.user.empty())
    if (const auto checked = check_open(host, settings.open_store, "ZooKeeper at " + own.servers,
                                        "[zookeeper] auth = \"digest:USER:FILE\"");
        !checked)
      return checked.error();
  return MakeDriver([place](Outlet& outlet) { return std::make_unique<ZookeeperDriver>(outlet, place); });
}

constexpr BackendTraits traits{
    .keys = table_keys,
    .session_timeout = ZookeeperDriver::default_timeout,
    .no_hold =
        "is not kept by the backend zookeeper: its servers cannot be asked one by one whether they have a "
        "quorum. Remove it"};
constexpr BackendKind kind{"zookeeper", "ballot-zk", traits, prepare};

}  // namespace

}  // namespace ballot::zookeeper

BALLOT_PLUGIN("zookeeper", "0.1.0", ballot::zookeeper::traits, ballot::support::create<ballot::zookeeper::kind>)
