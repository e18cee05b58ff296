// KeyBatches: the changes of commit(), which wait to be sent, several in a request and few requests at a time; and the
// answers to each of them, given when the last of its commit() has come. Writes of a term's registers wait for what is
// of elections and records, but one request goes after each eight of those: who takes thousands of groups writes
// registers of each, and others wait until all are led. get_in_parts(): the same for keys that are
// read. Knows nothing of requests. Used on the plugin's thread only.
//
//   KeyBatches batches(2, [&](KeyBatches::Waiting& waiting) { ... takes some from the front, and sends them ... });
//   batches.add(changes, patience, [](const std::vector<KeyAnswer>& answers) { ... });
//   part.answer({StoreResult::done, 7});   ... of all that were sent together, then batches.end_request();
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/keys/key_store.hpp"

namespace ballot::support {

class KeyBatches {
 public:
  using Done = KeyStore::Done<std::vector<KeyAnswer>>;

  /// One change. What was sent is answered, or waits again().
  class Part {
   public:
    KeyChange change;
    Millis patience{0};

    void answer(KeyAnswer answer) const;

   private:
    friend class KeyBatches;
    struct Batch {
      std::vector<KeyAnswer> answers;
      std::size_t open;
      Done done;
    };
    std::shared_ptr<Batch> batch_;
    std::size_t index_ = 0;
    SteadyTime until_{};
  };
  using Parts = std::vector<Part>;
  using Waiting = std::deque<Part>;

  /// `send` takes at least one of those that wait, and sends a request.
  KeyBatches(std::size_t most_requests, std::function<void(Waiting&)> send)
      : most_requests_(most_requests), send_(std::move(send)) {}

  /// Requires: there is a change.
  void add(std::vector<KeyChange> changes, Millis patience, Done done);
  /// Before all others.
  void again(Parts parts);
  /// The store does not answer: what has waited for as long as if it had been asked waits no longer.
  void give_up(const KeyAnswer& answer);
  /// A request that `send` has sent is answered.
  void end_request();

 private:
  static constexpr std::size_t most_in_a_row = 8;

  Waiting& queue_of(const KeyChange& change) { return change.term_key.empty() ? first_ : registers_; }
  void give_up(Waiting& waiting, const KeyAnswer& answer);
  void pump();

  const std::size_t most_requests_;
  const std::function<void(Waiting&)> send_;
  Waiting first_, registers_;
  std::size_t requests_ = 0;  // under way
  std::size_t in_a_row_ = 0;  // of the first, while registers wait
};

using GetSome = std::function<void(std::vector<std::string> keys, KeyStore::Done<KeyRead> done)>;

/// Calls `get` for so many keys at a time, all at once, and `done` with what all have found; where one has not been
/// done, with its outcome. Requires: there is a key.
void get_in_parts(const std::vector<std::string>& keys, std::size_t most, const GetSome& get,
                  KeyStore::Done<KeyRead> done);

}  // namespace ballot::support
