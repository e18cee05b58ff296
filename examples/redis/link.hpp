// Link: one connection to a server, made when something is asked and made anew when it is lost. hiredis blocks, and a
// plugin's thread must not: so a link has a thread of its own, which asks one thing after the other, and answers come
// back by a mailbox. What has no answer in time is answered as unknown, and its connection given up, as its answer may
// still come. Used on the plugin's thread only.
//
//   Link link(server, outlet.wakeup());
//   link.ask({"GET", "key"}, [](const Reply& reply) { ... reply.words ... });
//   link.receive();  link.tick(now);      // in each iteration: this is where it is answered
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "settings.hpp"
#include "support/requests.hpp"
#include "support/wakeup.hpp"

namespace redis {

struct Reply {
  ballot::StoreResult outcome = ballot::StoreResult::unknown;  // done; failed: the server has refused it; unknown
  std::vector<std::string> words = {};                         // done: all that it has answered, one after the other
  std::string text = {};                                       // else: why
};

class Link {
 public:
  using Done = std::function<void(const Reply&)>;
  using Command = std::vector<std::string>;

  Link(Server server, std::shared_ptr<ballot::support::Wakeup> wakeup);
  /// Waits for nobody: its thread ends when the server, or what finds its address, lets go of it.
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Within what time each is answered.
  void set_patience(ballot::Millis patience) { patience_ = patience; }
  /// What is urgent is not behind what waits, of which little is sent ahead; else they are asked in this order.
  /// `weight`: how many simple ones it counts as.
  void ask(Command command, Done done, ballot::support::Priority priority = ballot::support::Priority::normal,
           std::size_t weight = 1);

  void receive();
  void tick(ballot::SteadyTime now);
  std::optional<ballot::SteadyTime> due() const { return requests_.due(patience_); }

 private:
  class Worker;

  const std::shared_ptr<Worker> worker_;
  ballot::support::Requests<Reply> requests_{ballot::support::Missing::one};
  ballot::Millis patience_{2000};
};

}  // namespace redis
