// Commits: changes of keys, many in one request, each a transaction of its own in it: ten thousand cost a hundred
// requests. Used on the plugin's thread only.
//
//   commits.add(changes, patience, [](const std::vector<KeyAnswer>& answers) { ... });
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "gateway.hpp"
#include "requests.hpp"

namespace ballot::etcd {

class Commits {
 public:
  using Done = support::KeyStore::Done<std::vector<support::KeyAnswer>>;

  Commits(Gateway& gateway, const Keyspace& keyspace) : gateway_(gateway), keyspace_(keyspace) {}

  /// Requires: there is a change, and where one is guarded a bound key.
  void add(std::vector<support::KeyChange> changes, Millis patience, Done done);

 private:
  struct Batch {
    std::vector<support::KeyAnswer> answers;
    std::size_t open;
    Done done;
  };
  /// One change of a batch.
  struct Part {
    std::shared_ptr<Batch> batch;
    std::size_t index;
    support::KeyChange change;
    Millis patience;
    SteadyTime until;
  };
  using Parts = std::vector<Part>;

  void pump();
  Parts take();
  void on_reply(const Parts& parts, const Reply& reply);
  void ask_why(Parts refused);
  void give_up(const Reply& reply);
  static void answer(const Part& part, support::KeyAnswer answer);

  Gateway& gateway_;
  const Keyspace& keyspace_;
  std::deque<Part> gathered_;
  std::size_t under_way_ = 0;  // requests
};

/// What a reply that is none means for a change.
support::KeyAnswer answer_of(const Reply& reply);

}  // namespace ballot::etcd
