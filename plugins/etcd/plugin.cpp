// The plugin `etcd`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <memory>
#include <string>

#include "etcd_store.hpp"
#include "settings.hpp"
#include "support/keys/key_driver.hpp"
#include "support/make_backend.hpp"

namespace ballot::etcd {

namespace {

using namespace std::chrono_literals;

constexpr Millis default_timeout = 10s;
constexpr Millis shortest_timeout = 2s;  // servers with their defaults grant no less

Result<support::MakeDriver> prepare(Host& host, const BackendSettings& settings) {
  const Settings own = read_settings(settings.options);
  const auto password = password_of(own);
  if (!password) return password.error();
  if (own.is_open())
    if (const auto checked =
            support::check_open(host, settings.open_store, "etcd at " + own.servers_text(),
                                "[etcd] auth = \"USER:FILE\", or cert and key where the servers ask for them");
        !checked)
      return checked.error();
  const EtcdStore::Place place{own, *password, own.prefix + "/" + settings.name_space + "/"};
  if (const auto checked = http::Client::check(client_settings(own)); !checked) return checked.error();
  const support::KeyPlace keys{"etcd",          settings.name_space, place.root, own.servers_text(), settings.state_dir,
                               default_timeout, shortest_timeout};
  return support::make_key_driver(keys, [place](support::KeyStore::Listener& to, support::Outlet& outlet) {
    return std::make_unique<EtcdStore>(to, outlet, place);
  });
}

constexpr BackendTraits traits{
    .keys = table_keys,
    .session_timeout = default_timeout,
    .conflicts = table_conflicts,
    .no_hold =
        "is not kept by the backend etcd: a server that has no quorum answers nothing, as one that is down does. "
        "Remove it"};
constexpr support::BackendKind kind{"etcd", "ballot-etcd", traits, prepare};

}  // namespace

}  // namespace ballot::etcd

BALLOT_PLUGIN("etcd", "0.1.0", ballot::etcd::traits, ballot::support::create<ballot::etcd::kind>)
