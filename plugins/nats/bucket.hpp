// Bucket: one stream of keys: made or checked, and written to. Of two writers that know the same message of a key one
// writes, whatever the server: its own check of a version is made before a message is replicated, where two may pass;
// what it checks when a message is stored are message ids and that there is no message yet. So each write over a
// message has an id that follows from that message's own (WriteId), and a second one is no more than a duplicate of the
// first; and a key that is not there, or was removed, is made where it has no message. Knows nothing of what keys mean.
//
//   Bucket bucket(client, "ballot-test", listener);
//   bucket.open(wanted, Bucket::Missing::make, [](const Answer& opened) { ... bucket.feed().start(1s) ... });
//   bucket.write({"r/j/x", "text", version}, Priority::normal, late, [](const KeyAnswer& answer) { ... });
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "feed.hpp"
#include "jetstream/client.hpp"
#include "support/keys/key_store.hpp"
#include "write_id.hpp"

namespace ballot::nats {

using support::KeyAnswer;
using support::KeyChange;

/// Of a stream that answers no_resources.
std::string no_space_in(const std::string& stream);

class Bucket {
 public:
  enum class Missing { make, leave };
  using Done = std::function<void(const KeyAnswer&)>;

  /// The others outlive it.
  Bucket(Client& client, std::string name, Feed::Listener& listener)
      : client_(client), feed_(client, name, listener), name_(std::move(name)) {}

  const std::string& name() const noexcept { return name_; }
  Feed& feed() noexcept { return feed_; }
  const Feed& feed() const noexcept { return feed_; }

  /// One that is there is checked, see fault_of(); else it is made, with three replicas in a cluster where `wanted`
  /// says 0, else one. Answered as by info(); where it failed with a status below 500 there is no use in trying again,
  /// unless there is no such stream.
  void open(StreamConfig wanted, Missing missing, Client::Done done);
  /// What the server says of it.
  void info(Client::Done done);

  /// Decides on `key`, `value` and `version`. `late`: until then it is tried again where it was certainly not done.
  void write(KeyChange change, Priority priority, SteadyTime late, Done done);
  /// Makes the marker of a key whose time is over, over its last version. Conflict: that is another one, a message of
  /// any key was stored that the feed has not shown, or `ahead`, the markers made just before, were not all stored.
  void bury(const std::string& key, std::uint64_t version, std::size_t ahead, Done done);
  /// Removes a message for good.
  void erase(std::uint64_t sequence, Client::Done done);

  /// The message id of a write over that version of the key; none: another version is the last one that is known here.
  std::optional<std::string> id_over(const std::string& key, std::uint64_t version) const;
  /// Forgets the versions of own writes: the stream has other numbers for the same messages.
  void forget_versions() { written_.clear(); }

 private:
  /// A key that is to be where none is.
  struct Making {
    KeyChange change;
    Priority priority;
    SteadyTime late;  // no more is tried then
    Done done;
  };
  using Shared = std::shared_ptr<const Making>;

  /// A write that was done: the key's last one, until the feed shows it or another.
  struct Written {
    std::uint64_t version = 0;
    std::string id;
  };

  void make(StreamConfig wanted, int replicas, Client::Done done);
  void publish(const std::string& key, Post post, Priority priority, Done done);
  void write_over(const KeyChange& change, const std::string& id, Priority priority, Done done);
  void create(const Shared& making, std::uint64_t marker);
  void create_now(const Shared& making);
  void on_not_empty(const Shared& making, std::uint64_t last);
  void remember(const std::string& key, std::uint64_t version, std::string id);

  Client& client_;
  Feed feed_;
  const std::string name_;
  std::unordered_map<std::string, Written> written_;
};

}  // namespace ballot::nats
