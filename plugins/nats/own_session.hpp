// OwnSession: this node's session: a key that says whose it is, and that the store removes when it was not renewed for
// its maximum age. Each renewal is a write over the version before; what that was, where an answer was lost, is read.
//
//   OwnSession session(registers, sessions, [](const std::string& why) { ... it is over ... });
//   session.begin(word);  session.bind("s/a", word, done);  session.renew("m/a", text, done);  session.end(done);
//
//   | state   | means                                     | next                                              |
//   | ------- | ----------------------------------------- | ------------------------------------------------- |
//   | unbound | it has no key                             | bound: bind(), resume()                           |
//   | bound   | its key is, or may be, there              | over                                              |
//   | over    | it has ended, or was found to have ended  | unbound: begin()                                  |
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bucket.hpp"

namespace ballot::nats {

class OwnSession {
 public:
  using Done = Bucket::Done;
  /// The others outlive it.
  OwnSession(Bucket& registers, Bucket& sessions, std::function<void(const std::string& why)> lost)
      : registers_(registers), sessions_(sessions), lost_(std::move(lost)) {}

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
  /// Ends the session here: what this process knows of its key is wrong.
  void give_up(const std::string& why);

  SteadyTime observed_until() const noexcept { return observed_until_; }
  /// Of the last renewal that was answered, where it has come by.
  std::optional<WallTime> clock() const noexcept { return clock_; }

  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  enum class State { unbound, bound, over };
  /// A write of its key; none: its removal.
  struct Change {
    std::optional<std::string> value;
    SteadyTime late;
    Done done;  // not_leader: the key is gone, or somebody else's
    int tries = 0;
  };
  /// One that is acknowledged, and not seen yet.
  struct Renewal {
    std::string key;
    Done done;
    SteadyTime asked;
    Feed::Mark session_mark, member_mark;
    std::uint64_t session_version = 0;
    KeyAnswer answer = {};
    SteadyTime seen_by = {};  // it is answered then, whether it has come by or not
  };

  void change(Change change);
  void find_version(Change change);
  void write_member(Renewal renewal, const std::string& value, SteadyTime late);
  bool has_come(const Renewal& renewal) const;
  void finish(const Renewal& renewal);

  Bucket &registers_, &sessions_;
  const std::function<void(const std::string&)> lost_;
  State state_ = State::unbound;
  Millis patience_{0};
  std::string word_, key_;
  std::uint64_t version_ = 0;  // of its key, as far as it is known; 0: it is not
  std::vector<Renewal> coming_;
  SteadyTime observed_until_{};
  std::optional<WallTime> clock_;
};

}  // namespace ballot::nats
