#include "nats_store.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "state.hpp"
#include "support/clock.hpp"
#include "support/join.hpp"
#include "support/random_word.hpp"

namespace ballot::nats {

using namespace std::chrono_literals;

namespace {

constexpr const char* session_prefix = "s/";  // of the keys that are in the bucket of sessions
constexpr const char* no_answer = "the servers did not answer in time";
constexpr Millis reach_patience = 2s, open_patience = 8s, connect_pause = 100ms, default_age = 10s;
constexpr Millis warn_pause = 1min;
constexpr unsigned connect_jitter = 200;  // ms: servers that were restarted are not asked by all at once

KeyEntry entry_of(const std::string& key, const Stored& stored) { return {key, stored.value, stored.version}; }

}  // namespace

NatsStore::NatsStore(KeyStore::Listener& listener, Outlet& outlet, const Settings& settings, std::string name_space)
    : listener_(listener),
      outlet_(outlet),
      settings_(settings),
      name_space_(std::move(name_space)),
      inbox_(std::make_shared<Inbox>(outlet.wakeup())),
      client_(inbox_, settings.access),
      registers_(client_, settings.bucket, *this),
      sessions_(client_, settings.bucket + "-sessions", *this),
      session_(registers_, sessions_, [this](const std::string& why) { listener_.on_session_lost(why); }),
      sweep_(registers_, sessions_, shortest_window) {}

SteadyTime NatsStore::late() const { return boot_now() + patience_; }

void NatsStore::begin(Millis timeout, const std::optional<Handle>& resumed, Done<SessionBegun> done) {
  observes_ = timeout == 0ms;
  patience_ = observes_ ? reach_patience : patience(timeout);
  client_.set_patience(patience_);
  beginning_ = std::make_shared<Beginning>(Beginning{timeout, resumed, std::move(done), boot_now() + reach_patience});
  switch (stage_) {
    case Stage::apart: return connect();
    case Stage::connecting: return;
    case Stage::connected: return open();
    case Stage::ready: return on_ready();
  }
}

void NatsStore::connect() {
  const auto secrets = read_secrets(settings_.access);
  if (!secrets) {
    leave();
    return later([this, text = secrets.error().what] { refused(text); });
  }
  connect_at_.reset();
  stage_ = Stage::connecting;
  const Millis patience = (beginning_ ? beginning_->timeout : max_age_) / 10;
  client_.connect(*secrets, observes_ ? 1s : std::clamp<Millis>(patience, 300ms, 1s));
}

void NatsStore::leave() {
  stage_ = Stage::apart;
  connect_at_ = boot_now() + connect_pause + Millis(std::random_device()() % connect_jitter);
}

void NatsStore::begun(const SessionBegun& answer) {
  if (const Shared beginning = std::exchange(beginning_, nullptr)) beginning->done(answer);
}

/// Both at once.
void NatsStore::open() {
  beginning_->late = boot_now() + open_patience;
  const Millis age = observes_ ? default_age : beginning_->timeout;
  StreamConfig wanted{{}, "ballot: registers of namespace " + name_space_};
  wanted.window = std::max(shortest_window, 4 * age);
  wanted.replicas = settings_.replicas;
  const Join join([this, beginning = beginning_] {
    if (beginning == beginning_) on_opened();
  });
  const auto open_one = [&](Bucket& bucket, Answer& into) {
    bucket.open(wanted, observes_ ? Bucket::Missing::leave : Bucket::Missing::make,
                [beginning = beginning_, &into, end = join.part()](const Answer& found) {
                  into = found;
                  end();
                });
  };
  open_one(registers_, beginning_->registers);
  wanted.description = "ballot: sessions of namespace " + name_space_;
  wanted.max_age = wanted.window = age;
  open_one(sessions_, beginning_->sessions);
}

void NatsStore::on_opened() {
  for (const Answer* one : {&beginning_->registers, &beginning_->sessions})
    if (one->failed() && one->code != error::stream_not_found)
      return one->status < 500 ? refused(one->text) : unknown(one->text);
  const Answer& sessions = beginning_->sessions;
  max_age_ = sessions.failed() ? default_age : millis_at(sessions.content, "config", "max_age");
  sweep_.set_max_age(max_age_);
  if (observes_) return on_ready();
  self_test(client_, registers_.name(), [this, beginning = beginning_](const SelfTest& found) {
    if (beginning == beginning_) on_tried(found);
  });
}

void NatsStore::on_tried(const SelfTest& found) {
  const auto of_all = [&](int doubled) { return std::to_string(doubled) + " of " + std::to_string(found.rounds); };
  if (found.is_full) return full(registers_);
  if (found.rounds == 0)
    return unknown("the servers answer, but what is published to stream " + stream_of(registers_.name()) +
                   " is not acknowledged: " + found.why + ": look at `nats stream info`");
  if (found.ours_doubled > 0)
    return refused("two updates of one version were both done, in " + of_all(found.ours_doubled) +
                   " trials: these servers cannot keep what is decided");
  if (found.plain_doubled > 0 && tried_.rounds == 0)
    outlet_.host().log(Level::warn, "plain updates are not atomic on these servers (" + of_all(found.plain_doubled) +
                                        " pairs were both done): ballot's own carry message ids, which are");
  tried_ = found;
  on_ready();
}

/// The feeds are read from now on; an observer may come before anybody else.
void NatsStore::on_ready() {
  stage_ = Stage::ready;
  const Millis heartbeat = std::clamp<Millis>(max_age_ / 10, 200ms, 1s);
  for (Bucket* bucket : {&sessions_, &registers_}) bucket->feed().start(heartbeat, observes_);
  if (observes_) return later([this] { begun({SessionBegun::How::begun, "observer"}); });
  const auto entered = [this, beginning = beginning_](bool passed) {
    if (beginning != beginning_) return;
    passed ? enter() : unknown("the bucket of sessions cannot be read");
  };
  sessions_.feed().after_barrier(entered, beginning_->late);
}

void NatsStore::full(const Bucket& bucket) {
  begun({SessionBegun::How::full, {}, {}, Millis(0), no_space_in(stream_of(bucket.name()))});
}

/// A session is looked for, or begins, behind a barrier.
void NatsStore::enter() {
  const auto& resumed = beginning_->resumed;
  if (!resumed) session_.begin(random_word(12), patience_);
  if (resumed && !session_.resume(resumed->session, patience_)) return begun({SessionBegun::How::gone});
  begun({resumed ? SessionBegun::How::resumed : SessionBegun::How::begun, session_.word(), {}, max_age_});
}

void NatsStore::bind(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  if (session_.is_over()) return later([done] { done({StoreResult::not_leader}); });
  session_.bind(key, value, std::move(done));
}

void NatsStore::renew(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  if (!session_.is_open()) return later([done] { done({StoreResult::not_leader}); });
  session_.renew(key, value, std::move(done));
}

void NatsStore::end(Done<KeyAnswer> done) {
  later([this, done] { session_.end(done); });
}

Bucket& NatsStore::bucket_of(const std::string& key) {
  return key.starts_with(session_prefix) ? sessions_ : registers_;
}
const Feed& NatsStore::feed_of(const std::string& key) const {
  return key.starts_with(session_prefix) ? sessions_.feed() : registers_.feed();
}

void NatsStore::commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) {
  if (changes.empty()) return later([done] { done({}); });
  const auto answers = std::make_shared<std::vector<KeyAnswer>>(changes.size());
  const Join join([answers, done = std::move(done)] { done(*answers); });
  for (std::size_t i = 0; i < changes.size(); ++i)
    write(std::move(changes[i]), [answers, i, end = join.part()](const KeyAnswer& answer) {
      (*answers)[i] = answer;
      end();
    });
}

