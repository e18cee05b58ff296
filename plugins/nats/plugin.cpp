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

Error open_store(const Settings& settings) {
  return {Errc::refused, "the NATS at " + settings.access.servers_text() +
                             " is open: whoever reaches it may trigger, kill and pause jobs here. Set [nats] user, "
                             "token, credentials or nkey, or say that this is wanted with [coordination] "
                             "allow_open_store = true"};
}

Result<MakeDriver> prepare(Host& host, const BackendSettings& settings) {
  const Settings own = read_settings(settings.options);
  if (const std::string conflict = conflict_of(own); !conflict.empty())
    return Error{Errc::invalid, "[nats] " + conflict};
  const auto bucket = nats::bucket_of(own, settings.name_space);
  if (!bucket) return bucket.error();
  if (const auto secrets = read_secrets(own.access); !secrets) return secrets.error();
  if (own.access.is_open() && settings.open_store == OpenStore::refuse) return open_store(own);
  if (own.access.is_open() && settings.open_store == OpenStore::warn) host.log(Level::warn, open_store(own).what);
  KeyPlace place{"nats", settings.name_space, *bucket + "/", own.access.servers_text(), settings.state_dir};
  place.default_timeout = default_timeout;
  place.shortest_timeout = shortest_timeout;
  const NatsPlace nats{own.access, *bucket, settings.name_space, own.replicas};
  const auto make = [nats](KeyStore::Listener& to, Outlet& outlet) {
    return std::make_unique<NatsStore>(to, outlet, nats);
  };
  return MakeDriver([place, make](Outlet& outlet) { return std::make_unique<KeyDriver>(outlet, place, make); });
}

constexpr BackendTraits traits{.keys = table_keys, .session_timeout = default_timeout};
constexpr BackendKind kind{
    "nats", "ballot-nats", table_keys,
    "is not kept by the backend nats: its servers cannot be asked one by one whether they have a "
    "quorum. Remove it",
    prepare};

}  // namespace

}  // namespace ballot::nats

BALLOT_PLUGIN("nats", "0.1.0", ballot::nats::traits, ballot::support::create<ballot::nats::kind>)
