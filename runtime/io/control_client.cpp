#include "io/control_client.hpp"

#include <grp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "io/clocks.hpp"
#include "io/roles.hpp"

namespace ballot::io {
namespace {

/// The group whose users may open the socket, if one may.
std::vector<std::string> groups_of(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || (file.st_mode & S_IWGRP) == 0) return {};
  std::array<char, 16384> buffer;
  group entry{};
  group* found = nullptr;
  ::getgrgid_r(file.st_gid, &entry, buffer.data(), buffer.size(), &found);
  return {found != nullptr ? found->gr_name : std::to_string(file.st_gid)};
}

Error connect_error(const std::string& path, int code, Role needed) {
  if (code == EACCES || code == EPERM) return missing_role(needed, groups_of(path));
  if (code == EAGAIN) return {Errc::timeout, "the daemon at " + path + " does not answer; see its log"};
  return {Errc::unavailable, "no daemon listens at " + path + " (" + std::strerror(code) +
                                 "); start it with `ballot serve`, or name its file with --config"};
}

Result<UniqueFd> connect(const std::string& path, Millis timeout, Role needed) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return connect_error(path, ENAMETOOLONG, needed);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return connect_error(path, errno, needed);
  timeval limit{};
  limit.tv_sec = timeout.count() / 1000;
  limit.tv_usec = timeout.count() % 1000 * 1000;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);  // connect() obeys it too
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return connect_error(path, errno, needed);
  return fd;
}

std::uint32_t owner_of_folder(const std::string& path) {
  struct stat info {};
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return ::stat(folder.empty() ? "." : folder.c_str(), &info) == 0 ? info.st_uid : 0;
}

/// Root takes answers of root alone; other users also those of the user whose folder the socket lies in.
Result<void> check_listener(const UniqueFd& socket, const std::string& path) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return Error{Errc::io, "cannot determine who listens at " + path + ": " + std::strerror(errno)};
  const std::uint32_t self = ::geteuid();
  if (peer.uid == 0 || peer.uid == self || (self != 0 && peer.uid == owner_of_folder(path))) return {};
  const std::string user = std::to_string(peer.uid);
  return Error{Errc::refused, "user " + user + " listens at " + path +
                                  ", and not root or this user: nothing is asked there. If that is a daemon of that "
                                  "user, ask it as that user (setpriv --reuid=" +
                                  user + "); else set [control] socket to a folder that belongs to root"};
}

}  // namespace

Result<ControlClient> ControlClient::ask(const std::string& path, const Message& request, Millis timeout) {
  const Role needed = role_for(request.text("do").value_or(""));
  auto fd = connect(path, timeout, needed);
  if (!fd) return fd.error();
  if (auto listener = check_listener(*fd, path); !listener) return listener.error();
  const std::string line = encode(request) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t size = ::send(fd->get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EPIPE || errno == ECONNRESET)) break;  // the reason waits to be read
    if (size < 0) return connect_error(path, errno, needed);
    sent += static_cast<std::size_t>(size);
  }
  return ControlClient(*std::move(fd), path);
}

Error ControlClient::went_away() const {
  return {Errc::unavailable, "the daemon at " + path_ +
                                 " went away before it had answered: it may have done what was asked, or do "
                                 "it yet; see its log and `ballot history`"};
}

Result<std::optional<Message>> ControlClient::take_line(std::size_t end) {
  auto message = decode(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end + 1);
  searched_ = 0;
  if (!message) return Error{Errc::corrupt, "the daemon at " + path_ + " answered: " + message.error().what};
  ended_ = message->flag("last").value_or(false);
  if (auto error = to_error(*message)) return *std::move(error);
  return std::optional(*std::move(message));
}

Result<std::optional<Message>> ControlClient::next(Millis timeout) {
  if (ended_) return std::optional<Message>();
  const SteadyTime give_up = read_clocks().steady + timeout;
  std::array<char, 65536> chunk;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched_);
    if (end != std::string::npos) return take_line(end);
    searched_ = buffer_.size();
    const Millis left = std::clamp(give_up - read_clocks().steady, Millis(0), Millis(1'000'000'000));
    pollfd waiting{fd_.get(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Error{Errc::timeout, "no answer from the daemon at " + path_ + " in time"};
    const ssize_t size = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return went_away();
    buffer_.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

Result<Message> ask_once(const std::string& path, const Message& request, Millis timeout) {
  auto client = ControlClient::ask(path, request, timeout);
  if (!client) return client.error();
  auto line = client->next(timeout);
  if (!line) return line.error();
  return **std::move(line);
}

}  // namespace ballot::io
