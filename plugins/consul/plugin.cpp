// The plugin `consul`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#include "consul_store.hpp"
#include "settings.hpp"
#include "support/keys/key_driver.hpp"
#include "support/make_backend.hpp"
#include "support/secret_file.hpp"

namespace ballot::consul {

namespace {

constexpr Millis default_timeout{10'000}, shortest_timeout{1'000};

/// The token, read anew from its file; "" where there is none.
Result<std::string> token_of(const Settings& settings) {
  return support::secret_of("consul", "token_file", settings.token_file);
}

Result<support::MakeDriver> prepare(Host& host, const BackendSettings& settings) {
  const Settings own = read_settings(settings.options);
  if (const auto token = token_of(own); !token) return token.error();
  const bool open = own.token_file.empty();
  const auto checked =
      open ? support::check_open(host, settings.open_store, "Consul at " + own.address, "[consul] token_file")
           : Result<void>();
  if (!checked) return checked.error();
  const std::string root = own.prefix + "/" + settings.name_space + "/";
  const support::KeyPlace place{"consul",        settings.name_space, root,          own.address, settings.state_dir,
                                default_timeout, shortest_timeout,    own.lock_delay};
  const auto make = [own, name_space = settings.name_space](support::KeyStore::Listener& to, support::Outlet& outlet) {
    const auto token = token_of(own);
    if (!token) throw std::runtime_error(token.error().what);
    return std::make_unique<ConsulStore>(own, *token, name_space, to, outlet);
  };
  return support::make_key_driver(place, make);
}

constexpr BackendTraits traits{
    .keys = table_keys,
    .group_keys = group_keys,
    .session_timeout = default_timeout,
    .conflicts = table_conflicts,
    .group_conflicts = group_conflicts,
    .no_hold =
        "is not kept by the backend consul: an agent asks the servers on its own, and does not say of each "
        "whether it has a quorum. Remove it"};
constexpr support::BackendKind kind{"consul", "ballot-consul", traits, prepare};

}  // namespace

}  // namespace ballot::consul

BALLOT_PLUGIN("consul", "0.1.0", ballot::consul::traits, ballot::support::create<ballot::consul::kind>)
