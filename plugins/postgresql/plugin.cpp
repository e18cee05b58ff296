// The plugin `postgresql`: what ballot.toml may say, and how the history is made.
#include "ballot/plugin.hpp"

#include <exception>

#include "postgres_history.hpp"
#include "settings.hpp"

namespace ballot::postgresql {

namespace {

History* create(const HistorySettings& settings, Error& error) noexcept {
  try {
    return new PostgresHistory(read_settings(settings.options, settings.use));
  } catch (const std::exception& failure) {  // of memory
    error = Error{Errc::io, std::string("postgresql: ") + failure.what()};
    return nullptr;
  }
}

constexpr BackendTraits traits{.keys = table_keys, .conflicts = table_conflicts};

}  // namespace

}  // namespace ballot::postgresql

BALLOT_HISTORY_PLUGIN("postgresql", "0.1.0", ballot::postgresql::traits, ballot::postgresql::create)
