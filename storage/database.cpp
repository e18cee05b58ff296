#include "storage/database.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/failpoint.hpp"
#include "base/unique_fd.hpp"
#include "storage/sqlite_error.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {
namespace {

Fault fault_of(int code) {
  const int primary = code & 0xff;
  return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB ? Fault::broken : Fault::passing;
}

const char* advice(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL: return "free space on its disk";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return "make it and its folder writable for ballot's user";
    case SQLITE_CANTOPEN: return "check that its folder exists and that ballot's user may use it";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "another process keeps it locked: end that one's transaction";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return "`sqlite3 FILE .recover` reads what is left of it";
    default: return "check the system's log for errors of its disk";
  }
}

bool writable(const std::string& path) { return ::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) == 0; }

/// A new file gets its mode before SQLite sees it: output of jobs is not for everybody. Whoever opened a read-only
/// ledger left read-only companions, which outlive the cause: they get its mode again.
void prepare_files(const std::string& path) {
  const UniqueFd made(::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0640));
  struct stat file {};
  if (made || ::stat(path.c_str(), &file) != 0 || !writable(path)) return;
  for (const char* part : {"-wal", "-shm"})
    if (!writable(path + part)) (void)::chmod((path + part).c_str(), file.st_mode & 07777);
}

/// The path as a URI that says immutable.
std::string immutable_uri(const std::string& path) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '%' || c == '?' || c == '#')
      uri += {'%', digits[byte >> 4], digits[byte & 15]};
    else
      uri += c;
  }
  return uri + "?immutable=1";
}

}  // namespace

void Database::Closer::operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }

Database::Database(const std::string& path, Open mode) : path_(path) {
  refuse_what_is_no_file();
  if (mode == Open::write) {
    if (BALLOT_FAILS("storage.open")) fail(SQLITE_CANTOPEN);
    prepare_files(path);
    if (!writable(path) && errno != ENOENT) fail(SQLITE_READONLY);  // SQLite would open it for reading
  }
  const int access = mode == Open::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int kind = mode == Open::immutable ? SQLITE_OPEN_URI : 0;
  const std::string name = mode == Open::immutable ? immutable_uri(path) : path;
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(name.c_str(), &handle, access | kind | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  on_close(WalOnClose::stays);
}

/// SQLite opens what has the database's name and the names beside it, and would wait for the writer of a FIFO. A link
/// is followed: the ledger may lie on another disk.
void Database::refuse_what_is_no_file() const {
  for (const char* part : {"", "-wal", "-shm", "-journal"}) {
    struct stat file {};
    if (::stat((path_ + part).c_str(), &file) == 0 && !S_ISREG(file.st_mode))
      throw SqliteError(Fault::passing, path_ + part + " is no regular file: move it away");
  }
}

void Database::run(const char* sql) {
  const int code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  Cursor cursor = statement.start();
  const std::int64_t value = cursor.step() ? cursor.number(0) : 0;
  while (cursor.step()) continue;
  return value;
}

void Database::wait_for_locks(Millis longest) { sqlite3_busy_timeout(handle(), static_cast<int>(longest.count())); }

void Database::ask_whether_to_go_on(std::function<bool()> goes_on) {
  constexpr int steps_between = 20'000;  // of SQLite's machine
  goes_on_ = std::make_unique<std::function<bool()>>(std::move(goes_on));
  const auto ask = [](void* function) { return (*static_cast<std::function<bool()>*>(function))() ? 0 : 1; };
  sqlite3_progress_handler(handle(), steps_between, ask, goes_on_.get());
}

bool Database::moved() const {
  int moved = 0;
  return sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

void Database::on_close(WalOnClose what) {
  sqlite3_db_config(handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, what == WalOnClose::stays ? 1 : 0, nullptr);
}

void Database::fail(int code) const {
  std::string what = path_ + ": ";
  if (handle() && sqlite3_extended_errcode(handle()) == code)
    what += sqlite3_errmsg(handle());
  else
    what += sqlite3_errstr(code);
  const int system = handle() ? sqlite3_system_errno(handle()) : 0;
  const int primary = code & 0xff;
  if (system != 0 && (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN))
    what += std::string(" (") + std::strerror(system) + ")";
  throw SqliteError(fault_of(code), what + ": " + advice(code));
}

}  // namespace ballot::storage
