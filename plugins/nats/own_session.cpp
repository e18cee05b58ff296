#include "own_session.hpp"

#include <algorithm>
#include <utility>

#include "support/clock.hpp"

namespace ballot::nats {

using namespace std::chrono_literals;
using namespace support;

namespace {

constexpr int most_tries = 4;
constexpr Millis coming_patience = 100ms;

}  // namespace

OwnSession::OwnSession(Places places, std::function<void(const std::string&)> lost)
    : places_(places), lost_(std::move(lost)) {}

void OwnSession::begin(std::string word, Millis patience) {
  word_ = std::move(word);
  patience_ = patience;
  state_ = State::unbound;
  key_.clear();
  version_ = 0;
  observed_until_ = {};
  clock_.reset();
}

bool OwnSession::resume(const std::string& word, Millis patience) {
  for (const auto& [key, stored] : places_.sessions_feed.entries()) {
    if (stored.marker || stored.value != word || !key.starts_with(session_prefix)) continue;
    begin(word, patience);
    state_ = State::bound;
    key_ = key;
    version_ = stored.version;
    return true;
  }
  return false;
}

void OwnSession::lose(const std::string& why) {
  if (state_ == State::over) return;
  state_ = State::over;
  lost_(why);
}

/// Null: it is gone, or somebody else's.
const Stored* OwnSession::own_entry() const {
  const auto& entries = places_.sessions_feed.entries();
  const auto found = entries.find(key_);
  return found == entries.end() || found->second.marker || found->second.value != word_ ? nullptr : &found->second;
}

void OwnSession::bind(const std::string& key, const std::string& value, Done done) {
  key_ = key;
  state_ = State::bound;
  ++under_way_;
  places_.sessions.write({key, value, 0}, Priority::urgent, boot_now() + patience_,
                         [this, done](const KeyAnswer& answer) {
                           --under_way_;
                           if (answer.outcome == StoreResult::done) version_ = std::max(version_, answer.version);
                           if (answer.outcome == StoreResult::conflict) state_ = State::unbound;
                           done(answer);
                         });
}

void OwnSession::renew(const std::string& key, const std::string& value, Done done) {
  const SteadyTime now = boot_now();
  const auto renewal = std::make_shared<Renewal>(Renewal{key, value, std::move(done), now, now + patience_});
  ++under_way_;
  version_ == 0 ? find_version(renewal) : renew_key(renewal);
}

void OwnSession::renew_key(const Shared& renewal) {
  renewal->session_mark = places_.sessions_feed.mark();
  places_.sessions.write({key_, word_, version_}, Priority::urgent, renewal->late,
                         [this, renewal](const KeyAnswer& found) {
                           if (found.outcome == StoreResult::conflict) return find_version(renewal);
                           if (found.outcome != StoreResult::done) return answer(renewal, found);
                           version_ = std::max(version_, found.version);
                           renewal->session_version = found.version;
                           write_member(renewal);
                         });
}

/// An answer was lost, or the session is over.
void OwnSession::find_version(const Shared& renewal) {
  if (++renewal->tries > most_tries)
    return answer(renewal, {StoreResult::unknown, 0, "its version changes all the time"});
  places_.sessions_feed.after_barrier(
      [this, renewal](bool passed) {
        if (!passed) return answer(renewal, {StoreResult::unknown, 0, "the session's key cannot be read"});
        const Stored* const entry = own_entry();
        if (entry == nullptr) {
          lose("the store has ended the session");
          return answer(renewal, {StoreResult::not_leader});
        }
        version_ = std::max(version_, entry->version);
        renew_key(renewal);
      },
      renewal->late);
}

void OwnSession::write_member(const Shared& renewal) {
  renewal->member_mark = places_.registers_feed.mark();
  places_.registers.write({renewal->key, renewal->value}, Priority::urgent, renewal->late,
                          [this, renewal](const KeyAnswer& found) {
                            if (found.outcome != StoreResult::done) return answer(renewal, found);
                            renewal->answer = found;
                            renewal->seen_by = boot_now() + coming_patience;
                            coming_.push_back(renewal);
                          });
}

bool OwnSession::has_come(const Renewal& renewal) const {
  return places_.sessions_feed.has_passed(renewal.session_mark, renewal.session_version) &&
         places_.registers_feed.has_passed(renewal.member_mark, renewal.answer.version);
}

/// All that was stored before it was asked for has come by too.
void OwnSession::finish(const Shared& renewal) {
  clock_.reset();
  if (has_come(*renewal)) {
    observed_until_ = std::max(observed_until_, renewal->asked);
    const auto& entries = places_.registers_feed.entries();
    const auto found = entries.find(renewal->key);
    if (found != entries.end() && found->second.version == renewal->answer.version) clock_ = found->second.stored;
  }
  answer(renewal, renewal->answer);
}

void OwnSession::answer(const Shared& renewal, const KeyAnswer& answer) {
  --under_way_;
  renewal->done(answer);
}

void OwnSession::end(Done done) {
  if (state_ != State::bound || key_.empty()) {
    state_ = State::over;
    return done({StoreResult::done});
  }
  ++under_way_;
  remove(0, boot_now() + patience_, [this, done](const KeyAnswer& answer) {
    --under_way_;
    if (answer.outcome != StoreResult::unknown) state_ = State::over;
    done(answer);
  });
}

void OwnSession::remove(int tries, SteadyTime late, Done done) {
  const auto find_out = [this, tries, late, done](const KeyAnswer& answer) {
    if (answer.outcome != StoreResult::conflict) return done(answer);
    if (tries >= most_tries) return done({StoreResult::unknown, 0, "its version changes all the time"});
    places_.sessions_feed.after_barrier(
        [this, tries, late, done](bool passed) {
          if (!passed) return done({StoreResult::unknown, 0, "the session's key cannot be read"});
          const Stored* const entry = own_entry();
          if (entry == nullptr) return done({StoreResult::done});
          version_ = entry->version;
          remove(tries + 1, late, done);
        },
        late);
  };
  if (version_ == 0) return find_out({StoreResult::conflict});
  places_.sessions.write({key_, std::nullopt, version_}, Priority::urgent, late, find_out);
}

void OwnSession::tick(SteadyTime now) {
  for (auto at = coming_.begin(); at != coming_.end();) {
    if (!has_come(**at) && now < (*at)->seen_by) {
      ++at;
      continue;
    }
    const Shared renewal = *at;
    at = coming_.erase(at);
    finish(renewal);
  }
}

std::optional<SteadyTime> OwnSession::due() const {
  std::optional<SteadyTime> at;
  for (const Shared& one : coming_) at = at ? std::min(*at, one->seen_by) : one->seen_by;
  return at;
}

void OwnSession::forget() { coming_.clear(); }

}  // namespace ballot::nats
