// The plugin `nats`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <memory>
#include <string>

#include "nats_store.hpp"
#include "settings.hpp"
#include "support/keys/key_driver.hpp"
#include "support/make_backend.hpp"

namespace ballot::nats {

namespace {

constexpr Millis default_timeout{10'000}, shortest_timeout{1'000};

Result<MakeDriver> prepare(Host& host, const BackendSettings& settings) {
  const auto own = read_settings(settings.options, settings.name_space);
  if (!own) return own.error();
  const std::string servers = own->access.servers.text();
  if (const auto secrets = read_secrets(own->access); !secrets) return secrets.error();
  if (own->access.is_open())
    if (const auto checked =
            check_open(host, settings.open_store, "NATS at " + servers, "[nats] user, token, credentials or nkey");
        !checked)
      return checked.error();
  const KeyPlace place{"nats",          settings.name_space, own->bucket + "/", servers, settings.state_dir,
                       default_timeout, shortest_timeout};
  const auto make = [own = *own, name_space = settings.name_space](KeyStore::Listener& to, Outlet& outlet) {
    return std::make_unique<NatsStore>(to, outlet, own, name_space);
  };
  return MakeDriver([place, make](Outlet& outlet) { return std::make_unique<KeyDriver>(outlet, place, make); });
}

constexpr BackendTraits traits{
    .keys = table_keys,
    .session_timeout = default_timeout,
    .conflicts = table_conflicts,
    .no_hold =
        "is not kept by the backend nats: its servers cannot be asked one by one whether they have a quorum. "
        "Remove it"};
constexpr BackendKind kind{"nats", "ballot-nats", traits, prepare};

}  // namespace

}  // namespace ballot::nats

BALLOT_PLUGIN("nats", "0.1.0", ballot::nats::traits, ballot::support::create<ballot::nats::kind>)
