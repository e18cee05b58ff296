// StorePlace: a namespace of its own at a real server of a backend, which all tests of a program share. Which backends
// there are depends on what is built.
//
//   const StorePlace place("etcd");                    // the server runs
//   ElectionFolder folder(place.config(2s));
//   TcpRelay relay(place.port());
//   CandidateProcess a(folder, once("a", place.through(relay), shell("true")));
#pragma once

#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "support/servers/tcp_relay.hpp"

namespace ballot::testing {

class StorePlace {
 public:
  /// Those that need a server, and are built.
  static std::vector<std::string> backends();

  explicit StorePlace(std::string backend);

  /// What ballot.toml says of the store.
  std::string config(Millis timeout) const;
  /// Where the server listens.
  int port() const { return port_; }
  /// Flags of a candidate that reaches the server by the relay.
  std::vector<std::string> through(const TcpRelay& relay) const;

 private:
  const std::string backend_, name_space_;
  int port_ = 0;
};

}  // namespace ballot::testing
