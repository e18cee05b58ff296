#include "io/control_socket.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/regular_file.hpp"
#include "base/trust.hpp"

namespace ballot::io {
namespace {

/// Where a socket lies, and as errors name it.
struct Place {
  const std::string& path;
  const std::string name;  // "the control socket /run/ballot/ballot.sock"

  Error error(const std::string& fault, Errc code = Errc::io) const {
    return {code, "cannot open " + name + ": " + fault};
  }
  Error system_error(const std::string& step) const { return error(step + ": " + std::strerror(errno)); }
};

std::string folder_of(const Place& place) {
  const std::string folder = std::filesystem::path(place.path).parent_path();
  return folder.empty() ? "." : folder;
}

bool has_folder(const Place& place) {
  std::error_code error;
  return std::filesystem::is_directory(folder_of(place), error);
}

/// A user who may write to the socket's folder could put another socket in its place.
Result<void> check_trust(const Place& place) {
  if (const auto fault = distrust_folder(folder_of(place), ::geteuid()))
    return Error{Errc::refused, place.name + " is not made: " + *fault};
  return {};
}

Result<UniqueFd> take_lock(const Place& place) {
  auto file = open_regular(place.path + ".lock", O_RDWR | O_CREAT);
  if (!file) return place.error(file.error().what, file.error().code);
  if (::flock(file->fd.get(), LOCK_EX | LOCK_NB) == 0) return std::move(file->fd);
  if (errno != EWOULDBLOCK) return place.system_error("lock its lock file");
  return Error{Errc::conflict, "another ballot daemon listens on " + place.path};
}

Result<sockaddr_un> address_of(const Place& place) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (place.path.size() >= sizeof address.sun_path)
    return place.error("the path has more than " + std::to_string(sizeof address.sun_path - 1) + " characters");
  std::memcpy(address.sun_path, place.path.c_str(), place.path.size());
  return address;
}

UniqueFd new_socket() { return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

/// Only a refused connection says that nobody does: one whose queue is full, or of another type, is somebody's.
Result<void> check_nobody_listens(const Place& place, const sockaddr_un& address) {
  const UniqueFd probe = new_socket();
  if (!probe) return place.system_error("socket");
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == ECONNREFUSED || errno == ENOENT) return {};
    if (errno == EACCES) return place.system_error("ask whether something listens there");
  }
  return Error{Errc::conflict, "something else listens on " + place.path};
}

Result<void> remove_stale(const Place& place, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(place.path.c_str(), &status) != 0)
    return errno == ENOENT ? Result<void>() : place.system_error("stat it");
  if (!S_ISSOCK(status.st_mode)) return place.error("something else has that name; remove it");
  if (auto unused = check_nobody_listens(place, address); !unused) return unused;
  if (::unlink(place.path.c_str()) != 0 && errno != ENOENT) return place.system_error("remove the old one");
  return {};
}

/// Only root may give the file to a group that it is not in.
Result<void> open_to(const Place& place, SocketAccess access) {
  constexpr gid_t as_it_is = static_cast<gid_t>(-1);
  const uid_t owner = ::geteuid() == 0 ? 0 : static_cast<uid_t>(-1);
  if (::lchown(place.path.c_str(), owner, access.group) != 0) {
    if (errno != EPERM || access.group == as_it_is) return place.system_error("chown");
    access.mode = 0666;
  }
  if (::chmod(place.path.c_str(), access.mode) != 0) return place.system_error("chmod");
  return {};
}

/// Nobody can connect before listen(), whatever the umask made of the mode.
Result<ControlSocket> bind_and_listen(const Place& place, const sockaddr_un& address, const SocketAccess& access,
                                      UniqueFd lock) {
  UniqueFd fd = new_socket();
  if (!fd) return place.system_error("socket");
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return place.system_error("bind");
  if (auto opened = open_to(place, access); !opened) return opened.error();
  struct stat made {};
  if (::lstat(place.path.c_str(), &made) != 0) return place.system_error("stat it");
  if (::listen(fd.get(), SOMAXCONN) != 0) return place.system_error("listen");
  return ControlSocket{std::move(fd), std::move(lock), place.path, made.st_dev, made.st_ino};
}

}  // namespace

Result<ControlSocket> ControlSocket::make(const std::string& path, const SocketAccess& access,
                                          const std::string& name) {
  const Place place{path, name + ' ' + path};
  const auto address = address_of(place);
  if (!address) return address.error();
  if (!has_folder(place)) return place.error("make its folder");
  if (auto trusted = check_trust(place); !trusted) return trusted.error();
  auto held = take_lock(place);
  if (!held) return held.error();
  if (auto removed = remove_stale(place, *address); !removed) return removed.error();
  return bind_and_listen(place, *address, access, *std::move(held));
}

Result<void> ControlSocket::check(const std::string& path, const std::string& name) {
  const Place place{path, name + ' ' + path};
  if (const auto address = address_of(place); !address) return address.error();
  return has_folder(place) ? check_trust(place) : Result<void>();
}

/// The lock's file may be gone as well, and then locks nobody out: it is taken anew.
bool ControlSocket::restore(const SocketAccess& access) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 || errno != ENOENT) return false;
  lock.reset();
  auto made = make(path, access);
  if (!made) return false;
  *this = *std::move(made);
  return true;
}

void ControlSocket::remove_file() const {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || status.st_dev != device || status.st_ino != inode) return;
  ::unlink(path.c_str());
}

}  // namespace ballot::io
