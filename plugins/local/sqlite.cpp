#include "sqlite.hpp"

#include <fcntl.h>
#include <sqlite3.h>

#include <utility>

#include "support/descriptor.hpp"

namespace ballot::local {

using support::Descriptor;

namespace {

DbFault fault_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL: return DbFault::full;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return DbFault::busy;
    case SQLITE_CANTOPEN:  // the journal, before the first page is changed
    case SQLITE_NOMEM:
    case SQLITE_PERM:
    case SQLITE_READONLY: return DbFault::denied;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA: return DbFault::damaged;
    default: return DbFault::broken;
  }
}

void check(sqlite3* db, int code) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  const int extended = db != nullptr ? sqlite3_extended_errcode(db) : code;
  throw DbError(fault_of(code), std::string(sqlite3_errmsg(db)) + " (SQLite " + std::to_string(extended) + ")");
}

int on_busy(void* wait, int tries) {
  auto& asked = *static_cast<std::function<bool(int)>*>(wait);
  return asked(tries) ? 1 : 0;
}

int on_commit(void* pages, sqlite3*, const char*, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

}  // namespace

void Statement::Reset::operator()(sqlite3_stmt* handle) const noexcept {
  sqlite3_reset(handle);
  sqlite3_clear_bindings(handle);
}

Statement& Statement::bind(std::int64_t value) {
  check(db_, sqlite3_bind_int64(handle_.get(), ++parameter_, value));
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  const char* data = text.empty() ? "" : text.data();
  check(db_, sqlite3_bind_text64(handle_.get(), ++parameter_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  check(db_, code);
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

std::string Statement::text(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return data == nullptr ? std::string() : std::string(data, size);
}

Connection::Connection(const std::string& path, std::function<bool(int)> wait) : wait_(std::move(wait)) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
  const int code = sqlite3_open_v2(path.c_str(), &db_, flags, nullptr);
  try {
    check(db_, code);
    check(db_, sqlite3_busy_handler(db_, &on_busy, &wait_));
    check(db_, sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr));
    check(db_, sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr));
    sqlite3_wal_hook(db_, &on_commit, &logged_pages_);  // instead of SQLite's own, which checkpoints
  } catch (...) {
    sqlite3_close(db_);
    throw;
  }
}

Connection::~Connection() {
  for (const auto& [sql, handle] : prepared_) sqlite3_finalize(handle);
  sqlite3_close(db_);
}

void Connection::execute(const char* sql) { check(db_, sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }

Statement Connection::statement(const char* sql) {
  sqlite3_stmt*& handle = prepared_[sql];
  if (handle == nullptr) check(db_, sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, nullptr));
  return {db_, handle};
}

std::int64_t Connection::integer(const char* sql) {
  Statement query = statement(sql);
  return query.step() ? query.integer(0) : 0;
}

int Connection::changes() const { return sqlite3_changes(db_); }

void Connection::begin(Access access) { run(access == Access::write ? "BEGIN IMMEDIATE" : "BEGIN"); }

void Connection::commit() { run("COMMIT"); }

void Connection::roll_back() noexcept {
  if (sqlite3_get_autocommit(db_) != 0) return;
  try {
    run("ROLLBACK");
  } catch (const DbError&) {
    // What is in the log without its end counts for nobody.
  }
}

void Connection::checkpoint(int mode) {
  const int code = sqlite3_wal_checkpoint_v2(db_, "main", mode, nullptr, nullptr);
  if (code != SQLITE_BUSY && code != SQLITE_LOCKED) check(db_, code);
}

void Connection::checkpoint() { checkpoint(SQLITE_CHECKPOINT_PASSIVE); }

void Connection::empty_log() { checkpoint(SQLITE_CHECKPOINT_TRUNCATE); }

void Connection::release_memory() noexcept {
  constexpr int little = 2 << 20;
  int used = 0, most = 0;
  if (sqlite3_db_status(db_, SQLITE_DBSTATUS_CACHE_USED, &used, &most, 0) != SQLITE_OK || used <= little) return;
  sqlite3_db_release_memory(db_);
}

std::int64_t Connection::all_changes() const noexcept { return sqlite3_total_changes64(db_); }

void Connection::reserve_log(std::int64_t bytes) const {
  const Descriptor log(
      ::open(sqlite3_filename_wal(sqlite3_db_filename(db_, "main")), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  // The size stays: for SQLite the file is as it was. A file system that cannot do this goes without.
  if (log.get() >= 0) static_cast<void>(::fallocate(log.get(), FALLOC_FL_KEEP_SIZE, 0, bytes));
}

}  // namespace ballot::local
