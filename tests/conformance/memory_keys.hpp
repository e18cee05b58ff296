// MemoryKeys: a store of keys in memory, for what is common to backends on such stores: its sessions end by real
// clocks, and a client can be cut off. MemoryKeyStore: a client's view of it. Any thread.
//
//   MemoryKeys keys;
//   MemoryKeyStore store(keys, "a", listener, wakeup, Capability::fenced);
//   keys.cut("a");   ...  keys.expire("a");
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/clock.hpp"
#include "support/keys/key_store.hpp"
#include "support/mailbox.hpp"

namespace ballot::conformance {

class MemoryKeyStore;

class MemoryKeys {
 public:
  /// Of a client: nothing goes through, and its connection is lost.
  void cut(const std::string& client, bool is_cut) {
    const std::lock_guard hold(mutex_);
    is_cut ? void(cut_.insert(client)) : void(cut_.erase(client));
  }
  /// What the client asks is done, and never answered.
  void lose_answers(const std::string& client, bool lost) {
    const std::lock_guard hold(mutex_);
    lost ? void(losing_.insert(client)) : void(losing_.erase(client));
  }
  /// A key's value; "": there is none.
  std::string value(const std::string& key) {
    const std::lock_guard hold(mutex_);
    const auto found = keys_.find(key);
    return found == keys_.end() ? "" : found->second.value;
  }
  /// By somebody's hand.
  void put(const std::string& key, const std::string& value) {
    const std::lock_guard hold(mutex_);
    set(key, value, {});
  }
  std::vector<std::string> under(const std::string& prefix) {
    const std::lock_guard hold(mutex_);
    std::vector<std::string> found;
    for (const auto& [key, one] : keys_)
      if (key.starts_with(prefix)) found.push_back(key);
    return found;
  }
  /// Ends the session that is bound to the key.
  void expire(const std::string& key) {
    const std::lock_guard hold(mutex_);
    if (const auto found = keys_.find(key); found != keys_.end()) end_session(found->second.session);
  }
  /// What a client that must see it has missed is listed again.
  void restart();
  /// Changes of keys under the prefix are not reported until it is another one, or "".
  void report_late(const std::string& prefix);

 private:
  friend class MemoryKeyStore;
  using Change = std::pair<std::string, std::optional<support::KeyEntry>>;  // none: it was removed
  struct Key {
    std::string value;
    std::uint64_t version = 0;
    std::string session = {};  // it goes with it; "": with none
  };
  struct Session {
    Millis timeout{0};
    SteadyTime renewed{};
    std::string bound = {};
  };

  void expire_due();
  void end_session(const std::string& session);
  void set(const std::string& key, const std::string& value, const std::string& session);
  void remove(const std::string& key);
  void report(const Change& change);

  std::mutex mutex_;
  std::map<std::string, Key> keys_;
  std::map<std::string, Session> sessions_;
  std::set<std::string> cut_, losing_;
  std::set<MemoryKeyStore*> clients_;
  std::uint64_t revision_ = 0, last_session_ = 0;
  std::string late_;  // a prefix
  std::vector<Change> late_changes_;
};

class MemoryKeyStore : public support::KeyStore {
 public:
  MemoryKeyStore(MemoryKeys& keys, std::string client, Listener& listener, std::shared_ptr<support::Wakeup> wakeup,
                 Capability capability)
      : keys_(keys),
        client_(std::move(client)),
        listener_(listener),
        arrived_(std::move(wakeup)),
        capability_(capability) {
    const std::lock_guard hold(keys_.mutex_);
    keys_.clients_.insert(this);
  }
  ~MemoryKeyStore() override { abandon(); }

  Capability capability() const override { return capability_; }
  void begin(Millis timeout, const std::optional<support::Handle>& resumed, Done<support::SessionBegun> done) override;
  void bind(const std::string& key, const std::string& value, Done<support::KeyAnswer> done) override;
  bool keep(Done<support::KeyAnswer> done) override;
  void renew(const std::string& key, const std::string& value, Done<support::KeyAnswer> done) override;
  void end(Done<support::KeyAnswer> done) override;
  void abandon() noexcept override {
    const std::lock_guard hold(keys_.mutex_);
    keys_.clients_.erase(this);
    pending_.clear();
    abandoned_ = true;
  }
  void commit(std::vector<support::KeyChange> changes, Done<std::vector<support::KeyAnswer>> done) override;
  void get(std::vector<std::string> keys, Done<support::KeyRead> done) override;
  void list(const std::string& prefix, Done<support::KeyRead> done) override;
  bool name_keys(const std::string& prefix, std::size_t most, Done<support::KeysThere> done) override;
  void follow(const std::string& prefix) override {
    followed_.push_back(prefix);
    relist_ = true;
    wake();
  }
  void watch(const std::string& prefix) override {
    watched_.push_back(prefix);
    relist_ = true;
    wake();
  }
  SteadyTime observed_until() const override { return observed_; }
  void state(Done<StoreState> done) override {
    ask<StoreState>(std::move(done), {}, [] { return StoreState{{{"servers", "1"}}, {}}; });
  }
  void receive() override;
  void tick(SteadyTime now) override;
  std::optional<SteadyTime> due() const override { return support::boot_now() + Millis(20); }

 private:
  friend class MemoryKeys;
  struct Pending {
    SteadyTime late{};
    std::function<bool()> attempt;  // false: the store is not there
    std::function<void()> give_up;
  };

  void wake() { arrived_.push({}); }
  bool connected() const { return !keys_.cut_.contains(client_); }
  bool is_open() const { return keys_.sessions_.contains(session_); }
  support::KeyAnswer change(const support::KeyChange& one);
  void relist();

  /// `work` is done under the store's lock, when the client is connected.
  template <class Answer>
  void ask(Done<Answer> done, Answer late, std::function<Answer()> work) {
    const auto attempt = [this, done, work = std::move(work), lost = false]() mutable {
      Answer answer;
      {
        const std::lock_guard hold(keys_.mutex_);
        if (!connected() || lost) return false;
        keys_.expire_due();
        answer = work();
        lost = keys_.losing_.contains(client_);
        if (lost) return false;
      }
      done(answer);
      return true;
    };
    pending_.push_back({support::boot_now() + patience(timeout_), attempt, [done, late] { done(late); }});
    wake();
  }

  MemoryKeys& keys_;
  const std::string client_;
  Listener& listener_;
  support::Mailbox<MemoryKeys::Change> arrived_;
  const Capability capability_;
  std::string session_;
  Millis timeout_{2000};
  std::deque<Pending> pending_;
  std::vector<std::string> followed_, watched_;
  std::atomic<bool> relist_{false};  // restart() sets it from a test's thread
  bool abandoned_ = false, was_connected_ = true;
  SteadyTime observed_{};
};

}  // namespace ballot::conformance
