#include "migration.hpp"

#include <set>

#include "failure.hpp"
#include "schema.hpp"

namespace ballot::postgresql {

namespace {

constexpr const char* lock_sql = "SELECT pg_advisory_xact_lock(hashtextextended('ballot schema ' || $1, 0))";
constexpr const char* is_made_sql = "SELECT to_regclass($1 || '.meta') IS NOT NULL";
constexpr const char* role_sql =
    "SELECT quote_ident($1), EXISTS (SELECT FROM pg_roles WHERE rolname = $1), $1 = current_user";
constexpr const char* is_granted_sql =
    "SELECT has_schema_privilege($1, $2, 'USAGE') AND has_table_privilege($1, $2 || '.rows', 'INSERT')"
    " AND has_function_privilege($1, $2 || '.drop_partitions(interval, interval)', 'EXECUTE')";

/// Of months that are kept, up to this one: what nodes have recorded before they send is of these.
constexpr const char* past_partitions_sql =
    "SELECT count(*) FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC' - least($3::interval, interval"
    " '24 months')), date_trunc('month', now() AT TIME ZONE 'UTC'), interval '1 month') AS month"
    " WHERE make_partition($1, $2, month)";

std::int64_t make_partitions(Connection& connection, const Settings& settings) {
  const auto past = [&](const char* table, const char* key, Millis keep) {
    Params params;
    params.add(table).add(key).add(interval_of(keep));
    return connection.ask({past_partitions_sql, std::move(params)}).number(0, 0);
  };
  const std::int64_t made = past("rows", "slot", settings.keep) + past("output", "at", settings.keep_output);
  return made + connection.ask({make_partitions_sql}).number(0, 0);
}

std::int64_t version_of(Connection& connection, const std::string& schema) {
  if (!connection.ask({is_made_sql, Params().add(schema)}).flag(0, 0)) return 0;
  const Answer version = connection.ask({version_sql});
  check_version(version, connection.place());
  return version.number(0, 0);
}

void grant(Connection& connection, const Settings& settings, const std::string& role, std::vector<std::string>& done) {
  const Answer found = connection.ask({role_sql, Params().add(role)});
  if (!found.flag(0, 1))
    fail(Errc::refused, connection.place() + ": there is no role " + found.text(0, 0) +
                            ", which [postgresql] url names: make it first: CREATE ROLE " + found.text(0, 0) +
                            " LOGIN");
  if (found.flag(0, 2)) return;  // who makes the tables
  const bool is_granted = connection.ask({is_granted_sql, Params().add(role).add(settings.schema)}).flag(0, 0);
  connection.run(grants_sql(settings.schema, found.text(0, 0)));
  if (!is_granted) done.push_back("role " + found.text(0, 0) + ": may write and read the history");
}

std::vector<std::string> migrate_locked(Connection& connection, const Settings& settings) {
  std::vector<std::string> done;
  connection.ask({lock_sql, Params().add(settings.schema)});
  const std::int64_t before = version_of(connection, settings.schema);
  for (std::int64_t version = before; version < schema_version; ++version)
    connection.run(migration_from(version, settings.schema));
  if (before < schema_version)
    done.push_back("schema " + settings.schema + ": " +
                   (before == 0 ? "made" : "brought from version " + std::to_string(before)) + ", version " +
                   std::to_string(schema_version));
  connection.run(words_sql());
  const std::int64_t made = make_partitions(connection, settings);
  if (made > 0) done.push_back(std::to_string(made) + " partitions: made");
  for (const std::string& role : std::set<std::string>(settings.users.begin(), settings.users.end()))
    grant(connection, settings, role, done);
  return done;
}

}  // namespace

std::vector<std::string> migrate(Connection& connection, const Settings& settings) {
  connection.run("BEGIN");
  try {
    std::vector<std::string> done = migrate_locked(connection, settings);
    connection.run("COMMIT");
    return done;
  } catch (const Failure&) {
    connection.close();
    throw;
  }
}

}  // namespace ballot::postgresql
