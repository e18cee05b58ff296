#include "app/log/journal.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace ballot::app {
namespace {

constexpr timeval longest_wait{.tv_sec = 0, .tv_usec = 100'000};
constexpr int buffer_size = 1 << 20;  // what is larger goes as a file
// Of syslog: debug, info, warning, err, crit.
constexpr std::array<char, 6> priorities{'7', '7', '6', '4', '3', '2'};

/// A value with a line's end is written with its length before it.
void append_field(std::string& to, std::string_view name, std::string_view value) {
  to += name;
  if (value.find('\n') == std::string_view::npos) {
    ((to += '=') += value) += '\n';
    return;
  }
  to += '\n';
  for (int shift = 0; shift < 64; shift += 8) to += static_cast<char>(std::uint64_t{value.size()} >> shift & 0xff);
  (to += value) += '\n';
}

/// A name has capitals, digits and underscores, and 64 of them at most.
std::string field_name(std::string_view key) {
  if (key == "run") return "BALLOT_RUN_ID";
  std::string name = "BALLOT_";
  for (const char c : key.substr(0, 64 - name.size())) {
    const bool letter = c >= 'a' && c <= 'z', other = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += letter ? static_cast<char>(c - 'a' + 'A') : other ? c : '_';
  }
  return name;
}

sockaddr_un journal_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

}  // namespace

bool is_journal(int fd) {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  struct stat info {};
  if (stream == nullptr || ::fstat(fd, &info) != 0) return false;
  return stream == std::to_string(info.st_dev) + ':' + std::to_string(info.st_ino);
}

std::string journal_entry(Level level, std::string_view message, std::string_view node, const LogFields& fields) {
  std::string entry;
  append_field(entry, "MESSAGE", message);
  append_field(entry, "PRIORITY", std::string_view(&priorities[static_cast<std::size_t>(level)], 1));
  append_field(entry, "SYSLOG_IDENTIFIER", "ballot");
  if (!node.empty()) append_field(entry, "BALLOT_NODE", node);
  for (const auto& [key, value] : fields)
    if (key != "node") append_field(entry, field_name(key), value);
  return entry;
}

Journal::Journal(std::string socket)
    : socket_(std::move(socket)), fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &longest_wait, sizeof longest_wait);
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDBUF, &buffer_size, sizeof buffer_size);
}

bool Journal::send(const std::string& entry) {
  const sockaddr_un to = journal_address(socket_);
  const int flags = MSG_NOSIGNAL | (stuck_ ? MSG_DONTWAIT : 0);
  ssize_t sent = 0;
  do sent = ::sendto(fd_.get(), entry.data(), entry.size(), flags, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  while (sent < 0 && errno == EINTR);
  const bool done = sent >= 0 || ((errno == EMSGSIZE || errno == ENOBUFS) && send_file(entry));
  stuck_ = !done && errno == EAGAIN;
  return done;
}

/// As a sealed file in memory, whose descriptor is all that is sent.
bool Journal::send_file(const std::string& entry) {
  const UniqueFd file(::memfd_create("ballot-log", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ::write(file.get(), entry.data(), entry.size()) != static_cast<ssize_t>(entry.size())) return false;
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) return false;
  sockaddr_un to = journal_address(socket_);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_name = &to;
  message.msg_namelen = sizeof to;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = file.get();
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL | (stuck_ ? MSG_DONTWAIT : 0)) >= 0;
}

}  // namespace ballot::app
