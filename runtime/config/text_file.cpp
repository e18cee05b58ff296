#include "config/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/unique_fd.hpp"
#include "config/text_check.hpp"

namespace ballot::config {
namespace {

Error open_error(int number) {
  if (number == ENOENT) return {Errc::not_found, "no such file"};
  if (number == ENXIO) return {Errc::refused, "this is no regular file; remove it or rename it"};
  return {Errc::io, "the file cannot be opened: " + std::system_category().message(number)};
}

/// Asks for one byte more than `size`: a file that has grown is read to its new end, and one that has not in one call.
Result<void> read_all(int fd, std::size_t size, std::string& text) {
  text.resize(size + 1);
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(fd, text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{Errc::io, "the file cannot be read: " + std::system_category().message(errno)};
    have += static_cast<std::size_t>(got);
    if (got == 0 || have == size) break;
    if (have == text.size() && have <= largest_file) text.resize(largest_file + 1);
  }
  text.resize(have);
  return {};
}

}  // namespace

Result<struct stat> read_text_file(const std::string& path, std::string& text) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd) return open_error(errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return open_error(errno);
  if (!S_ISREG(info.st_mode)) return Error{Errc::refused, "this is no regular file; remove it or rename it"};
  if (const auto done = read_text(fd.get(), info, text); !done) return done.error();
  return info;
}

Result<void> read_text(int file, const struct stat& info, std::string& text) {
  const Error too_large{Errc::refused, "the file is larger than 1 MiB"};
  if (info.st_size > static_cast<off_t>(largest_file)) return too_large;
  if (auto done = read_all(file, static_cast<std::size_t>(info.st_size), text); !done) return done;
  if (text.size() > largest_file) return too_large;
  return {};
}

}  // namespace ballot::config
