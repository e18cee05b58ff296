#include "conformance/memory_keys.hpp"

namespace ballot::conformance {

using support::KeyAnswer;
using support::KeyChange;
using support::KeyEntry;
using support::KeyRead;
using support::KeysThere;
using support::SessionBegun;

void MemoryKeys::restart() {
  const std::lock_guard hold(mutex_);
  for (MemoryKeyStore* client : clients_) {
    client->relist_ = true;
    client->wake();
  }
}

void MemoryKeys::expire_due() {
  const SteadyTime now = support::boot_now();
  std::vector<std::string> over;
  for (const auto& [id, session] : sessions_)
    if (session.renewed + session.timeout < now) over.push_back(id);
  for (const std::string& id : over) end_session(id);
}

void MemoryKeys::end_session(const std::string& session) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  const std::string bound = found->second.bound;
  sessions_.erase(found);
  if (!bound.empty()) remove(bound);
}

void MemoryKeys::set(const std::string& key, const std::string& value, const std::string& session) {
  keys_[key] = {value, ++revision_, session};
  report({key, KeyEntry{key, value, revision_}});
}

void MemoryKeys::remove(const std::string& key) {
  ++revision_;
  keys_.erase(key);
  report({key, std::nullopt});
}

void MemoryKeys::report(const Change& change) {
  if (!late_.empty() && change.first.starts_with(late_)) return late_changes_.push_back(change);
  for (MemoryKeyStore* client : clients_) client->arrived_.push(change);
}

void MemoryKeys::report_late(const std::string& prefix) {
  const std::lock_guard hold(mutex_);
  late_ = prefix;
  for (const Change& change : std::exchange(late_changes_, {})) report(change);
}

void MemoryKeyStore::begin(Millis timeout, const std::optional<support::Handle>& resumed, Done<SessionBegun> done) {
  if (timeout > Millis(0)) timeout_ = timeout;
  const std::string before = resumed ? resumed->session : std::string();
  ask<SessionBegun>(std::move(done), SessionBegun{SessionBegun::How::unknown, {}, {}, {}, "cut off"},
                    [this, timeout, before]() -> SessionBegun {
                      using How = SessionBegun::How;
                      if (timeout == Millis(0)) return {How::begun, "observer", {}, timeout, {}};
                      if (!before.empty()) {
                        if (!keys_.sessions_.contains(before)) return {How::gone, {}, {}, {}, {}};
                        session_ = before;
                        return {How::resumed, before, "", keys_.sessions_[before].timeout, {}};
                      }
                      session_ = "s" + std::to_string(++keys_.last_session_);
                      keys_.sessions_[session_] = {timeout, support::boot_now()};
                      return {How::begun, session_, "", timeout, {}};
                    });
}

void MemoryKeyStore::bind(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  ask<KeyAnswer>(std::move(done), {}, [this, key, value]() -> KeyAnswer {
    if (!is_open()) return {StoreResult::not_leader};
    if (keys_.keys_.contains(key)) return {StoreResult::conflict};
    keys_.set(key, value, session_);
    keys_.sessions_[session_].bound = key;
    return {StoreResult::done, keys_.revision_};
  });
}

bool MemoryKeyStore::keep(Done<KeyAnswer> done) {
  ask<KeyAnswer>(std::move(done), {}, [this]() -> KeyAnswer {
    if (!is_open()) return {StoreResult::not_leader};
    keys_.sessions_[session_].renewed = support::boot_now();
    return {StoreResult::done};
  });
  return true;
}

void MemoryKeyStore::renew(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  const SteadyTime sent = support::boot_now();
  ask<KeyAnswer>(std::move(done), {}, [this, key, value, sent]() -> KeyAnswer {
    if (!is_open()) return {StoreResult::not_leader};
    keys_.sessions_[session_].renewed = support::boot_now();
    keys_.set(key, value, {});
    observed_ = sent;
    return {StoreResult::done, keys_.revision_};
  });
}

void MemoryKeyStore::end(Done<KeyAnswer> done) {
  ask<KeyAnswer>(std::move(done), {}, [this]() -> KeyAnswer {
    keys_.end_session(session_);
    return {StoreResult::done};
  });
}

