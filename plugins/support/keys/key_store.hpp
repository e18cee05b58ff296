// KeyStore: what a KeyDriver asks of a store of keys, such as etcd, Consul or NATS: keys with a value and a version, of
// which one can be changed on condition; sessions that the store ends by itself; and changes that are reported. The
// store's own words for them, its connections and its batches are the plugin's; what the keys mean is not.
//
// Keys are paths below the namespace, of [A-Za-z0-9._@/-]. Every call is answered once, later and not from within, by
// `done`; all of it on the plugin's thread. A store that cannot be reached answers `unknown`, within patience().
//
//   class Store final : public KeyStore { ... };            // a plugin's
//   KeyDriver driver(outlet, place, [](KeyStore::Listener& to) { return std::make_unique<Store>(to, ...); });
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballot/backend.hpp"
#include "support/bounds.hpp"
#include "support/handle_file.hpp"

namespace ballot::support {

/// A key as the store has it.
struct KeyEntry {
  std::string key;
  std::string value;
  std::uint64_t version = 0;  // not 0; grows with each change of the key, also when it was removed in between
};

/// A change of one key; those of one commit() are decided each on its own, and sent together where that is faster.
struct KeyChange {
  std::string key;
  std::optional<std::string> value = {};      // none: it is removed
  std::optional<std::uint64_t> version = {};  // what the key's must be, else conflict; 0: there is none; none: any
  /// Only while this session is open, else not_leader. A store that cannot assert it in the same operation, whose
  /// capability is `sealed`, does without.
  bool guarded = false;
  /// Only while that key has this version, else not_leader; as `guarded`, which it requires.
  std::string term_key = {};
  std::uint64_t term_version = 0;
};

/// The answer to a write. done: `version` is the key's new one. A key that is to be removed and is not there is done.
struct KeyAnswer {
  StoreResult outcome = StoreResult::unknown;
  std::uint64_t version = 0;
  std::string text = {};  // for people, where it is unknown or failed
};

/// A version as a server has written it; 0 where it is none.
constexpr std::uint64_t sound_version(std::uint64_t version) { return version <= bounds::version ? version : 0; }

/// The answer to a change that the server says it has committed. One without a version is not understood.
inline KeyAnswer committed(std::uint64_t version) {
  if (sound_version(version) == 0) return {StoreResult::unknown, 0, "the server's answer has no version"};
  return {StoreResult::done, version, {}};
}

/// The answer to a read. done: linearizable, keys that are not there left out.
struct KeyRead {
  StoreResult outcome = StoreResult::unknown;
  std::vector<KeyEntry> entries = {};
  std::string text = {};
};

/// The read, where each entry has a version: an entry without one could not be read, and the key is not absent.
inline KeyRead checked(KeyRead read) {
  const auto unsound = std::find_if(read.entries.begin(), read.entries.end(),
                                    [](const KeyEntry& one) { return sound_version(one.version) == 0; });
  if (read.outcome != StoreResult::done || unsound == read.entries.end()) return read;
  return {StoreResult::unknown, {}, "the server's answer cannot be read: key " + unsound->key};
}

/// The keys that are there, linearizable. None, and `count`: they are so many, more than were asked for; none, and 0:
/// they are not known.
struct KeysThere {
  std::optional<std::vector<std::string>> keys = {};
  std::size_t count = 0;
};

/// How a session began.
struct SessionBegun {
  enum class How {
    begun,
    resumed,  // the one that was to be resumed is open
    gone,     // it is not: nothing has begun
    refused,  // the store refuses this user, or cannot be used; `text` says why and what to do
    full,     // it has no space now, whoever asks; `text` says what to do
    unknown   // the store cannot be reached
  };
  How how = How::unknown;
  std::string session = {};  // as the store names it: one word, never given again
  std::string secret = {};   // what else it takes to resume it: one word; "" for nothing
  Millis timeout{0};         // as the store grants it
  std::string text = {};
};

/// Nothing has, as the store has answered what was asked for it.
inline SessionBegun not_begun(StoreResult outcome, std::string text) {
  using How = SessionBegun::How;
  return {outcome == StoreResult::unknown ? How::unknown : How::refused, {}, {}, {}, std::move(text)};
}

class KeyStore {
 public:
  template <class Answer>
  using Done = std::function<void(const Answer&)>;

