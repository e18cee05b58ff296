// Feed: a bucket as this session has seen it, kept up to date by one consumer: first the last message of every key,
// then all that come, in the order of the stream. Made anew, with all keys, when a message is missing or the server is
// silent. What it shows behind a barrier is linearizable: see after_barrier(). Knows nothing of what keys mean.
//
//   Feed feed(client, "ballot-test", listener);
//   feed.start(1s);    feed.after_barrier([&](bool done) { ... feed.entries() ... }, late);
//   for (Message& one : messages) feed.on(one);    ... feed.tick(now);
//
//   | state   | means                                        | next                                                  |
//   | ------- | -------------------------------------------- | ----------------------------------------------------- |
//   | off     | nothing is asked for                         | making: start()                                       |
//   | making  | the consumer is being made                   | filling; absent: no stream; making again: no answer   |
//   | filling | what there is is being sent                  | live: the first barrier is passed; making: a gap      |
//   | live    | entries() is what there is, some moments ago | making: a gap, silence, a connection that was lost    |
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
  /// With markers.
  const Entries& entries() const noexcept { return entries_; }
  /// Null: the key is not there, or was removed.
  const Stored* find(const std::string& key) const;
  /// It was removed for good.
  void drop_marker(const std::string& key, std::uint64_t version);

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

  void make();
  void hear();
  void on_made(const Answer& answer);
  void on_message(const Message& message);
  void send_barrier();
  void on_barrier(const Answer& answer);
  void check_barrier();
  void fill();
  template <class Which>
  std::vector<Waiting> take(const Which& which);
  void remove_consumer();

  Client& client_;
  const std::string bucket_, barrier_;
  Listener& listener_;
  Millis heartbeat_{1000};
  bool may_be_absent_ = false;
  State state_ = State::off;
  std::string consumer_;
  Owned subscription_;  // to what it sends
  Entries entries_;
  std::uint64_t read_ = 0;      // the sequence that was read last
  std::uint64_t last_gap_ = 0;  // the highest below it that was not there
  std::uint64_t next_ = 1;      // of the consumer
  std::uint64_t filling_ = 0;
  WallTime latest_{};                  // when the server took in what was read last
  std::optional<SteadyTime> make_at_;  // it is made anew: where nothing is heard until then

  std::vector<Waiting> waiting_;
  bool barrier_sent_ = false;
  std::uint64_t sent_at_ = 0;     // what was read when it was sent
  std::uint64_t barrier_at_ = 0;  // its sequence; 0: it is not acknowledged yet
  std::optional<SteadyTime> barrier_again_at_;
};

}  // namespace ballot::nats