/// What is removed and was not there is done.
void NatsStore::write(KeyChange change, Bucket::Done done) {
  if (change.guarded && !session_.is_open()) return later([done] { done({StoreResult::not_leader}); });
  Bucket& bucket = bucket_of(change.key);
  if (change.value) return bucket.write(std::move(change), Priority::normal, late(), std::move(done));
  if (bucket.feed().is_absent()) return later([done] { done({StoreResult::done}); });
  bucket.write(change, Priority::normal, late(),
               [this, key = change.key, done](const KeyAnswer& answer) { on_removed(key, answer, done); });
}

void NatsStore::on_removed(const std::string& key, const KeyAnswer& answer, const Bucket::Done& done) {
  Bucket& bucket = bucket_of(key);
  if (answer.outcome == StoreResult::done && &bucket == &registers_) sweep_.removed(key, answer.version);
  if (answer.outcome != StoreResult::conflict) return done(answer);
  const auto look = [&feed = bucket.feed(), key, done, answer](bool passed) {
    done(passed && feed.find(key) == nullptr ? KeyAnswer{StoreResult::done} : answer);
  };
  bucket.feed().after_barrier(look, late());
}

std::vector<KeyEntry> NatsStore::found_below(const std::string& prefix) const {
  std::vector<KeyEntry> found;
  const auto& entries = feed_of(prefix).entries();
  for (auto at = entries.lower_bound(prefix); at != entries.end() && at->first.starts_with(prefix); ++at)
    if (!at->second.marker) found.push_back(entry_of(at->first, at->second));
  return found;
}

