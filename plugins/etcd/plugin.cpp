// The plugin `etcd`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <memory>
#include <stdexcept>
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
  if (const auto password = password_of(own); !password) return password.error();
  if (own.is_open())
    if (const auto checked =
            support::check_open(host, settings.open_store, "etcd at " + own.servers_text(),
                                "[etcd] auth = \"USER:FILE\", or cert and key where the servers ask for them");
        !checked)
      return checked.error();
  const std::string root = own.prefix + "/" + settings.name_space + "/";
  if (const auto checked = http::Client::check(client_settings(own)); !checked) return checked.error();
  const support::KeyPlace keys{"etcd",          settings.name_space, root, own.servers_text(), settings.state_dir,
                               default_timeout, shortest_timeout};
  // Password and certificates are read anew for each session, so that one may change while a daemon runs.
  return support::make_key_driver(keys, [own, root](support::KeyStore::Listener& to, support::Outlet& outlet) {
    const auto password = password_of(own);
    if (!password) throw std::runtime_error(password.error().what);
    return std::make_unique<EtcdStore>(to, outlet, EtcdStore::Place{own, *password, root});
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
