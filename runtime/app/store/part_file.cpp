#include "app/store/part_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/failpoint.hpp"
#include "base/regular_file.hpp"

namespace ballot::app {
namespace {

Error part_failure(const std::string& path, int number) {
  return {Errc::io, "cannot write " + path + ": " + std::system_category().message(number)};
}

Error is_there(const std::string& path) {
  return {Errc::refused, path + " is there: it stays as it is; name another file, or move it away"};
}

}  // namespace

Result<void> PartFile::require_free() const {
  struct stat info {};
  if (::lstat(path_.c_str(), &info) != 0 && errno == ENOENT) return {};
  return is_there(path_);
}

Result<void> PartFile::write(const std::string& text) const {
  // A file of its own, whoever has put something there: the text is nobody else's to read or to change.
  if (::unlink(part_.c_str()) != 0 && errno != ENOENT) return part_failure(part_, errno);
  const auto file = open_regular(part_, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) return file.error();
  const int fd = file->fd.get();
  if (BALLOT_FAILS("store.part") || ::fchmod(fd, 0600) != 0) return part_failure(part_, errno);
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t done = BALLOT_FAILS("store.part.write") ? -1 : ::write(fd, rest.data(), rest.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return part_failure(part_, errno);
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
  return ::fsync(fd) == 0 ? Result<void>() : part_failure(part_, errno);
}

Result<void> PartFile::publish() const {
  if (::renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0)
    return errno == EEXIST ? is_there(path_) : part_failure(path_, errno);
  std::string folder = std::filesystem::path(path_).parent_path();
  if (folder.empty()) folder = ".";
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return part_failure(path_, errno);
  return {};
}

void PartFile::remove() const { ::unlink(part_.c_str()); }

}  // namespace ballot::app
