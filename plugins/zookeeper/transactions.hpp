// Transactions: changes of many groups or registers in a few transactions of the store. What gathers while some are
// under way goes together with the next one: a change that comes alone is sent at once, ten thousand that come one
// after the other cost hundreds of transactions and not ten thousand. Used on the plugin's thread only.
//
//   while (transactions.ready(gathered.size())) transactions.commit(multi_of(at most Transactions::most), done);
#pragma once

#include <memory>
#include <utility>

#include "client.hpp"

namespace ballot::zookeeper {

class Transactions {
 public:
  static constexpr std::size_t most = 50;  // changes in one: 10 KB

  explicit Transactions(Client& client) : client_(client) {}

  /// Whether so many changes make a transaction now. `all`: as there will be no later one.
  bool ready(std::size_t gathered, bool all = false) const noexcept {
    return gathered >= most || (gathered > 0 && (all || under_way_ < few));
  }
  void commit(std::unique_ptr<Multi> multi, Client::Done done) {
    ++under_way_;
    client_.commit(std::move(multi), [this, done = std::move(done)](const Reply& reply) {
      --under_way_;
      done(reply);
    });
  }

 private:
  static constexpr std::size_t few = 2;

  Client& client_;
  std::size_t under_way_ = 0;
};

}  // namespace ballot::zookeeper
