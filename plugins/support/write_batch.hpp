// WriteBatch: the answers to one write(), create() or remove(), each of which comes on its own; posted together when
// the last has come. Batching: when changes that have gathered, of one call or of many, are sent together: a change
// that comes alone is sent at once, ten thousand that come one after the other cost hundreds of transactions and not
// ten thousand. Both know nothing of the store. One thread.
//
//   const auto batch = std::make_shared<WriteBatch>(call.request, call.batch.size(), post);
//   gathered.push_back({batch, 0, call.batch[0]}); ...
//   while (batching.ready(gathered.size()))
//     client.commit(some_of(gathered), batching.counted([](const Reply& reply) { batch->answer(0, {...}); }));
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "ballot/backend.hpp"
#include "support/calls.hpp"

namespace ballot::support {

class WriteBatch {
 public:
  /// `post` is called from the last answer(), or at once where there is nothing to answer.
  WriteBatch(RequestId request, std::size_t size, std::function<void(Event)> post)
      : wrote_{request, std::vector<WriteAnswer>(size)}, open_(size), post_(std::move(post)) {
    if (size == 0) post_(std::move(wrote_));
  }

  /// Requires: `index` has not been answered.
  void answer(std::size_t index, WriteAnswer answer) {
    wrote_.answers[index] = std::move(answer);
    if (--open_ == 0) post_(std::move(wrote_));
  }

 private:
  backend::Wrote wrote_;
  std::size_t open_;
  const std::function<void(Event)> post_;
};

class Batching {
 public:
  /// `most`: changes in one transaction.
  explicit Batching(std::size_t most) : most_(most) {}

  std::size_t most() const noexcept { return most_; }
  /// Whether so many changes make a transaction now. `all`: as there will be no later one.
  bool ready(std::size_t gathered, bool all = false) const noexcept {
    return gathered >= most_ || (gathered > 0 && (all || under_way_ < few));
  }
  /// A transaction is sent: what is to be called with its answer, whatever that is, instead of `done`.
  template <class Done>
  auto counted(Done done) {
    ++under_way_;
    return [this, done = std::move(done)](const auto&... answer) {
      --under_way_;
      done(answer...);
    };
  }

 private:
  static constexpr std::size_t few = 2;

  const std::size_t most_;
  std::size_t under_way_ = 0;
};

}  // namespace ballot::support
