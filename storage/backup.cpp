#include "storage/backup.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/failpoint.hpp"
#include "base/unique_fd.hpp"
#include "storage/sqlite_error.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {
namespace {

constexpr int step_pages = 1000;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw SqliteError(Fault::passing, path + ": " + why);
}
[[noreturn]] void refuse(const std::string& path, int error) { refuse(path, std::strerror(error)); }

/// What the copy is called until it is whole; gone with this object, if it has not become that.
class Unfinished {
 public:
  explicit Unfinished(std::string path) : path_(std::move(path)) {
    const UniqueFd made(::open(path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
    if (!made) refuse(path_, errno);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    for (const char* part : {"", "-journal", "-wal", "-shm"}) (void)::unlink((path_ + part).c_str());
  }

  const std::string& path() const { return path_; }
  std::int64_t sync() const {
    const UniqueFd file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about {};
    if (!file || ::fsync(file.get()) != 0 || ::fstat(file.get(), &about) != 0) refuse(path_, errno);
    return about.st_size;
  }
  /// Replaces nothing.
  void become(const std::string& path) const {
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) refuse(path, "is there already: nothing is overwritten");
    const bool unknown = errno == EINVAL || errno == ENOSYS;  // to its file system
    if (!unknown) refuse(path, errno);
    if (::link(path_.c_str(), path.c_str()) != 0) refuse(path, errno);
  }

 private:
  const std::string path_;
};

void copy(Database& source, const std::string& path) {
  Database target(path, Open::write);
  source.run("BEGIN");  // of one moment: what is written meanwhile is not looked at
  source.number("SELECT count(*) FROM sqlite_schema");
  {
    std::unique_ptr<sqlite3_backup, int (*)(sqlite3_backup*)> backup(
        sqlite3_backup_init(target.handle(), "main", source.handle(), "main"), sqlite3_backup_finish);
    if (!backup) target.fail(sqlite3_errcode(target.handle()));
    int code = SQLITE_OK;
    while (code == SQLITE_OK)
      code = BALLOT_FAILS("storage.backup") ? SQLITE_FULL : sqlite3_backup_step(backup.get(), step_pages);
    if (code != SQLITE_DONE) {
      backup.reset();
      target.fail(code);
    }
  }
  source.run("COMMIT");
}

}  // namespace

std::int64_t back_up(Database& source, const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) refuse(path, "is there already: nothing is overwritten");
  if (errno != ENOENT) refuse(path, errno);
  const Unfinished copied(path + ".unfinished-" + std::to_string(::getpid()));
  copy(source, copied.path());
  const std::int64_t bytes = copied.sync();
  copied.become(path);
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) refuse(folder.string(), errno);
  return bytes;
}

}  // namespace ballot::storage