KeyAnswer MemoryKeyStore::change(const KeyChange& one) {
  const auto version = [this](const std::string& key) {
    const auto found = keys_.keys_.find(key);
    return found == keys_.keys_.end() ? 0 : found->second.version;
  };
  if (one.guarded && !is_open()) return {StoreResult::not_leader};
  if (capability_ == Capability::fenced && !one.term_key.empty() && version(one.term_key) != one.term_version)
    return {StoreResult::not_leader};
  if (one.version && version(one.key) != *one.version) return {StoreResult::conflict};
  if (one.value)
    keys_.set(one.key, *one.value, {});
  else if (keys_.keys_.contains(one.key))
    keys_.remove(one.key);
  return {StoreResult::done, keys_.revision_};
}

void MemoryKeyStore::commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) {
  std::vector<KeyAnswer> late(changes.size());
  ask<std::vector<KeyAnswer>>(std::move(done), std::move(late), [this, changes = std::move(changes)] {
    std::vector<KeyAnswer> answers;
    for (const KeyChange& one : changes) answers.push_back(change(one));
    return answers;
  });
}

void MemoryKeyStore::get(std::vector<std::string> keys, Done<KeyRead> done) {
  ask<KeyRead>(std::move(done), {}, [this, keys = std::move(keys)] {
    KeyRead read{StoreResult::done};
    for (const std::string& key : keys)
      if (const auto found = keys_.keys_.find(key); found != keys_.keys_.end())
        read.entries.push_back({key, found->second.value, found->second.version});
    return read;
  });
}

void MemoryKeyStore::list(const std::string& prefix, Done<KeyRead> done) {
  ask<KeyRead>(std::move(done), {}, [this, prefix] {
    KeyRead read{StoreResult::done};
    for (const auto& [key, one] : keys_.keys_)
      if (key.starts_with(prefix)) read.entries.push_back({key, one.value, one.version});
    return read;
  });
}

bool MemoryKeyStore::name_keys(const std::string& prefix, std::size_t most, Done<KeysThere> done) {
  ask<KeysThere>(std::move(done), {}, [this, prefix, most] {
    std::vector<std::string> names;
    for (const auto& [key, one] : keys_.keys_)
      if (key.starts_with(prefix)) names.push_back(key);
    return names.size() > most ? KeysThere{{}, names.size()} : KeysThere{std::move(names)};
  });
  return true;
}

/// What is asked from within an answer is seen to the next time.
void MemoryKeyStore::receive() {
  auto changes = arrived_.take();
  {
    const std::lock_guard hold(keys_.mutex_);
    if (!std::exchange(was_connected_, connected()) && was_connected_) relist_ = true;
    if (!was_connected_) return;
  }
  relist();
  std::set<std::string> touched;
  for (const auto& [key, entry] : changes) {
    if (key.empty()) continue;
    const auto under = [&key = key](const std::string& prefix) { return key.starts_with(prefix); };
    if (std::any_of(followed_.begin(), followed_.end(), under))
      entry ? listener_.on_written(*entry) : listener_.on_removed(key);
    for (const std::string& prefix : watched_)
      if (under(prefix)) touched.insert(prefix);
  }
  for (const std::string& prefix : touched) listener_.on_touched(prefix);
  for (auto pending = std::exchange(pending_, {}); !pending.empty() && !abandoned_; pending.pop_front())
    if (!pending.front().attempt()) pending_.push_back(std::move(pending.front()));
}

void MemoryKeyStore::relist() {
  if (!relist_.exchange(false)) return;
  for (const std::string& prefix : followed_) {
    std::vector<KeyEntry> entries;
    {
      const std::lock_guard hold(keys_.mutex_);
      for (const auto& [key, one] : keys_.keys_)
        if (key.starts_with(prefix)) entries.push_back({key, one.value, one.version});
    }
    listener_.on_listed(prefix, entries);
  }
  for (const std::string& prefix : watched_) listener_.on_touched(prefix);
}

void MemoryKeyStore::tick(SteadyTime now) {
  {
    const std::lock_guard hold(keys_.mutex_);
    keys_.expire_due();
  }
  for (auto pending = std::exchange(pending_, {}); !pending.empty(); pending.pop_front())
    pending.front().late <= now ? pending.front().give_up() : pending_.push_back(std::move(pending.front()));
}

}  // namespace ballot::conformance
