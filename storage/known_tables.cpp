#include "storage/known_tables.hpp"

#include "storage/row_columns.hpp"
#include "storage/schema.hpp"
#include "storage/sqlite_error.hpp"

namespace ballot::storage {
namespace {

/// Adds the rows that `sql` finds: identity, name, repair, count, times.
void read(const Database& db, std::string_view sql, KnownRow::Of of, std::vector<KnownRow>& rows) {
  Statement statement(db, sql);
  Cursor found = statement.start();
  while (found.step()) {
    const auto number = [&](int column) { return static_cast<std::uint64_t>(found.number(column)); };
    rows.push_back({read_run_id(found.blob(0)), of, std::string(found.text(1)), number(2), number(3), number(4)});
  }
}

}  // namespace

KnownTables::KnownTables(const Database& db)
    : find_store_(db, "SELECT id FROM known_store WHERE identity = ?1"),
      insert_store_(db, "INSERT INTO known_store (identity, place, revision, times, change) VALUES (?1, '', 0, 0, 0)"),
      update_store_(db, "UPDATE known_store SET place = ?2, revision = ?3, times = ?4, change = ?5 WHERE id = ?1"),
      upsert_group_(db, "INSERT OR REPLACE INTO known_group VALUES (?1, ?2, ?3, ?4, ?5)"),
      upsert_job_(db, "INSERT OR REPLACE INTO known_job VALUES (?1, ?2, ?3, ?4)") {}

void KnownTables::write(const KnownRow& row, std::int64_t name, std::int64_t change) {
  const std::int64_t store = number_of(row.store);
  const std::int64_t repair = as_stored(row.repair), count = as_stored(row.count), times = as_stored(row.times);
  switch (row.of) {
    case KnownRow::Of::store: return update_store_.run(store, std::string_view(row.name), count, times, change);
    case KnownRow::Of::group: return upsert_group_.run(store, name, repair, count, times);
    case KnownRow::Of::job: return upsert_job_.run(store, name, repair, count);
  }
}

/// The number of a store. A new store gets its row here; its place and revision may come later.
std::int64_t KnownTables::number_of(const RunId& store) {
  if (last_number_ != 0 && store == last_store_) return last_number_;
  const auto find = [&] {
    Cursor found = find_store_.start(id_blob(store));
    return found.step() ? found.number(0) : 0;
  };
  std::int64_t number = find();
  if (number == 0) {
    insert_store_.run(id_blob(store));
    number = find();
  }
  last_store_ = store;
  return last_number_ = number;
}

std::vector<KnownRow> read_known(const std::string& path) try {
  Database db = open_ledger_for_reading(path);
  std::vector<KnownRow> rows;
  if (db.number("SELECT count(*) FROM sqlite_schema WHERE name = 'known_job'") == 0) return rows;
  read(db, "SELECT identity, place, 0, revision, times FROM known_store ORDER BY change", KnownRow::Of::store, rows);
  read(db,
       "SELECT identity, text, repair, epoch, k.times FROM known_group AS k JOIN known_store AS s ON s.id = store_id"
       " JOIN name ON name.id = group_id",
       KnownRow::Of::group, rows);
  read(db,
       "SELECT identity, text, repair, fence, 0 FROM known_job JOIN known_store AS s ON s.id = store_id"
       " JOIN name ON name.id = job_id",
       KnownRow::Of::job, rows);
  return rows;
} catch (const SqliteError&) {
  return {};
}

}  // namespace ballot::storage