void NatsStore::get(std::vector<std::string> keys, Done<KeyRead> done) {
  std::set<Bucket*> buckets;
  for (const std::string& key : keys) buckets.insert(&bucket_of(key));
  if (buckets.empty()) return later([done] { done({StoreResult::done}); });
  const auto all_passed = std::make_shared<bool>(true);
  const Join join([this, all_passed, keys = std::move(keys), done = std::move(done)] {
    if (!*all_passed) return done({StoreResult::unknown, {}, no_answer});
    KeyRead read{StoreResult::done};
    for (const std::string& key : keys)
      if (const Stored* const stored = feed_of(key).find(key)) read.entries.push_back(entry_of(key, *stored));
    done(read);
  });
  for (Bucket* bucket : buckets) {
    const auto on_passed = [all_passed, end = join.part()](bool passed) {
      *all_passed = *all_passed && passed;
      end();
    };
    bucket->feed().after_barrier(on_passed, late());
  }
}

void NatsStore::list(const std::string& prefix, Done<KeyRead> done) {
  const auto on_passed = [this, prefix, done](bool passed) {
    done(passed ? KeyRead{StoreResult::done, found_below(prefix)} : KeyRead{StoreResult::unknown, {}, no_answer});
  };
  bucket_of(prefix).feed().after_barrier(on_passed, late());
}

void NatsStore::follow(const std::string& prefix) {
  followed_.insert(prefix);
  later([this, prefix] {
    if (feed_of(prefix).is_live()) listener_.on_listed(prefix, found_below(prefix));
  });
}

void NatsStore::watch(const std::string& prefix) {
  watched_.insert(prefix);
  touched_.insert(prefix);
}

void NatsStore::on_filled(const Feed& feed) {
  if (&feed == &registers_.feed()) sweep_.filled();
  for (const std::string& prefix : followed_)
    if (&feed_of(prefix) == &feed) listener_.on_listed(prefix, found_below(prefix));
  for (const std::string& prefix : watched_)
    if (&feed_of(prefix) == &feed) touched_.insert(prefix);
}

void NatsStore::on_change(const Feed&, const std::string& key, const Stored& stored) {
  for (const std::string& prefix : followed_)
    if (key.starts_with(prefix))
      stored.marker ? listener_.on_removed(key) : listener_.on_written(entry_of(key, stored));
  for (const std::string& prefix : watched_)
    if (key.starts_with(prefix)) touched_.insert(prefix);
}

