#include "io/trusted_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/trust.hpp"
#include "base/unique_fd.hpp"

namespace ballot::io {
namespace {

Error failure(int error) {
  if (error == ELOOP) return {Errc::invalid, "is a link"};
  return {error == ENOENT ? Errc::not_found : Errc::io, std::strerror(error)};
}

Result<void> check(const struct stat& info, const std::string& path, Readers readers) {
  if (!S_ISREG(info.st_mode)) return Error{Errc::invalid, "is no regular file"};
  if (const auto fault = distrust(info, ::geteuid())) return Error{Errc::refused, *fault};
  if (readers == Readers::owner && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    std::array<char, 8> mode{};
    std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(info.st_mode & 07777));
    return Error{Errc::refused,
                 "is open to others (mode " + std::string(mode.data()) + "); take that away with chmod go-rwx"};
  }
  if (const auto fault = distrust_folder(path.substr(0, path.rfind('/') + 1), ::geteuid()))
    return Error{Errc::refused, *fault};
  if (info.st_size > static_cast<off_t>(largest_trusted_file)) return Error{Errc::invalid, "is larger than 1 MiB"};
  return {};
}

}  // namespace

Result<std::string> read_trusted_file(const std::string& path, Readers readers) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return failure(errno);
  if (auto good = check(info, path, readers); !good) return good.error();
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t read = 0;
  while (read < text.size()) {
    const ssize_t size = ::read(file.get(), text.data() + read, text.size() - read);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return failure(errno);
    if (size == 0) break;
    read += static_cast<std::size_t>(size);
  }
  text.resize(read);
  return text;
}

}  // namespace ballot::io
