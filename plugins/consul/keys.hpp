// Keys: what a KeyStore reads and changes, in Consul: by transactions, 64 operations at a time. One that is refused
// because of some of its changes is sent again without them. On the plugin's thread.
//
//   keys.commit(changes, [](const std::vector<KeyAnswer>& answers) { ... });
//   keys.get({"s/host-1", "m/host-1"}, [](const KeyRead& read) { ... });
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent.hpp"
#include "key_paths.hpp"
#include "support/keys/key_batches.hpp"
#include "transaction.hpp"

namespace ballot::consul {

class Keys {
 public:
  template <class Answer>
  using Done = support::KeyStore::Done<Answer>;

  /// `guard`: of the session, once there is one.
  Keys(Agent& agent, const KeyPaths& paths, const Guard& guard);

  // As of KeyStore.
  void commit(std::vector<support::KeyChange> changes, Done<std::vector<support::KeyAnswer>> done);
  void get(const std::vector<std::string>& keys, Done<support::KeyRead> done);
  void list(const std::string& prefix, Done<support::KeyRead> done);
  /// Sent at once, whatever waits, and answered within half of the time.
  void commit_now(const support::KeyChange& change, Done<support::KeyAnswer> done);

 private:
  static constexpr std::size_t most_requests = 3;  // what is urgent finds a connection
  void send(support::KeyBatches::Waiting& waiting);
  void get_some(const std::vector<std::string>& keys, const Done<support::KeyRead>& done);

  Agent& agent_;
  const KeyPaths& paths_;
  const Guard& guard_;
  support::KeyBatches batches_;
  std::uint64_t flags_;
};

}  // namespace ballot::consul
