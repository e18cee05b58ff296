// Commits: changes of a KeyStore, carried out as transactions of Consul, 64 operations at a time. A transaction that is
// refused because of some of its changes is sent again without them. On the plugin's thread.
//
//   commits.commit(changes, [](const std::vector<KeyAnswer>& answers) { ... });
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent.hpp"
#include "key_paths.hpp"
#include "session.hpp"
#include "support/keys/key_store.hpp"
#include "transaction.hpp"

namespace ballot::consul {

class Commits {
 public:
  using Done = std::function<void(const std::vector<support::KeyAnswer>&)>;

  Commits(Agent& agent, const KeyPaths& paths, const Session& session);
  void commit(std::vector<support::KeyChange> changes, Done done);
  /// Sent at once, whatever waits.
  void commit_now(support::KeyChange change, std::function<void(const support::KeyAnswer&)> done);
  bool idle() const noexcept { return under_way_ == 0 && waiting_.empty(); }

 private:
  static constexpr std::size_t most_under_way = 3;  // what is urgent finds a connection
  struct Commit {
    std::vector<support::KeyChange> changes;
    Done done;
    std::vector<support::KeyAnswer> answers;
    std::deque<std::size_t> unsent;
    std::size_t open = 0;
  };
  using Shared = std::shared_ptr<Commit>;
  void send();
  void on_reply(const Shared& commit, const Transaction& transaction, const Reply& reply);
  void answer(const Shared& commit, std::size_t number, support::KeyAnswer answer);
  void give_up(const std::string& text);

  Agent& agent_;
  const KeyPaths& paths_;
  const Session& session_;
  std::deque<Shared> waiting_;  // with something unsent
  std::size_t under_way_ = 0;
  std::uint64_t flags_;
};

}  // namespace ballot::consul
