// Asking: a client of the tests, and what it has been told.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "http_client/client.hpp"
#include "support/clock.hpp"
#include "support/servers/http_peer.hpp"

namespace ballot::http {

class Asking {
 public:
  explicit Asking(Settings settings) : wakeup_(std::make_shared<support::Wakeup>()) {
    auto made = Client::make(std::move(settings), wakeup_);
    if (!made) throw std::runtime_error(made.error().what);
    client_ = std::move(*made);
  }
  explicit Asking(std::vector<Endpoint> servers) : Asking(Settings{.servers = std::move(servers)}) {}

  Client* operator->() { return client_.get(); }

  /// The next event; of no id where there is none in time.
  Event next(Millis limit = Millis(20'000)) {
    for (const SteadyTime end = support::boot_now() + limit; events_.empty() && support::boot_now() < end;) {
      for (Event& one : client_->take()) events_.push_back(std::move(one));
      if (events_.empty()) wakeup_->wait(end);
    }
    if (events_.empty()) return {};
    Event event = std::move(events_.front());
    events_.erase(events_.begin());
    return event;
  }
  Event ask(Request request) {
    const auto id = client_->ask(std::move(request));
    Event event = next();
    EXPECT_EQ(event.id, id);
    return event;
  }

 private:
  std::shared_ptr<support::Wakeup> wakeup_;
  std::unique_ptr<Client> client_;
  std::vector<Event> events_;
};

inline Endpoint local(int port) { return {"127.0.0.1", std::to_string(port)}; }
inline Endpoint place_of(const testing::HttpPeer& peer) { return local(peer.port()); }

}  // namespace ballot::http
