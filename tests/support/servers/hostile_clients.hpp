// HostileClients: clients of HTTP that hang, drip, flood and lie, half of them with a token, on a thread of their own,
// which has the processors only while nobody else wants them. Whoever is cut off comes back.
//
//   HostileClients clients(port, 1000, token);      // ... until its end
#pragma once

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"

namespace ballot::testing {

/// What they send, one each; none of it is a request that ends, but for those that are asked and never read.
/// `authorization`: a header line, with its end.
std::vector<std::string> lies_of_clients(const std::string& authorization);

class HostileClients {
 public:
  HostileClients(int port, std::size_t count, const std::string& token);
  ~HostileClients();
  HostileClients(const HostileClients&) = delete;
  HostileClients& operator=(const HostileClients&) = delete;

 private:
  /// The lie that it tells, and how it tells it by its number: at once, byte by byte, or again and again.
  struct Client {
    UniqueFd socket;
    const std::string* lie = nullptr;
    std::size_t told = 0;
  };

  void tell(Client& client, std::size_t number) const;
  void connect(Client& client) const;

  const int port_;
  const std::vector<std::string> strangers_, known_;
  std::vector<Client> clients_;
  std::jthread thread_;
};

}  // namespace ballot::testing
