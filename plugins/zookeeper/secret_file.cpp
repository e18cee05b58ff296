#include "secret_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace ballot::zookeeper {

namespace {

/// Closes it.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string mode_of(const struct stat& info) {
  std::array<char, 8> mode{};
  std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(info.st_mode & 07777));
  return "(mode " + std::string(mode.data()) + ")";
}

bool owner_is_good(const struct stat& info) { return info.st_uid == 0 || info.st_uid == ::geteuid(); }

std::string wrong_owner(const struct stat& info) {
  return " belongs to user " + std::to_string(info.st_uid) + ": it must belong to root or to the daemon's user";
}

/// The first folder on the way to the file that others may put something into. A sticky one is fine.
std::optional<std::string> open_folder(const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = slash == 0 ? "/" : path.substr(0, slash);
    struct stat info {};
    if (::stat(folder.c_str(), &info) != 0) continue;
    if (!owner_is_good(info)) return folder + wrong_owner(info);
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (info.st_mode & S_ISVTX) == 0)
      return folder + " is writable by others " + mode_of(info) + ": chmod go-w it";
  }
  return std::nullopt;
}

std::optional<std::string> distrust(const std::string& path, const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return path + " is no regular file";
  if (!owner_is_good(info)) return path + wrong_owner(info);
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return path + " is open to others " + mode_of(info) + ": chmod 0600 it";
  if (auto fault = open_folder(path)) return fault;
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) != nullptr ? open_folder(resolved) : std::nullopt;
}

}  // namespace

Result<std::string> read_secret(const std::string& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0)
    return Error{Errc::io, "cannot read " + path + ": " + (errno == ELOOP ? "it is a link" : std::strerror(errno))};
  if (const auto fault = distrust(path, info)) return Error{Errc::refused, *fault};
  std::array<char, 4096> text;
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  std::string line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  line.resize(std::min(line.find('\n'), line.size()));
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty()) return Error{Errc::invalid, "the first line of " + path + " is empty"};
  return line;
}

}  // namespace ballot::zookeeper
