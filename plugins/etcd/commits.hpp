// Commits: changes of keys, many in one request, each a transaction of its own in it: ten thousand cost a hundred
// requests. Used on the plugin's thread only.
//
//   commits.add(changes, patience, [](const std::vector<KeyAnswer>& answers) { ... });
#pragma once

#include <utility>
#include <vector>

#include "gateway.hpp"
#include "requests.hpp"
#include "support/keys/key_batches.hpp"

namespace ballot::etcd {

class Commits {
 public:
  using Done = support::KeyBatches::Done;

  Commits(Gateway& gateway, const Keyspace& keyspace)
      : gateway_(gateway), keyspace_(keyspace), batches_(most_requests, [this](Waiting& waiting) { send(waiting); }) {}

  /// Requires: there is a change, and where one is guarded a bound key.
  void add(std::vector<support::KeyChange> changes, Millis patience, Done done) {
    batches_.add(std::move(changes), patience, std::move(done));
  }

 private:
  using Parts = support::KeyBatches::Parts;
  using Waiting = support::KeyBatches::Waiting;
  static constexpr std::size_t most_requests = 2;

  void send(Waiting& waiting);
  void on_reply(const Parts& parts, const Reply& reply);
  void ask_why(Parts refused);

  Gateway& gateway_;
  const Keyspace& keyspace_;
  support::KeyBatches batches_;
};

}  // namespace ballot::etcd
