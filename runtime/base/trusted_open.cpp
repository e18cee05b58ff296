#include "base/trusted_open.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/trust.hpp"

namespace ballot {
namespace {

/// "" where the kernel does not say.
std::string read_link(int folder, const char* name) {
  std::array<char, PATH_MAX> text{};
  const ssize_t size = ::readlinkat(folder, name, text.data(), text.size());
  return size <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
}

std::string path_of(int fd, const std::string& name) {
  const std::string path = read_link(AT_FDCWD, ("/proc/self/fd/" + std::to_string(fd)).c_str());
  return path.empty() ? name : path;
}

Error cannot_open(int number) {
  std::string text = "the file cannot be opened: " + std::system_category().message(number);
  if (number == EACCES)
    text += "; who reads it has uid " + std::to_string(::geteuid()) + ": give it the right to, by chown or chmod";
  return {Errc::io, std::move(text)};
}

/// Goes from name to name, each looked at without following it, and then gone through or read.
class Walk {
 public:
  Walk(int folder, std::uint32_t daemon) : folder_(folder), daemon_(daemon) {}

  Result<TrustedFile> to(const std::string& name, const struct stat* seen) {
    rest_.push_back(name);
    while (true) {
      const std::string next = std::move(rest_.back());
      rest_.pop_back();
      struct stat info {};
      if (seen != nullptr)
        info = *std::exchange(seen, nullptr);
      else if (::fstatat(folder_, next.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
        return no_such(next, errno);
      if (!S_ISLNK(info.st_mode) && rest_.empty()) return read(next, info);
      UniqueFd found(::openat(folder_, next.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      if (!found || ::fstat(found.get(), &info) != 0) return no_such(next, errno);
      if (const auto fault = S_ISLNK(info.st_mode) ? follow(found.get(), next, info) : enter(found, next, info))
        return Error{Errc::refused, *fault};
      if (rest_.empty()) return Error{Errc::refused, "this is a link to a folder; put a regular file in its place"};
    }
  }

 private:
  bool linked() const { return links_ > 0; }

  Error no_such(const std::string& name, int number) const {
    const bool gone = number == ENOENT || number == ENOTDIR;
    if (gone && !linked()) return {Errc::not_found, "no such file"};
    if (gone)
      return {Errc::refused, "this is a link, and there is no '" + name + "' in " + path_of(folder_, "its target") +
                                 "; mend the link or remove it"};
    return cannot_open(number);
  }

  /// The target's names come before what is left.
  std::optional<std::string> follow(int link, const std::string& name, const struct stat& info) {
    if (++links_ > most_links) return "this is a link that leads in circles";
    if (auto fault = distrust_link(info, daemon_)) return blame(link, name, *fault);
    const std::string target = read_link(link, "");
    if (target.starts_with('/'))
      if (auto fault = enter_root()) return fault;
    std::vector<std::string> names;
    for (std::size_t from = 0; from < target.size();) {
      const std::size_t end = std::min(target.find('/', from), target.size());
      if (end > from && target.substr(from, end - from) != ".") names.push_back(target.substr(from, end - from));
      from = end + 1;
    }
    rest_.insert(rest_.end(), names.rbegin(), names.rend());
    return std::nullopt;
  }

  std::optional<std::string> enter_root() {
    UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    struct stat info {};
    if (!root || ::fstat(root.get(), &info) != 0) return "the root cannot be opened";
    return enter(root, "/", info);
  }

  std::optional<std::string> enter(UniqueFd& folder, const std::string& name, const struct stat& info) {
    if (!S_ISDIR(info.st_mode)) return "this is a link, and " + path_of(folder.get(), name) + " is no folder";
    struct statvfs system {};
    const bool read_only = ::fstatvfs(folder.get(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0;
    if (auto fault = distrust_passed(info, read_only, daemon_)) return blame(folder.get(), name, *fault);
    own_ = std::move(folder);
    folder_ = own_.get();
    return std::nullopt;
  }

  /// Looked at again once it is open: between the two somebody trusted may have put another file in its place.
  Result<TrustedFile> read(const std::string& name, const struct stat& seen) {
    const Error no_file{Errc::refused, linked() ? "this is a link to no regular file; put a regular file in its place"
                                                : "this is no regular file; remove it or rename it"};
    if (!S_ISREG(seen.st_mode)) return no_file;
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    TrustedFile file{UniqueFd(::openat(folder_, name.c_str(), flags)), {}};
    if (!file.fd || ::fstat(file.fd.get(), &file.info) != 0) return no_such(name, errno);
    if (!S_ISREG(file.info.st_mode)) return no_file;
    if (const auto fault = distrust(file.info, daemon_))
      return Error{Errc::refused, linked() ? blame(file.fd.get(), name, *fault) : "the file " + *fault};
    return file;
  }

  static std::string blame(int fd, const std::string& name, const std::string& fault) {
    return "this is a link, and " + path_of(fd, name) + ' ' + fault;
  }

  int folder_;
  std::uint32_t daemon_;
  UniqueFd own_;                   // folder_, once it is another one than at first
  std::vector<std::string> rest_;  // the next name last
  int links_ = 0;
};

}  // namespace

Result<TrustedFile> open_trusted(int folder, const std::string& name, std::uint32_t daemon, const struct stat* seen) {
  return Walk(folder, daemon).to(name, seen);
}

}  // namespace ballot
