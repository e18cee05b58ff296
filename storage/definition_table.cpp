#include "storage/definition_table.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>

#include "storage/row_columns.hpp"

namespace ballot::storage {
namespace {

constexpr std::string_view insert_definition =
    "INSERT INTO definition (change, renewed, job_id, group_id, node_id, since, until, first_epoch, epoch, before,"
    " basis, digest, schedule, anchors, timezone, not_before, not_after, enabled, jitter_ms, start_deadline_ms,"
    " concurrency, retries, at_least_once, reruns)"
    " VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,"
    " ?22)";

/// A line each; within an expression a line's end is a space like others.
std::string lines(const std::vector<std::string>& texts) {
  std::string all;
  for (std::string text : texts) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    all += (all.empty() ? "" : "\n") + text;
  }
  return all;
}

std::vector<std::string> split_lines(std::string_view all) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    const std::size_t end = std::min(all.find('\n'), all.size());
    texts.emplace_back(all.substr(0, end));
    all.remove_prefix(std::min(end + 1, all.size()));
  }
  return texts;
}

std::string numbers(const std::vector<WallTime>& times) {
  std::vector<std::string> texts;
  for (const WallTime time : times) texts.push_back(std::to_string(time.time_since_epoch().count()));
  return lines(texts);
}

std::vector<WallTime> times(std::string_view all) {
  std::vector<WallTime> times;
  for (const std::string& text : split_lines(all)) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    times.emplace_back(Millis(value));
  }
  return times;
}

std::optional<WallTime> optional_time(const Cursor& cursor, int column) {
  return cursor.null(column) ? std::nullopt : std::optional(cursor.time(column));
}

}  // namespace

NumberedDefinition read_definition(const Cursor& cursor) {
  NumberedDefinition result;
  result.change = cursor.number(1);
  result.renewed = cursor.number(2);
  result.first_epoch = static_cast<std::uint64_t>(cursor.number(7));
  DefinitionRow& row = result.row;
  row.from = cursor.time(6);
  row.epoch = static_cast<std::uint64_t>(cursor.number(8));
  row.before = static_cast<std::uint64_t>(cursor.number(9));
  row.basis = read_word(cursor.number(10), Basis::repaired);
  row.digest = cursor.text(11);
  row.schedule = split_lines(cursor.text(12));
  row.anchors = times(cursor.text(13));
  row.timezone = cursor.text(14);
  row.not_before = optional_time(cursor, 15);
  row.not_after = optional_time(cursor, 16);
  row.enabled = cursor.number(17) != 0;
  row.jitter = Millis(cursor.number(18));
  row.start_deadline = Millis(cursor.number(19));
  row.concurrency = read_word(cursor.number(20), Concurrency::allow);
  row.retries = static_cast<int>(cursor.number(21));
  row.at_least_once = cursor.number(22) != 0;
  row.reruns = cursor.number(23) != 0;
  return result;
}

DefinitionTable::DefinitionTable(const Database& db)
    : db_(db),
      newest_(db, std::string("SELECT ") + definition_columns +
                      " FROM definition INDEXED BY definition_job WHERE job_id = ?1 ORDER BY id DESC LIMIT 1"),
      renew_(db, "UPDATE definition SET epoch = ?2, renewed = ?3 WHERE id = ?1"),
      end_(db, "UPDATE definition SET until = ?2 WHERE job_id = ?1 AND until IS NULL"),
      insert_(db, insert_definition),
      insert_keys_(db, "INSERT OR IGNORE INTO definition_keys VALUES (?1, ?2, ?3)") {}

std::int64_t DefinitionTable::write(const DefinitionRow& row, Ids ids, std::int64_t change) {
  if (!row.keys.empty()) insert_keys_.run(ids.job, std::string_view(row.digest), std::string_view(row.keys));
  if (const auto renewed = renew(row, ids, change)) return *renewed;
  end_.run(ids.job, row.from);
  // Where no file defines the job it is over at once: it says up to where the one before went.
  std::optional<std::int64_t> until;
  if (row.digest.empty()) until = row.from.time_since_epoch().count();
  const std::string schedule = lines(row.schedule), anchors = numbers(row.anchors);
  insert_.run(change, ids.job, ids.group, ids.node, row.from, until, as_stored(row.epoch), as_stored(row.before),
              static_cast<int>(row.basis), std::string_view(row.digest), std::string_view(schedule),
              std::string_view(anchors), std::string_view(row.timezone), row.not_before, row.not_after,
              static_cast<int>(row.enabled), row.jitter, row.start_deadline, static_cast<int>(row.concurrency),
              row.retries, static_cast<int>(row.at_least_once), static_cast<int>(row.reruns));
  return sqlite3_last_insert_rowid(db_.handle());
}

std::optional<std::int64_t> DefinitionTable::renew(const DefinitionRow& row, Ids ids, std::int64_t change) {
  std::int64_t id = 0;
  {
    Cursor found = newest_.start(ids.job);
    if (!found.step() || found.number(4) != ids.group || found.number(5) != ids.node) return std::nullopt;
    id = found.number(0);
    DefinitionRow known = read_definition(found).row;
    known.job = row.job, known.group = row.group, known.node = row.node;
    if (!goes_on(known, row)) return std::nullopt;
  }
  renew_.run(id, as_stored(row.epoch), change);
  return id;
}

}  // namespace ballot::storage
