// Keys: what a KeyStore reads and changes, in Consul: by transactions of 64 operations, all of which are carried out or
// none. A refusal names every operation that failed: their changes are answered, and the others are sent again. On the
// plugin's thread.
//
//   keys.commit(changes, [](const std::vector<KeyAnswer>& answers) { ... });
//   keys.get({"s/host-1", "m/host-1"}, [](const KeyRead& read) { ... });
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent.hpp"
#include "requests.hpp"
#include "support/keys/key_batches.hpp"
#include "support/keys/list_bound.hpp"

namespace ballot::consul {

/// What shows that a session is open: the key that is bound to it.
struct Guard {
  std::string key, session;
};

/// Changes as one transaction, and what its answer says of each. Pure.
class Transaction {
 public:
  static constexpr std::size_t most_operations = 64;
  static constexpr std::size_t most_bytes = 400'000;  // the agent takes 512 KiB

  Transaction(const KeyPaths& paths, const Guard& guard) : paths_(paths), guard_(guard) {}

  /// False: there is no place for it. `flags`: another number for each change of a key; of an entry that is written as
  /// it is, Consul would leave the version as it is too.
  bool add(const support::KeyChange& change, std::uint64_t flags);
  const std::vector<std::string>& operations() const noexcept { return operations_; }
  /// None: nothing was found out about that change, as others were refused.
  std::vector<std::optional<support::KeyAnswer>> judge(const Reply& reply) const;

 private:
  struct Write {
    std::string path;
    std::vector<std::size_t> asserts;  // the operations without which it is not to be written
    std::size_t operation;
    bool removes;
  };

  const KeyPaths& paths_;
  const Guard& guard_;
  std::vector<std::string> operations_;
  std::size_t bytes_ = 0;
  std::map<std::string, std::size_t> asserts_;  // operations that several writes have in common
  std::vector<Write> writes_;
};

class Keys {
 public:
  template <class Answer>
  using Done = support::KeyStore::Done<Answer>;

  /// `guard`: of the session, once there is one.
  Keys(Agent& agent, const KeyPaths& paths, const Guard& guard);

  // As of KeyStore.
  void commit(std::vector<support::KeyChange> changes, Done<std::vector<support::KeyAnswer>> done) {
    batches_.add(std::move(changes), agent_.patience(), std::move(done));
  }
  void get(const std::vector<std::string>& keys, Done<support::KeyRead> done);
  void list(const std::string& prefix, Done<support::KeyRead> done);
  /// A name list has no limit: false where the one before was longer.
  void name(const std::string& prefix, std::size_t most, Done<support::KeysThere> done);
  /// Sent at once, whatever waits, and answered within half of the time.
  void commit_now(const support::KeyChange& change, Done<support::KeyAnswer> done);

 private:
  /// All keys below a prefix, part by part.
  struct Listing {
    support::ListBound bound;
    std::vector<std::string> keys;  // that are not read yet
    Done<support::KeyRead> done;
    support::KeyRead read{StoreResult::done};
  };
  static constexpr std::size_t most_requests = 3;  // what is urgent finds a connection
  void send(support::KeyBatches::Waiting& waiting);
  void list_by_name(const std::string& prefix, const Done<support::KeyRead>& done);
  void list_on(const std::shared_ptr<Listing>& listing);
  void get_some(const std::vector<std::string>& keys, const Done<support::KeyRead>& done);

  Agent& agent_;
  const KeyPaths& paths_;
  const Guard& guard_;
  support::KeyBatches batches_;
  std::uint64_t flags_;
};

}  // namespace ballot::consul
