// The plugin `redis`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <memory>

#include "redis_store.hpp"
#include "settings.hpp"
#include "support/keys/key_driver.hpp"
#include "support/make_backend.hpp"

namespace redis {

using namespace ballot;

namespace {

constexpr Millis default_timeout{5000}, shortest_timeout{1000};

Result<support::MakeDriver> prepare(Host& host, const BackendSettings& settings) {
  const auto own = read_settings(settings.options, settings.name_space);
  if (!own) return own.error();
  const std::string server = own->server.text();
  if (own->server.password.empty())
    if (const auto checked =
            support::check_open(host, settings.open_store, "Redis at " + server, "[redis] auth = \"USER:FILE\"");
        !checked)
      return checked.error();
  const support::KeyPlace place{"redis",         settings.name_space, own->root, server, settings.state_dir,
                                default_timeout, shortest_timeout};
  return support::make_key_driver(place, [own = *own](support::KeyStore::Listener& to, support::Outlet& outlet) {
    return std::make_unique<RedisStore>(to, outlet, own);
  });
}

constexpr BackendTraits traits{
    .keys = table_keys,
    .session_timeout = default_timeout,
    .no_hold = "is not kept by the backend redis: one server that is silent may be down. Remove it"};
constexpr support::BackendKind kind{"redis", "ballot-redis", traits, prepare};

}  // namespace

}  // namespace redis

BALLOT_PLUGIN("redis", "0.1.0", redis::traits, ballot::support::create<redis::kind>)
