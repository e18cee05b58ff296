#include "storage/statement.hpp"

#include <sqlite3.h>

#include "storage/database.hpp"

namespace ballot::storage {

Cursor::~Cursor() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

bool Cursor::step() {
  if (ended_) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  ended_ = true;
  if (code != SQLITE_DONE) db_.fail(code);
  return false;
}

std::int64_t Cursor::number(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Cursor::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return {text ? text : "", static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Cursor::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {bytes ? bytes : "", static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Cursor::null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Statement::Statement(const Database& db, std::string_view sql) : db_(db) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(db.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

void Statement::bind(int position, std::int64_t value) { check(sqlite3_bind_int64(statement_.get(), position, value)); }

void Statement::bind(int position, std::string_view text) {
  const char* bytes = text.empty() ? "" : text.data();
  check(sqlite3_bind_text64(statement_.get(), position, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind(int position, Blob blob) {
  if (blob.bytes.empty()) return check(sqlite3_bind_zeroblob(statement_.get(), position, 0));
  check(sqlite3_bind_blob64(statement_.get(), position, blob.bytes.data(), blob.bytes.size(), SQLITE_STATIC));
}

void Statement::bind(int position, std::nullopt_t) { check(sqlite3_bind_null(statement_.get(), position)); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) db_.fail(code);
}

}  // namespace ballot::storage
