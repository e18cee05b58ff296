// HistoryServer: a PostgreSQL of its own with the history's tables in it, which the plugin has made.
//
//   HistoryServer server({.synced = true});
//   BenchDaemon daemon(Disk::real, server.configuration());       // hands its ledger on to it
//   auto history = open_history(server.options(), HistoryUse::read);
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "ballot/history.hpp"
#include "ballot/plugin.hpp"
#include "support/servers/postgres_server.hpp"

namespace ballot::bench {

/// Throws std::runtime_error, with what the plugin says.
///@{
std::unique_ptr<History> open_history(const Options& options, HistoryUse use);

template <class T>
T value(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what);
  return *std::move(result);
}
///@}

struct HistoryServer {
  /// `synced`: what it acknowledges is on disk, as is its default.
  explicit HistoryServer(bool synced);

  Options options() const;
  /// Of ballot.toml.
  std::string configuration() const;
  /// All that there is of a table and of those that are a part of it, indexes and TOAST with it, in bytes.
  std::int64_t bytes_of(const std::string& table) const;

  testing::PostgresServer server;
};

}  // namespace ballot::bench
