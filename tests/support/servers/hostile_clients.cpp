#include "support/servers/hostile_clients.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace ballot::testing {
namespace {

constexpr int connects_a_round = 50;
constexpr auto round_time = std::chrono::milliseconds(20);

}  // namespace

std::vector<std::string> lies_of_clients(const std::string& authorization) {
  const std::string question =
      "POST /api/v1/questions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + authorization;
  return {
      "",                                                                             // says nothing
      "G",                                                                            // and stops
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(8000, 'x'),     // a head without an end
      question + "Content-Length: 1000000\r\n\r\n{",                                  // a body that does not come
      question + "Transfer-Encoding: chunked\r\n\r\nffff0\r\nx",                      // a chunk that does not come
      question + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(8000, 'e'),     // one without an end of line
      question + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",  // two lengths
      question + "Content-Length: 10\r\n\r\n{\"do\":[[[[",                            // JSON that is none
      question + "Content-Length: 13\r\n\r\n{\"do\":\"jobs\"}",                       // an answer that nobody reads
      "GET /api/v1/history?limit=1000 HTTP/1.1\r\nHost: localhost\r\n" + authorization + "\r\n",
      question + "Authorization: Bearer guess\r\nContent-Length: 9999\r\n\r\n{",  // a token that is none
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),            // TLS
      std::string(20'000, '\n'),
  };
}

HostileClients::HostileClients(int port, std::size_t count, const std::string& token)
    : port_(port),
      strangers_(lies_of_clients("")),
      known_(lies_of_clients("Authorization: Bearer " + token + "\r\n")),
      clients_(count) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::string>& lies = i % 2 == 0 ? known_ : strangers_;
    clients_[i].lie = &lies[i / 2 % lies.size()];
  }
  thread_ = std::jthread([this](const std::stop_token& stop) {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 19);
    while (!stop.stop_requested()) {
      int connects = connects_a_round;
      for (std::size_t i = 0; i < clients_.size(); ++i) {
        if (!clients_[i].socket && connects-- > 0) connect(clients_[i]);
        if (clients_[i].socket) tell(clients_[i], i);
      }
      std::this_thread::sleep_for(round_time);
    }
  });
}

HostileClients::~HostileClients() = default;

void HostileClients::connect(Client& client) const {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno != EINPROGRESS)
    return;
  client.socket = std::move(socket);
  client.told = 0;
}

/// A third at once, a third a byte a round, a third as often as the server takes it.
void HostileClients::tell(Client& client, std::size_t number) const {
  enum class Manner : std::uint8_t { at_once, drip, flood };
  const auto manner = static_cast<Manner>(number / 2 / known_.size() % 3);
  char seen = 0;
  if (::recv(client.socket.get(), &seen, 1, MSG_DONTWAIT | MSG_PEEK) == 0) return client.socket.reset();
  if (client.told == client.lie->size() && manner == Manner::flood) client.told = 0;
  std::size_t size = client.lie->size() - client.told;
  if (size == 0) return;
  if (manner == Manner::drip) size = 1;
  const ssize_t sent = ::send(client.socket.get(), client.lie->data() + client.told, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) client.told += static_cast<std::size_t>(sent);
  if (sent < 0 && errno != EAGAIN && errno != ENOTCONN) client.socket.reset();
}

}  // namespace ballot::testing
