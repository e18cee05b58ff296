// Feed: a bucket as this session has seen it, kept up to date by one consumer: first the last message of every key,
// then all that come, in the order of the stream. Made anew, with all keys, when a message is missing, the server is
// silent, or its replica of the stream does not agree with the stream's leader. What it shows behind a barrier is
// linearizable: see after_barrier(). Knows nothing of what keys mean.
//
// Replicas of servers of 2.9 may number the same messages differently after one of them was stopped or killed. A
// version is a number of the replica that is read, and a write is decided by the leader's: a reader of another replica
// would never write again. So a barrier says who it is: it has to come by under the number by which it was
// acknowledged.
//
//   Feed feed(client, "ballot-test", listener);
//   feed.start(1s);    feed.after_barrier([&](bool done) { ... feed.entries() ... }, late);
//   for (Message& one : messages) feed.on(one);    ... feed.tick(now);
//
//   | state   | means                                        | next                                                  |
//   | ------- | -------------------------------------------- | ----------------------------------------------------- |
//   | off     | nothing is asked for                         | making: start()                                       |
//   | making  | the consumer is being made, or will be       | filling; absent: no stream; making again: no answer   |
//   | filling | what there is is being sent                  | live: the first barrier is passed; making: as below   |
//   | live    | entries() is what there is, some moments ago | making: a gap, silence, a connection that was lost,   |
//   |         |                                              | a barrier that has another number, or does not come   |
//   | absent  | there is no such stream, and so no key       | making: a second later                                |
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jetstream/client.hpp"

namespace ballot::nats {

using namespace jetstream;

/// A key's last message.
struct Stored {
  std::string value;
  std::uint64_t version = 0;  // its sequence in the stream
  bool marker = false;        // the key was removed by it
  std::string id;             // its message id, the same on all replicas
  SteadyTime seen{};          // when it was, or would have been had it been waited for
  WallTime stored{};          // by the server's clock
};

class Feed {
 public:
  class Listener {
   public:
    /// entries() is all that there is, and may have lost keys.
    virtual void on_filled(const Feed& feed) = 0;
    virtual void on_change(const Feed& feed, const std::string& key, const Stored& stored) = 0;
    /// The replica that was read does not agree with the stream's leader; another one is read. For people.
    virtual void on_disagreement(const Feed& feed, const std::string& text) = 0;
    /// The same messages have other numbers than before: versions that were read are not those of entries(). Before
    /// on_filled().
    virtual void on_renumbered(const Feed& feed) = 0;

   protected:
    ~Listener() = default;
  };
  using Entries = std::map<std::string, Stored>;
  /// How far it was read at some moment.
  struct Mark {
    std::uint64_t read = 0;
    std::uint64_t filling = 0;  // when it was made anew, it has another
  };

  /// The others outlive it.
  Feed(Client& client, std::string bucket, Listener& listener);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// Once. `may_be_absent`: that there is no such stream means that there is no key. Who decides by what is not there
  /// must not take that for it.
  void start(Millis heartbeat, bool may_be_absent = false);
  bool is_live() const noexcept { return state_ == State::live || state_ == State::absent; }
  /// There is no such stream, or was none a second ago.
  bool is_absent() const noexcept { return state_ == State::absent; }
  /// The servers had no space for the barrier that was sent last: nothing can be read behind one.
  bool is_full() const noexcept { return barrier_.is_refused; }
  /// With markers.
  const Entries& entries() const noexcept { return entries_; }
  /// Null: the key is not there, or was removed.
  const Stored* find(const std::string& key) const;
  /// The key's marker of that version was removed for good.
  void drop_marker(const std::string& key, std::uint64_t version);
  /// The size of entries(), as it is counted against bounds::bucket.
  std::size_t bytes() const noexcept { return size_; }

  /// `then(true)`: what entries() shows then is what the stream was at one moment since this call. A message that
  /// nobody reads is committed, and then come by, without any message before it missing since it was sent: what is
  /// missing would have been replaced already. False: that was not to be had before `late`.
  void after_barrier(std::function<void(bool)> then, SteadyTime late);

  Mark mark() const noexcept { return {read_, filling_}; }
  /// All up to that sequence, which was sent after `since`, has been reported.
  bool has_passed(const Mark& since, std::uint64_t sequence) const noexcept;

  /// Whether the message was of this feed.
  bool on(const Message& message);
  void on_connected();
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  enum class State { off, making, filling, live, absent };
  struct Waiting {
    std::function<void(bool)> then;
    SteadyTime late{};
    bool sent = false;  // the barrier under way was sent after its call
  };

  /// The one under way, or the last one.
  struct Barrier {
    bool is_sent = false;                // and has not been passed
    bool is_refused = false;             // for want of space
    std::uint64_t number = 0;            // of all that were sent
    std::uint64_t read_then = 0;         // what was read when it was sent
    std::uint64_t sequence = 0;          // as the leader says; 0: it is not acknowledged yet
    std::uint64_t seen = 0;              // its sequence in the replica that is read; 0: it has not come by yet
    std::uint64_t others = 0;            // of the last one of another session that has come by since
    std::optional<SteadyTime> late;      // it has to have come by
    std::optional<SteadyTime> again_at;  // another one is sent
  };

  void make();
  void make_later();
  void disagree(const std::string& how);
  bool is_renumbered() const;
  void hear();
  void on_made(const Answer& answer);
  void on_message(const Message& message);
  void send_barrier();
  std::string barrier_text() const;
  void on_barrier(const Answer& answer);
  void check_barrier();
  void fill();
  template <class Which>
  std::vector<Waiting> take(const Which& which);
  void remove_consumer();

  Client& client_;
  const std::string bucket_, barrier_subject_;
  Listener& listener_;
  Millis heartbeat_{1000};
  bool may_be_absent_ = false;
  State state_ = State::off;
  std::string consumer_;
  std::uint64_t subscription_ = 0;  // to what it sends
  Entries entries_;
  std::size_t size_ = 0;        // of entries_, in bytes
  Entries before_;              // of the filling before, while this one is filling
  std::uint64_t read_ = 0;      // the sequence that was read last
  std::uint64_t last_gap_ = 0;  // the highest below it that was not there
  std::uint64_t next_ = 1;      // of the consumer
  std::uint64_t filling_ = 0;
  WallTime latest_{};                  // when the server took in what was read last
  std::optional<SteadyTime> make_at_;  // it is made anew: where nothing is heard until then

  std::vector<Waiting> waiting_;
  Barrier barrier_;
};

}  // namespace ballot::nats
