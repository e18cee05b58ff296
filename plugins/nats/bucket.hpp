// Bucket: one stream of keys: made or checked, and written to. Of two writers that know the same version of a key one
// writes, whatever the server: its own check of a version is made before a message is replicated, where two may pass;
// what it checks when a message is stored are message ids and that there is no message yet. So each write over version
// N of a key has the message id KEY/N, and a second one is no more than a duplicate of the first; and a key that is not
// there, or was removed, is made where it has no message. Knows nothing of what keys mean.
//
//   Bucket bucket(client, feed, "ballot-test");
//   bucket.open(wanted, Bucket::Missing::make, [](const Bucket::Opened& opened) { ... });
//   bucket.write({"r/j/x", "text", version}, Priority::normal, [](const KeyAnswer& answer) { ... });
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api.hpp"
#include "client.hpp"
#include "feed.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::nats {

using support::KeyAnswer;
using support::KeyChange;

class Bucket {
 public:
  enum class Missing { make, leave };
  struct Opened {
    enum class How { open, absent, refused, unknown } how = How::unknown;
    StreamFacts facts = {};
    std::string text = {};
  };
  using Done = std::function<void(const KeyAnswer&)>;

  /// The others outlive it.
  Bucket(Client& client, Feed& feed, std::string name);

  const std::string& name() const noexcept { return name_; }
  /// `wanted`: of a bucket that is made; replicas 0: three in a cluster, else one. Of one that is there `fault` says
  /// why it cannot be used, "" where it can.
  void open(StreamConfig wanted, Missing missing, std::function<std::string(const StreamFacts&)> fault,
            std::function<void(const Opened&)> done);
  /// What the server says of it.
  void facts(std::function<void(const StreamFacts&)> done);

  /// Decides on `key`, `value` and `version`. `late`: until then it is tried again where it was certainly not done.
  void write(KeyChange change, Priority priority, SteadyTime late, Done done);
  /// Makes the marker of a key whose last version is gone by itself; conflict: it is not, or somebody has already.
  void bury(const std::string& key, std::uint64_t version, Done done);
  /// Removes a message for good.
  void erase(std::uint64_t sequence, std::function<void(const Answer&)> done);

  /// For tests: as other clients do it.
  void leave_out_message_ids() noexcept { message_ids_ = false; }

 private:
  /// A key that is to be where none is.
  struct Making {
    KeyChange change;
    Priority priority;
    SteadyTime late;  // no more is tried then
    Done done;
  };

  void make(StreamConfig wanted, int replicas, std::function<std::string(const StreamFacts&)> fault,
            std::function<void(const Opened&)> done);
  void create(const std::shared_ptr<const Making>& making, std::uint64_t marker);
  void publish(const std::shared_ptr<const Making>& making);
  void on_not_empty(const std::shared_ptr<const Making>& making, std::uint64_t last);
  std::string id_of(const std::string& key, std::uint64_t version) const { return key + "/" + std::to_string(version); }

  Client& client_;
  Feed& feed_;
  const std::string name_, stream_;
  bool message_ids_ = true;
};

}  // namespace ballot::nats
