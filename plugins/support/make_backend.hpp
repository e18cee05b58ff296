// MakeBackend: what every plugin's create() has to do beside making its driver: the problems of its table, a namespace
// that can be no part of a path, an outage that it cannot detect, and whatever throws, as an Error. Pure but for
// `make`.
//
//   Result<MakeDriver> prepare(Host& host, const BackendSettings& settings);   // the plugin's
//   constexpr BackendKind kind{"local", "ballot-local", traits, prepare};
//   BALLOT_PLUGIN("local", "0.1.0", traits, ballot::support::create<kind>)
#pragma once

#include <string>

#include "ballot/plugin.hpp"
#include "support/session_driver.hpp"

namespace ballot::support {

struct BackendKind {
  const char* name;    // of the plugin and its table
  const char* thread;  // at most 15 letters
  const BackendTraits& traits;
  /// Requires: nothing of the above is wrong.
  Result<MakeDriver> (*prepare)(Host&, const BackendSettings&);
};

/// Of a store that anybody may write to: refuses it, or warns of it. `store`: "NATS at LIST"; `what`: is to be set.
Result<void> check_open(Host& host, OpenStore open, const std::string& store, const std::string& what);

/// Null and `error` set where it cannot be made.
Backend* make_backend(const BackendKind& kind, Host& host, const BackendSettings& settings, Error& error) noexcept;

/// The same, as BALLOT_PLUGIN wants it.
template <const BackendKind& kind>
Backend* create(Host& host, const BackendSettings& settings, Error& error) noexcept {
  return make_backend(kind, host, settings, error);
}

}  // namespace ballot::support
