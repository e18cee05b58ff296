#include "support/servers/reserved_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace ballot::testing {
namespace {

constexpr int lowest = 10'000, highest = 29'999;  // below Linux's ephemeral ports, which begin at 32768

int any_port() {
  std::random_device device;
  return std::uniform_int_distribution<int>(lowest, highest)(device);
}

/// Somebody who reserves nothing may listen on it.
bool is_free(int number) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // as servers do: connections that are over are none
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(number));
  const bool free = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return free;
}

}  // namespace

ReservedPort::ReservedPort() : ReservedPort(any_port()) {}

ReservedPort::ReservedPort(int from) {
  for (int i = 0; i <= highest - lowest; ++i)
    if (reserve(lowest + (from - lowest + i) % (highest - lowest + 1))) return;
  throw std::runtime_error("no port for the test");
}

ReservedPort::~ReservedPort() {
  if (lock_ >= 0) ::close(lock_);
}

ReservedPort::ReservedPort(ReservedPort&& other) noexcept
    : number_(other.number_), lock_(std::exchange(other.lock_, -1)) {}

bool ReservedPort::reserve(int number) {
  const std::string name = "ballot-test-port-" + std::to_string(number);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);  // abstract: the network namespace's, as the port is
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  lock_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  number_ = number;
  if (::bind(lock_, reinterpret_cast<const sockaddr*>(&address), size) == 0 && is_free(number)) return true;
  ::close(std::exchange(lock_, -1));
  return false;
}

}  // namespace ballot::testing
