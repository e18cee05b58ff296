#include "feed.hpp"

#include <algorithm>
#include <utility>

#include "requests.hpp"
#include "support/clock.hpp"

namespace ballot::consul {

using namespace std::chrono_literals;
using support::KeyEntry;
using Meaning = Reply::Meaning;

namespace {

constexpr Millis longest_wait = 20s, unchecked_wait = 10s;  // of a bell that does not ring
constexpr Millis after_failure = 250ms;
constexpr Millis after_look = 10ms;       // of an agent that always answers at once
constexpr Millis after_nothing = 50ms;    // of an empty prefix the bell rings for every change in the store
constexpr std::size_t bytes_a_ms = 2000;  // that are read at most where changes never end

bool answered(const Reply& reply) { return reply.is(Meaning::done) || reply.is(Meaning::absent); }

/// The index of all that is below a path, and next to nothing else: the last folder of the path, once.
std::string index_target(std::string path) {
  if (path.ends_with('/')) path.pop_back();
  return "/v1/kv/" + in_url(path) + "?keys&separator=/&consistent";
}

}  // namespace

Feed::Feed(Agent& agent, const KeyPaths& paths, std::string prefix, Wants wants, support::KeyStore::Listener& listener)
    : agent_(agent), paths_(paths), prefix_(std::move(prefix)), wants_(wants), listener_(listener) {
  if (is_followed())
    for (std::string& path : paths_.folders(prefix_)) folders_.push_back({std::move(path)});
  wait();
}

bool Feed::is_empty() const {
  return std::all_of(folders_.begin(), folders_.end(), [](const Folder& folder) { return folder.versions.empty(); });
}

std::vector<std::string> Feed::keys() const {
  std::vector<std::string> all;
  for (const Folder& folder : folders_)
    for (const auto& [key, version] : folder.versions) all.push_back(key);
  return all;
}

void Feed::wait() {
  state_ = State::waiting;
  again_at_.reset();
  if (std::exchange(bell_waits_, true)) return;
  agent_.poll(index_target(paths_.path(prefix_)), index_, is_followed() ? longest_wait : unchecked_wait,
              [this](const Reply& reply) { on_bell(reply); });
}

void Feed::on_bell(const Reply& reply) {
  bell_waits_ = false;
  if (state_ != State::waiting) return;
  if (!answered(reply) || reply.index == 0) {
    index_ = 0;
    return pause(after_failure);
  }
  if (reply.index == index_) return pause(after_look);
  if (is_followed()) return look(reply.index);
  index_ = reply.index;
  pause(reply.is(Meaning::absent) ? after_nothing : after_look);
  touch();
}

void Feed::look(std::uint64_t index) {
  state_ = State::looking;
  again_at_.reset();
  look_ = {support::boot_now(), index_ == 0 || index < index_, false, folders_.size()};
  index_ = index;
  for (Folder& folder : folders_) look_at(folder);
}

/// An empty folder has the index of the whole store, which says nothing of the folder.
void Feed::look_at(Folder& folder) {
  if (look_.lists || folders_.size() == 1) return read(folder);
  agent_.get(index_target(folder.path), [this, &folder](const Reply& reply) {
    look_.failed = look_.failed || !answered(reply);
    const bool same = reply.is(Meaning::absent) ? folder.versions.empty() : reply.index == folder.index;
    look_.failed || same ? end_part() : read(folder);
  });
}

void Feed::read(Folder& folder) {
  agent_.list("/v1/kv/" + in_url(folder.path) + "?recurse&consistent", [this, &folder](const Reply& reply) {
    const support::KeyRead read =
        support::checked({StoreResult::done, entries_of(paths_, http::array_of(reply.json)), {}});
    const bool has_listed = reply.is(Meaning::absent) || reply.is_list();
    look_.failed = look_.failed || !has_listed || read.outcome != StoreResult::done;
    if (look_.failed) return end_part();
    look_.bytes += reply.body.size();
    folder.index = reply.index;
    report(folder, read.entries);
    end_part();
  });
}

void Feed::report(Folder& folder, const std::vector<KeyEntry>& entries) {
  const auto before = std::exchange(folder.versions, {});
  for (const KeyEntry& entry : entries) folder.versions[entry.key] = entry.version;
  if (look_.lists) {
    look_.entries.insert(look_.entries.end(), entries.begin(), entries.end());
    return;
  }
  for (const auto& [key, version] : before)
    if (!folder.versions.contains(key)) listener_.on_removed(key);
  for (const KeyEntry& entry : entries) {
    const auto known = before.find(entry.key);
    if (known == before.end() || known->second != entry.version) listener_.on_written(entry);
  }
}

void Feed::end_part() {
  if (--look_.parts > 0) return;
  if (look_.failed) {
    index_ = 0;
    pause(after_failure);
  } else {
    observed_ = look_.begun;
    if (look_.lists) listener_.on_listed(prefix_, std::exchange(look_.entries, {}));
    pause(is_empty() ? after_nothing : std::clamp(Millis(look_.bytes / bytes_a_ms), after_look, agent_.patience() / 4));
  }
  for (const auto& done : std::exchange(waiting_, {})) done();
}

void Feed::pause(Millis time) {
  state_ = State::pausing;
  again_at_ = support::boot_now() + time;
}

/// While the feed pauses the last look was a moment ago, so a check begins no other one.
void Feed::check(std::function<void()> done) {
  agent_.call({"GET", index_target(paths_.path(prefix_)), {}, agent_.patience() / 2},
              [this, asked = support::boot_now(), done = std::move(done)](const Reply& reply) {
                if (!answered(reply) || state_ == State::looking || index_ == 0) return done();
                const bool same = reply.index == index_ || (reply.is(Meaning::absent) && is_empty());
                if (same) observed_ = std::max(observed_, asked);
                if (same || state_ == State::pausing) return done();
                waiting_.push_back(done);
                look(reply.index);
              });
}

}  // namespace ballot::consul