void NatsStore::on_disagreement(const Feed&, const std::string& text) {
  if (boot_now() - warned_at_ < warn_pause) return;
  warned_at_ = boot_now();
  outlet_.host().log(Level::warn, text);
}

/// Versions that the core has read may now be those of other messages.
void NatsStore::on_renumbered(const Feed&) {
  for (Bucket* bucket : {&sessions_, &registers_}) bucket->forget_versions();
  session_.give_up("the servers have renumbered what they store: all is read again");
}

void NatsStore::state(Done<StoreState> done) {
  const auto found = std::make_shared<std::pair<Answer, Answer>>();
  const Join join([this, found, done = std::move(done)] { done(state_of(found->first, found->second, tried_)); });
  const auto ask = [&](Bucket& bucket, Answer& into) {
    bucket.info([found, &into, end = join.part()](const Answer& answer) {
      into = answer;
      end();
    });
  };
  ask(registers_, found->first);
  ask(sessions_, found->second);
}

void NatsStore::on(Message& message) {
  if (client_.on(message)) return;
  switch (message.kind) {
    case Message::Kind::message: (void)(sessions_.feed().on(message) || registers_.feed().on(message)); return;
    case Message::Kind::connected: return on_connected();
    case Message::Kind::refused:
      leave();
      return refused("the servers refuse this user: " + message.to +
                     ": look at user, token, credentials, nkey and TLS in [nats]");
    case Message::Kind::failed:
      leave();
      return unknown("no server can be reached: " + settings_.access.servers.text() + ": " + message.to);
    case Message::Kind::denied: return denied(message.to);
    case Message::Kind::disconnected:
      outlet_.host().log(Level::info, "nats: the connection to a server is lost: " + message.to);
      return leave();
  }
}

void NatsStore::on_connected() {
  stage_ = Stage::connected;
  sessions_.feed().on_connected();
  registers_.feed().on_connected();
  if (beginning_) open();
  listener_.on_connected();
}

/// What is not permitted is not answered either: whoever begins need not wait for that.
void NatsStore::denied(const std::string& what) {
  const std::string text = "this user lacks a permission that is needed: " + what;
  if (beginning_) return refused(text);
  if (std::exchange(denied_, what) != what) outlet_.host().log(Level::error, "nats: " + text);
}

void NatsStore::run_later() {
  for (const auto& work : std::exchange(later_, {})) work();
  for (const std::string& prefix : std::exchange(touched_, {})) listener_.on_touched(prefix);
}

void NatsStore::receive() {
  if (abandoned_) return;
  for (Message& message : inbox_->take()) on(message);
  session_.tick(boot_now());
  run_later();
}

void NatsStore::tick(SteadyTime now) {
  if (abandoned_) return;
  client_.tick(now);
  for (Bucket* bucket : {&sessions_, &registers_}) bucket->feed().tick(now);
  session_.tick(now);
  sweep_.tick(now);
  if (connect_at_ && now >= *connect_at_) connect();
  if (beginning_ && !observes_ && sessions_.feed().is_full()) full(sessions_);
  if (beginning_ && now >= beginning_->late) unknown("no server answers in time: " + settings_.access.servers.text());
  run_later();
}

std::optional<SteadyTime> NatsStore::due() const {
  if (abandoned_) return std::nullopt;
  if (!later_.empty() || !touched_.empty()) return SteadyTime{};
  std::optional<SteadyTime> at = earliest(connect_at_, beginning_ ? std::optional(beginning_->late) : std::nullopt);
  for (const auto& other :
       {client_.due(), sessions_.feed().due(), registers_.feed().due(), session_.due(), sweep_.due()})
    at = earliest(at, other);
  return at;
}

}  // namespace ballot::nats
