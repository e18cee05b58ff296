#include "app/jobs/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/regular_file.hpp"
#include "base/unique_fd.hpp"

namespace ballot::app {
namespace {

Error differs(const std::string& path) {
  return {Errc::refused, path + " is there, and differs: it stays as it is; move it away, or name another folder"};
}

Error write_failure(const std::string& path, int number) {
  return {Errc::io, "cannot write " + path + ": " + std::system_category().message(number)};
}

/// What lies at `path`: nothing, a file with this very content, or something else, which an error names.
Result<Written> examine(const std::string& path, const std::string& text) {
  const auto file = open_regular(path, O_RDONLY);
  if (!file && file.error().code == Errc::not_found) return Written::fresh;
  if (!file) return file.error();
  std::string there(text.size() + 1, '\0');
  std::size_t have = 0;
  while (have < there.size()) {
    const ssize_t got = ::read(file->fd.get(), there.data() + have, there.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  there.resize(have);
  return there == text ? Result<Written>(Written::unchanged) : differs(path);
}

/// 0, or what went wrong.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return ::fsync(fd) == 0 ? 0 : errno;
}

}  // namespace

Result<Written> write_new_file(const std::string& path, const std::string& text, mode_t mode) {
  if (const auto there = examine(path, text); !there || *there == Written::unchanged) return there;
  const std::filesystem::path whole(path);
  const std::string fresh = whole.parent_path() / ("." + whole.filename().string() + ".new");
  ::unlink(fresh.c_str());
  const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd && errno == ENOENT)
    return Error{Errc::io, "cannot write " + path + ": there is no folder " + whole.parent_path().string()};
  if (!fd) return write_failure(path, errno);
  int error = write_all(fd.get(), text);
  if (error == 0 && ::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) error = errno;
  if (error == 0) return Written::fresh;
  ::unlink(fresh.c_str());
  if (error != EEXIST) return write_failure(path, error);
  return differs(path);
}

}  // namespace ballot::app
