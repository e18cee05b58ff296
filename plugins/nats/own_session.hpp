// OwnSession: this node's session: a key that says whose it is, and that the store removes when it was not renewed for
// its maximum age. Each renewal is a write over the version before; what that was, where an answer was lost, is read.
//
//   OwnSession session(places, [](const std::string& why) { ... it is over ... });
//   session.begin(word);  session.bind("s/a", word, done);  session.renew("m/a", text, done);  session.end(done);
//
//   | state   | means                                     | next                                              |
//   | ------- | ----------------------------------------- | ------------------------------------------------- |
//   | none    | there is none                             | unbound: begin(); bound: resume()                 |
//   | unbound | it has no key                             | bound: bind()                                     |
//   | bound   | its key is, or may be, there              | over                                              |
//   | over    | it has ended, or was found to have ended  | none: begin(), resume()                           |
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "bucket.hpp"

namespace ballot::nats {

/// Of the keys that are in the bucket of sessions.
inline constexpr const char* session_prefix = "s/";

/// Where sessions and what they say of themselves are written, and seen to have been.
struct Places {
  Bucket &registers, &sessions;
  Feed &registers_feed, &sessions_feed;
};

class OwnSession {
 public:
  using Done = Bucket::Done;
  OwnSession(Places places, std::function<void(const std::string& why)> lost);

  void begin(std::string word, Millis patience);
  /// False: there is no such session. Requires: the feed of sessions is behind a barrier.
  bool resume(const std::string& word, Millis patience);

  const std::string& word() const noexcept { return word_; }
  /// What asks for an open session may be written.
  bool is_open() const noexcept { return state_ == State::bound; }
  bool is_over() const noexcept { return state_ == State::over; }

  void bind(const std::string& key, const std::string& value, Done done);
  void renew(const std::string& key, const std::string& value, Done done);
  void end(Done done);

  SteadyTime observed_until() const noexcept { return observed_until_; }
  /// Of the last renewal that was answered, where it has come by.
  std::optional<WallTime> clock() const noexcept { return clock_; }

  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;
  bool idle() const noexcept { return under_way_ == 0; }
  void forget();

 private:
  enum class State { none, unbound, bound, over };
  struct Renewal {
    std::string key, value;
    Done done;
    SteadyTime asked{}, late{};
    int tries = 0;
    Feed::Mark session_mark{}, member_mark{};
    std::uint64_t session_version = 0;
    KeyAnswer answer{};
    SteadyTime seen_by{};  // it is answered then, whether it has come by or not
  };
  using Shared = std::shared_ptr<Renewal>;

  void renew_key(const Shared& renewal);
  void find_version(const Shared& renewal);
  void write_member(const Shared& renewal);
  void answer(const Shared& renewal, const KeyAnswer& answer);
  bool has_come(const Renewal& renewal) const;
  void finish(const Shared& renewal);
  const Stored* own_entry() const;
  void remove(int tries, SteadyTime late, Done done);
  void lose(const std::string& why);

  const Places places_;
  const std::function<void(const std::string&)> lost_;
  State state_ = State::none;
  Millis patience_{0};
  std::string word_, key_;
  std::uint64_t version_ = 0;  // of its key, as far as it is known; 0: it is not
  std::list<Shared> coming_;   // acknowledged, and not seen yet
  std::size_t under_way_ = 0;
  SteadyTime observed_until_{};
  std::optional<WallTime> clock_;
};

}  // namespace ballot::nats
