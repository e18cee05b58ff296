// Feed: what is followed and watched: listed, then a stream of changes from that revision on. Knows what it may have
// missed, and lists again. Used on the plugin's thread only.
//
//   feed.follow("t/");  feed.follow("s/");  feed.watch("r/o/");
//   feed.expect(mark, boot_now());     // a renewal writes mark_key()
//   feed.tick(now);  ...  feed.observed_until()
//
// All of it is one range of keys, from the first prefix to the last with the marks in it, and what lies between is
// passed over. A stream has one watcher: only its own changes come in order, so that a mark shows that all before it
// has been reported; and the gateway may lose requests of a stream that come after the first answer.
//
//   | state     | what it does              | left by                                                             |
//   | --------- | ------------------------- | ------------------------------------------------------------------- |
//   | off       | nothing is wanted         | follow(), watch(): pausing                                          |
//   | listing   | lists what is followed    | listed: opening; no answer: pausing                                 |
//   | opening   | the stream was asked for  | its first line: streaming; its end: pausing                         |
//   | streaming | reports changes           | its end, a mark that does not come: pausing; more watched: opening  |
//   | pausing   | waits before it lists     | the time: listing                                                   |
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ballot/log.hpp"
#include "gateway.hpp"
#include "reads.hpp"
#include "requests.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::etcd {

class Feed {
 public:
  Feed(Gateway& gateway, Reads& reads, const Keyspace& keyspace, support::KeyStore::Listener& listener, Host& host)
      : gateway_(gateway), reads_(reads), keyspace_(keyspace), listener_(listener), host_(host) {}

  void follow(const std::string& prefix);
  void watch(const std::string& prefix);

  /// What a renewal writes beside its own key; "" where nothing is followed.
  std::string mark_key() const;
  /// A mark is written by what is sent at `sent`.
  void expect(std::uint64_t mark, SteadyTime sent);
  /// The mark was written, for certain: where the stream does not show it by `until`, the stream has lost changes.
  void committed(std::uint64_t mark, SteadyTime until);
  bool has_seen(std::uint64_t mark) const noexcept { return seen_mark_ >= mark; }
  bool is_streaming() const noexcept { return state_ == State::streaming && !followed_.empty(); }
  SteadyTime observed_until() const noexcept { return observed_until_; }

  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  enum class State { off, listing, opening, streaming, pausing };
  struct Expected {
    std::uint64_t mark;
    SteadyTime sent;
  };

  void begin();
  std::string first() const;
  std::string end() const;
  void list();
  void on_listed(const Reads::Found& found, SteadyTime sent);
  void report(const support::KeyRead& read);
  void open();
  void close();
  void on_line(const http::json::value& line);
  bool on_change(const http::json::value& event, std::set<std::string>& touched);
  void on_mark(const std::string& value);
  void restart(Millis pause);
  void lose(const std::string& why);
  bool follows(const std::string& key) const;

  Gateway& gateway_;
  Reads& reads_;
  const Keyspace& keyspace_;
  support::KeyStore::Listener& listener_;
  Host& host_;
  State state_ = State::off;
  std::set<std::string> followed_, watched_;  // prefixes below the root
  std::set<std::string> untold_;              // watched ones that nothing was reported of
  std::uint64_t next_ = 0;                    // the first revision that was not reported; 0: it is to be listed
  std::uint64_t listing_ = 0;                 // the last that was asked for
  std::uint64_t stream_ = 0;                  // 0: none
  SteadyTime at_{};                           // the end of the pause, or of a stream that nothing proves
  Millis pause_{0};

  std::deque<Expected> expected_;  // marks that were not seen
  std::uint64_t seen_mark_ = 0;
  std::optional<SteadyTime> mark_due_;
  SteadyTime observed_until_{};
};

}  // namespace ballot::etcd
