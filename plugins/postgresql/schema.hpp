// Schema: the tables that a history is kept in, and which versions of them this ballot reads and writes. What they mean
// is in docs/history-postgresql.md. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "answer.hpp"
#include "ballot/time.hpp"

namespace ballot::postgresql {

inline constexpr std::int64_t schema_version = 5;

/// SQLSTATE of advance(): the ledger is not at that change.
inline constexpr const char* conflict_state = "BA001";

/// Of advance(): the tables are not those that ids are remembered of.
inline constexpr const char* other_tables_state = "BA002";

inline constexpr const char* version_sql = "SELECT version, compatible_from FROM meta";
/// Fails where a newer ballot has made the tables such that this one must not use them, or they are too old.
void check_version(const Answer& version, const std::string& place);

/// From that one on runs that succeeded at once are counted by days.
inline constexpr std::int64_t version_with_days = 2;
/// From that one on days that are over are counted whole.
inline constexpr std::int64_t version_with_ends = 3;
/// From that one on pauses say when they were to end, and why they were.
inline constexpr std::int64_t version_with_pause_terms = 4;
/// From that one on requests say which variables a trigger gave its run.
inline constexpr std::int64_t version_with_trigger_env = 5;

/// The statements that take the tables from one version to the next.
std::string migration_from(std::int64_t version, const std::string& schema);
/// The words that this ballot knows, for who reads the tables by hand.
std::string words_sql();
/// What a daemon's user may do.
std::string grants_sql(const std::string& schema, const std::string& quoted_role);

/// Of a table that is partitioned by the time, by months.
inline constexpr const char* make_partitions_sql = "SELECT make_partitions()";
/// As text, for the parameters of these.
std::string interval_of(Millis span);
/// $1, $2: how long rows and output are kept.
inline constexpr const char* drop_partitions_sql = "SELECT drop_partitions($1::interval, $2::interval)";

}  // namespace ballot::postgresql
