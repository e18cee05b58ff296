// Gate: stands between the client library and the servers, so that no server's bytes can end this process or fill its
// memory: the library connects to the gate on the loopback, and the gate to the server; each frame is checked
// (AnswerCheck) before it is passed on. It looks up the servers' names too, so that a resolver that hangs holds up
// nothing. A thread of its own; takes connections of this process only.
//
//   Gate gate("zk1:2181,zk2:2181", [](const std::string& text) { ... });   // the server, and what it sent
//   zookeeper_init2(gate.servers().c_str(), ...);                          // a place for each server
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "passage.hpp"
#include "support/descriptor.hpp"

namespace ballot::zookeeper {

class Gate {
 public:
  using OnRefused = std::function<void(const std::string& text)>;

  /// `servers`: "HOST:PORT,HOST:PORT". `on_refused` is called on the gate's thread. Throws std::system_error where the
  /// system has no sockets or threads left.
  Gate(const std::string& servers, OnRefused on_refused);
  /// Waits for no server.
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// The gate's place for each server, for the library: "127.0.0.1:PORT,127.0.0.1:PORT".
  const std::string& servers() const noexcept { return places_; }

 private:
  struct Server {
    std::string host, port;
    support::Descriptor listener;
    bool looked_up = false;  // its addresses are being looked up
  };
  struct Answers;  // of the resolver; outlives the gate where a lookup hangs

  void run();
  void wait_and_move();
  void accept(std::size_t server);
  void look_up(std::size_t server);
  void take_addresses();
  bool may_read(SteadyTime now);

  std::vector<Server> servers_;
  std::string places_;
  const OnRefused on_refused_;
  std::atomic<bool> stops_{false};
  // The thread's.
  std::list<Passage> passages_;
  std::int64_t room_ = 0;  // bytes of answers that may be received now
  SteadyTime filled_at_{};
  std::shared_ptr<Answers> answers_;
  std::thread thread_;
};

}  // namespace ballot::zookeeper