  /// Is called on the plugin's thread, not from within a call of the store.
  class Listener {
   public:
    /// Under `prefix`, which is followed, there are exactly these: at first, and wherever something may have been
    /// missed.
    virtual void on_listed(const std::string& prefix, const std::vector<KeyEntry>& entries) = 0;
    /// A key under a prefix that is followed was written. Versions of one key may come again, and older ones late.
    virtual void on_written(const KeyEntry& entry) = 0;
    virtual void on_removed(const std::string& key) = 0;
    /// Something under a prefix that is watched has changed, or may have; once also at first.
    virtual void on_touched(const std::string& prefix) = 0;
    /// The store has ended this session, for certain.
    virtual void on_session_lost(const std::string& text) = 0;
    /// The store answers again after a time in which it did not.
    virtual void on_connected() = 0;
    /// This node is not to lead the group, or any (""), while `why` is not "": see backend::Unfit.
    virtual void on_unfit(const std::string& group, const std::string& why) = 0;

   protected:
    ~Listener() = default;
  };

  virtual ~KeyStore() = default;
  KeyStore(const KeyStore&) = delete;
  KeyStore& operator=(const KeyStore&) = delete;

  virtual Capability capability() const = 0;

  /// Begins a session that the store ends `timeout` after it was renewed last, or resumes that of a handle. Nothing but
  /// this is asked before it is answered, and nothing guarded where `timeout` is 0: no session is needed then, and the
  /// answer's is a word of the plugin's own. Again after an answer that began nothing.
  virtual void begin(Millis timeout, const std::optional<Handle>& resumed, Done<SessionBegun> done) = 0;
  /// Makes the key, which goes with the session, where it is not there. conflict: it is. Once a session.
  virtual void bind(const std::string& key, const std::string& value, Done<KeyAnswer> done) = 0;
  /// Restarts the store's timer of a session that is not bound yet. not_leader: the session is over. False: no timer
  /// runs before bind(), and `done` is not called.
  virtual bool keep(Done<KeyAnswer> done) {
    (void)done;
    return false;
  }
  /// Restarts the store's timer of the session by operations that are all sent after this call, and writes `key`
  /// guarded, by a committed write that is sent after the timer's answer. not_leader: the session is over.
  virtual void renew(const std::string& key, const std::string& value, Done<KeyAnswer> done) = 0;
  /// Ends the session, and with it the bound key. done also where it is over already.
  virtual void end(Done<KeyAnswer> done) = 0;
  /// Whatever is not answered yet is not, and nothing is reported any more. The session is left as it is.
  virtual void abandon() noexcept = 0;

  /// Requires, as get(): there is one.
  virtual void commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) = 0;
  virtual void get(std::vector<std::string> keys, Done<KeyRead> done) = 0;
  virtual void list(const std::string& prefix, Done<KeyRead> done) = 0;
  /// Where the store can name cheaply what is under a prefix. False: it cannot, and `done` is not called.
  virtual bool name_keys(const std::string& prefix, std::size_t most, Done<KeysThere> done) {
    (void)prefix, (void)most, (void)done;
    return false;
  }

  /// Reports what is under the prefix, with its values, and what changes there.
  virtual void follow(const std::string& prefix) = 0;
  /// Reports that something has changed there.
  virtual void watch(const std::string& prefix) = 0;
  /// All that was changed under followed prefixes before then has been reported. Requires: something is followed.
  virtual SteadyTime observed_until() const = 0;

  /// The store's clock, where it has one, at the last renewal.
  virtual std::optional<WallTime> clock() const { return std::nullopt; }
  /// See Backend::configure(): before begin(), and when it changes.
  virtual void configure(const std::map<std::string, Options>& groups) { (void)groups; }
  /// This node leads the group from now on, or, with epoch 0, no more.
  virtual void lead(const std::string& group, std::uint64_t epoch) { (void)group, (void)epoch; }
  /// As of backend::Elected: asked once it is elected.
  virtual std::vector<std::string> environment(const std::string& group) const {
    return (void)group, std::vector<std::string>{};
  }
  /// Asks the servers about themselves.
  virtual void state(Done<StoreState> done) = 0;

  /// Takes in what has arrived, and answers it.
  virtual void receive() = 0;
  /// Does what is due, and answers as unknown what has waited too long.
  virtual void tick(SteadyTime now) = 0;
  virtual std::optional<SteadyTime> due() const = 0;
  /// Within what time every call is answered, for a session of that timeout.
  static Millis patience(Millis timeout) { return std::max(Millis(500), std::min(timeout / 4, Millis(2000))); }

 protected:
  KeyStore() = default;
};

}  // namespace ballot::support
