// PostgresStore: the store of the conformance suite on a real server: a schema of its own for each test, on a server
// that a program's tests share. A daemon's objects are of a role that may not make tables.
#pragma once

#include <memory>
#include <string>

#include "conformance/history_under_test.hpp"
#include "conformance/plugin_file.hpp"
#include "support/servers/postgres_server.hpp"

namespace ballot::conformance {

/// Throws std::runtime_error.
inline std::unique_ptr<History> make_history(const std::string& file, const Options& options, HistoryUse use) {
  const PluginInfo& info = plugin_info(file);
  for (const OptionProblem& problem : check_table(options, info.traits)) throw std::runtime_error(problem.text);
  Error error;
  std::unique_ptr<History> history(info.create_history({options, "/nowhere", use}, error));
  if (!history) throw std::runtime_error(error.what);
  return history;
}

inline testing::PostgresServer& shared_postgres() {
  static testing::PostgresServer server;
  static const std::string made = server.ask(
      "CREATE ROLE ballot LOGIN; CREATE ROLE maker LOGIN CREATEROLE;"
      "GRANT CREATE ON DATABASE postgres TO maker");
  return server;
}

class PostgresStore : public HistoryStore {
 public:
  PostgresStore() : server_(shared_postgres()) {
    static int stores = 0;
    schema_ = "test_" + std::to_string(++stores);
    if (const auto made = make(HistoryUse::migrate)->migrate(); !made) throw std::runtime_error(made.error().what);
  }
  ~PostgresStore() override {
    server_.thaw();
    server_.ask("DROP SCHEMA " + schema_ + " CASCADE");
  }

  Options options() const {
    return {{"url", server_.url("ballot")}, {"migrate_user", std::string("maker")}, {"schema", schema_}};
  }
  std::unique_ptr<History> make(HistoryUse use) override {
    return make_history(BALLOT_POSTGRESQL_PLUGIN, options(), use);
  }
  bool freeze() override {
    server_.freeze();
    return true;
  }
  void thaw() override { server_.thaw(); }
  bool restart() override {
    server_.kill();
    server_.start();
    return true;
  }
  bool set_line(const RunId& ledger, std::int64_t change) override {
    ask("UPDATE @.ledger SET change = " + std::to_string(change) + " WHERE identity = '" + ledger.text() + "'");
    return true;
  }

  /// As the superuser; "@" is the schema.
  std::string ask(std::string sql) const {
    for (std::size_t at = sql.find('@'); at != std::string::npos; at = sql.find('@')) sql.replace(at, 1, schema_);
    return server_.ask(sql);
  }
  testing::PostgresServer& server() const { return server_; }
  const std::string& schema() const { return schema_; }

 private:
  testing::PostgresServer& server_;
  std::string schema_;
};

}  // namespace ballot::conformance
