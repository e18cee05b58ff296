#include "base/regular_file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

namespace ballot {
namespace {

Error refusal(const std::string& path, const char* kind) {
  return {Errc::refused, path + " is " + kind + ": remove it, or put a regular file in its place"};
}

Error open_error(const std::string& path, int number) {
  if (number == ELOOP) return refusal(path, "a link");
  if (number == ENXIO || number == EISDIR) return refusal(path, "no regular file");
  return {number == ENOENT ? Errc::not_found : Errc::io,
          "cannot open " + path + ": " + std::system_category().message(number)};
}

}  // namespace

Result<RegularFile> open_regular(const std::string& path, int flags, mode_t mode) {
  constexpr int never_waits = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  RegularFile file{UniqueFd(::open(path.c_str(), flags | never_waits, mode)), {}};
  if (!file.fd || ::fstat(file.fd.get(), &file.info) != 0) return open_error(path, errno);
  if (!S_ISREG(file.info.st_mode)) return refusal(path, "no regular file");
  return file;
}

Result<struct stat> stat_regular(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    return Error{errno == ENOENT ? Errc::not_found : Errc::io, path + ": " + std::system_category().message(errno)};
  if (!S_ISREG(info.st_mode)) return Error{Errc::invalid, path + " is no regular file: put one in its place"};
  return info;
}

}  // namespace ballot
