#include "io/sd_notify.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/unique_fd.hpp"

namespace ballot::io {
namespace {

std::optional<std::int64_t> integer_variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || stop != end || value <= 0) return std::nullopt;
  return value;
}

std::string status_line(std::string_view status) {
  return "STATUS=" + std::string(status.substr(0, status.find('\n'))) + "\n";
}

}  // namespace

SdNotify SdNotify::from_environment() {
  const char* address = std::getenv("NOTIFY_SOCKET");
  return SdNotify(address != nullptr ? address : "");
}

bool SdNotify::ready(std::string_view status) const { return send("READY=1\n" + status_line(status)); }
bool SdNotify::status(std::string_view status) const { return send(status_line(status)); }

bool SdNotify::send(const std::string& state) const {
  sockaddr_un to{};
  if (address_.empty() || address_.size() >= sizeof to.sun_path) return false;
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, address_.data(), address_.size());
  if (address_.front() == '@') to.sun_path[0] = '\0';
  const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return false;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  const auto sent = ::sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                             reinterpret_cast<const sockaddr*>(&to), length);
  return sent == static_cast<ssize_t>(state.size());
}

std::optional<Millis> watchdog_interval() {
  const auto micros = integer_variable("WATCHDOG_USEC");
  if (!micros) return std::nullopt;
  if (std::getenv("WATCHDOG_PID") != nullptr && integer_variable("WATCHDOG_PID") != ::getpid()) return std::nullopt;
  return Millis(*micros / 1000);
}

}  // namespace ballot::io
