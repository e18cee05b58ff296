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
  for (const auto& [key, stored] : sessions_.feed().entries()) {
    if (stored.marker || stored.value != word) continue;
    begin(word, patience);
    state_ = State::bound;
    key_ = key;
    version_ = stored.version;
    return true;
  }
  return false;
}

void OwnSession::bind(const std::string& key, const std::string& value, Done done) {
  key_ = key;
  state_ = State::bound;
  sessions_.write({key, value, 0}, Priority::urgent, boot_now() + patience_, [this, done](const KeyAnswer& answer) {
    if (answer.outcome == StoreResult::done) version_ = std::max(version_, answer.version);
    if (answer.outcome == StoreResult::conflict) state_ = State::unbound;
    done(answer);
  });
}

/// Over its last version.
void OwnSession::change(Change change) {
  if (version_ == 0) return find_version(std::move(change));
  KeyChange written{key_, change.value, version_};
  const SteadyTime late = change.late;
  sessions_.write(std::move(written), Priority::urgent, late,
                  [this, change = std::move(change)](const KeyAnswer& answer) {
                    if (answer.outcome == StoreResult::conflict) return find_version(change);
                    if (answer.outcome == StoreResult::done) version_ = std::max(version_, answer.version);
                    change.done(answer);
                  });
}

/// An answer was lost, or the session is over.
void OwnSession::find_version(Change change) {
  if (++change.tries > most_tries) return change.done({StoreResult::unknown, 0, "its version changes all the time"});
  const SteadyTime late = change.late;
  sessions_.feed().after_barrier(
      [this, change = std::move(change)](bool passed) {
        if (!passed) return change.done({StoreResult::unknown, 0, "the session's key cannot be read"});
        const Stored* const entry = sessions_.feed().find(key_);
        if (entry == nullptr || entry->value != word_) return change.done({StoreResult::not_leader});
        version_ = std::max(version_, entry->version);
        this->change(change);
      },
      late);
}

void OwnSession::renew(const std::string& key, const std::string& value, Done done) {
  const SteadyTime now = boot_now(), late = now + patience_;
  const Renewal renewal{key, std::move(done), now, sessions_.feed().mark(), {}};
  change({word_, late, [this, renewal, value, late](const KeyAnswer& answer) {
            if (answer.outcome == StoreResult::not_leader) give_up("the store has ended the session");
            if (answer.outcome != StoreResult::done) return renewal.done(answer);
            Renewal next = renewal;
            next.session_version = answer.version;
            write_member(std::move(next), value, late);
          }});
}

void OwnSession::write_member(Renewal renewal, const std::string& value, SteadyTime late) {
  renewal.member_mark = registers_.feed().mark();
  registers_.write({renewal.key, value}, Priority::urgent, late, [this, renewal](const KeyAnswer& answer) {
    if (answer.outcome != StoreResult::done) return renewal.done(answer);
    coming_.push_back(renewal);
    coming_.back().answer = answer;
    coming_.back().seen_by = boot_now() + coming_patience;
  });
}

bool OwnSession::has_come(const Renewal& renewal) const {
  return sessions_.feed().has_passed(renewal.session_mark, renewal.session_version) &&
         registers_.feed().has_passed(renewal.member_mark, renewal.answer.version);
}

/// All that was stored before it was asked for has come by too.
void OwnSession::finish(const Renewal& renewal) {
  clock_.reset();
  if (has_come(renewal)) {
    observed_until_ = std::max(observed_until_, renewal.asked);
    const Stored* const stored = registers_.feed().find(renewal.key);
    if (stored != nullptr && stored->version == renewal.answer.version) clock_ = stored->stored;
  }
  renewal.done(renewal.answer);
}

void OwnSession::give_up(const std::string& why) {
  if (state_ == State::bound) {
    state_ = State::over;
    lost_(why);
  }
}

void OwnSession::end(Done done) {
  if (state_ != State::bound) {
    state_ = State::over;
    return done({StoreResult::done});
  }
  change({std::nullopt, boot_now() + patience_, [this, done](const KeyAnswer& answer) {
            if (answer.outcome != StoreResult::unknown) state_ = State::over;
            done(answer.outcome == StoreResult::not_leader ? KeyAnswer{StoreResult::done} : answer);
          }});
}

void OwnSession::tick(SteadyTime now) {
  for (const Renewal& one : std::exchange(coming_, {}))
    has_come(one) || now >= one.seen_by ? finish(one) : coming_.push_back(one);
}

std::optional<SteadyTime> OwnSession::due() const {
  std::optional<SteadyTime> at;
  for (const Renewal& one : coming_) at = earliest(at, one.seen_by);
  return at;
}

}  // namespace ballot::nats
