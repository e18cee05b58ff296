#include "bench/history_server.hpp"

#include "conformance/plugin_file.hpp"

namespace ballot::bench {

std::unique_ptr<History> open_history(const Options& options, HistoryUse use) {
  Error error;
  auto* const history = conformance::plugin_info(BALLOT_POSTGRESQL_PLUGIN).create_history({options, "/", use}, error);
  if (history == nullptr) throw std::runtime_error(error.what);
  return std::unique_ptr<History>(history);
}

HistoryServer::HistoryServer(bool synced)
    : server({.synced = synced, .more = {"shared_buffers = '512MB'", "max_wal_size = '4GB'"}}) {
  server.ask("CREATE ROLE ballot LOGIN");
  value(open_history(options(), HistoryUse::migrate)->migrate());
}

Options HistoryServer::options() const {
  return {{"url", server.url("ballot")}, {"migrate_user", std::string("postgres")}};
}

std::string HistoryServer::configuration() const {
  return "[fleet]\nhistory = \"postgresql\"\n[postgresql]\nurl = \"" + server.url("ballot") + "\"\n";
}

std::int64_t HistoryServer::bytes_of(const std::string& table) const {
  return std::stoll(server.ask("SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('ballot." + table +
                               "') WHERE isleaf"));
}

}  // namespace ballot::bench
