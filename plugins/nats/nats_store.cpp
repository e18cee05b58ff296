#include "nats_store.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "state.hpp"
#include "subjects.hpp"
#include "support/clock.hpp"
#include "support/random_word.hpp"

namespace ballot::nats {

using namespace std::chrono_literals;

namespace {

constexpr Millis reach_patience = 2s, open_patience = 8s, connect_pause = 500ms, default_age = 10s;

}  // namespace

/// What is known of the buckets so far, of one begin().
struct NatsStore::Opening {
  std::uint64_t begun = 0;
  Bucket::Opened registers, sessions;
  int open = 2;
};

NatsStore::NatsStore(KeyStore::Listener& listener, Outlet& outlet, NatsPlace place)
    : listener_(listener),
      outlet_(outlet),
      place_(std::move(place)),
      inbox_(std::make_shared<Inbox>(outlet.wakeup())),
      client_(inbox_, place_.access),
      registers_feed_(client_, place_.bucket, *this),
      sessions_feed_(client_, place_.bucket + "-sessions", *this),
      registers_(client_, registers_feed_, place_.bucket),
      sessions_(client_, sessions_feed_, place_.bucket + "-sessions"),
      session_({registers_, sessions_, registers_feed_, sessions_feed_},
               [this](const std::string& why) {
                 if (!abandoned_) listener_.on_session_lost(why);
               }),
      tidy_(registers_, registers_feed_, shortest_window) {}

SteadyTime NatsStore::late() const { return boot_now() + patience_; }

void NatsStore::begin(Millis timeout, const std::optional<Handle>& resumed, Done<SessionBegun> done) {
  patience_ = timeout > 0ms ? patience(timeout) : reach_patience;
  client_.set_patience(patience_);
  ++begun_;
  observes_ = timeout == 0ms;
  beginning_ = Beginning{timeout, resumed, std::move(done), boot_now() + reach_patience};
  switch (stage_) {
    case Stage::apart: return connect();
    case Stage::connecting: return;
    case Stage::opening:
    case Stage::connected: return open();
    case Stage::ready: return on_ready();
  }
}

void NatsStore::connect() {
  connect_at_.reset();
  stage_ = Stage::apart;
  const auto secrets = read_secrets(place_.access);
  if (!secrets) {
    connect_at_ = boot_now() + connect_pause;
    return later([this, text = secrets.error().what] { not_begun(SessionBegun::How::refused, text); });
  }
  stage_ = Stage::connecting;
  // The library tries one server after the other, and blocks whoever publishes meanwhile.
  const Millis patience = beginning_ && !observes_ ? beginning_->timeout / 10 : max_age_ / 10;
  client_.connect(*secrets, observes_ ? 1s : std::clamp<Millis>(patience, 300ms, 1s));
}

void NatsStore::on_failed(const Message& message) {
  stage_ = Stage::apart;
  connect_at_ = boot_now() + connect_pause;
  if (message.refused)
    return not_begun(SessionBegun::How::refused, "the servers refuse this user: " + message.to +
                                                     ": look at user, token, credentials, nkey and TLS in [nats]");
  not_begun(SessionBegun::How::unknown,
            "no server can be reached: " + place_.access.servers_text() + ": " + message.to);
}

void NatsStore::not_begun(SessionBegun::How how, std::string text) {
  if (!beginning_) return;
  const auto done = std::move(beginning_->done);
  beginning_.reset();
  if (stage_ == Stage::opening) stage_ = Stage::connected;
  done({how, {}, {}, Millis(0), std::move(text)});
}

/// Both at once.
void NatsStore::open() {
  stage_ = Stage::opening;
  beginning_->late = boot_now() + open_patience;
  const auto opening = std::make_shared<Opening>(Opening{begun_, {}, {}});
  const auto missing = observes_ ? Bucket::Missing::leave : Bucket::Missing::make;
  const Millis age = observes_ ? default_age : beginning_->timeout;
  const auto open_one = [&](Bucket& bucket, StreamConfig wanted, auto fault, Bucket::Opened& into) {
    wanted.subject = all_subjects_of(bucket.name());
    const auto opened = [this, opening, &into](const Bucket::Opened& found) {
      into = found;
      if (--opening->open == 0) on_opened(opening);
    };
    bucket.open(
        wanted, missing, [wanted, fault](const StreamFacts& facts) { return fault(facts, wanted); }, opened);
  };
  StreamConfig registers;
  registers.description = "ballot: registers of namespace " + place_.name_space;
  registers.window = std::max(shortest_window, 4 * age);
  registers.replicas = place_.replicas;
  open_one(registers_, registers, fault_of_registers, opening->registers);
  StreamConfig sessions;
  sessions.description = "ballot: sessions of namespace " + place_.name_space;
  sessions.max_age = sessions.window = age;
  sessions.replicas = place_.replicas;
  open_one(sessions_, sessions, fault_of_sessions, opening->sessions);
}

void NatsStore::on_opened(const std::shared_ptr<Opening>& opening) {
  if (!beginning_ || opening->begun != begun_) return;
  using How = Bucket::Opened::How;
  for (const Bucket::Opened* one : {&opening->registers, &opening->sessions}) {
    if (one->how == How::refused) return not_begun(SessionBegun::How::refused, one->text);
    if (one->how == How::unknown) return not_begun(SessionBegun::How::unknown, one->text);
  }
  max_age_ = opening->sessions.how == How::open ? opening->sessions.facts.max_age : default_age;
  leases_.emplace(sessions_, max_age_);
  if (observes_) return on_ready();
  self_test(client_, place_.bucket, [this, opening](const SelfTest& found) {
    if (!beginning_ || opening->begun != begun_) return;
    if (found.how == SelfTest::How::unknown)
      return not_begun(SessionBegun::How::unknown, "the servers do not answer, or have no quorum");
    if (found.ours_doubled > 0)
      return not_begun(SessionBegun::How::refused, "two updates of one version were both done, in " +
                                                       std::to_string(found.ours_doubled) +
                                                       " of 30 trials: these servers cannot keep what is decided");
    if (found.plain_doubled > 0 && tried_.how == SelfTest::How::unknown)
      outlet_.host().log(Level::warn, "plain updates are not atomic on these servers (" +
                                          std::to_string(found.plain_doubled) +
                                          " of 30 pairs were both done): ballot's own carry message ids, which are");
    tried_ = found;
    on_ready();
  });
}

/// The feeds are read from now on; a session is looked for, or begins, behind a barrier.
void NatsStore::on_ready() {
  stage_ = Stage::ready;
  start(sessions_feed_);
  if (observes_) return later([this] { begun({SessionBegun::How::begun, "observer"}); });
  start(registers_feed_);
  sessions_feed_.after_barrier(
      [this, number = begun_](bool passed) {
        if (!beginning_ || number != begun_) return;
        if (!passed) return not_begun(SessionBegun::How::unknown, "the bucket of sessions cannot be read");
        const Millis timeout = max_age_;
        if (!beginning_->resumed) {
          session_.begin(random_word(12), patience_);
          return begun({SessionBegun::How::begun, session_.word(), {}, timeout});
        }
        if (!session_.resume(beginning_->resumed->session, patience_)) return begun({SessionBegun::How::gone});
        begun({SessionBegun::How::resumed, session_.word(), {}, timeout});
      },
      beginning_->late);
}

void NatsStore::begun(SessionBegun begun) {
  if (!beginning_) return;
  const auto done = std::move(beginning_->done);
  beginning_.reset();
  done(begun);
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

void NatsStore::abandon() noexcept {
  abandoned_ = true;
  beginning_.reset();
  later_.clear();
  client_.forget();
  registers_feed_.forget();
  sessions_feed_.forget();
  session_.forget();
}

/// An observer may come before anybody else.
void NatsStore::start(Feed& feed) {
  feed.start(std::clamp<Millis>(max_age_ / 10, 200ms, 1s), observes_ ? Feed::Absent::empty : Feed::Absent::unknown);
}

Feed& NatsStore::feed_of(const std::string& key) {
  return key.starts_with(session_prefix) ? sessions_feed_ : registers_feed_;
}
Bucket& NatsStore::bucket_of(const std::string& key) {
  return key.starts_with(session_prefix) ? sessions_ : registers_;
}

void NatsStore::commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) {
  struct Batch {
    Done<std::vector<KeyAnswer>> done;
    std::vector<KeyAnswer> answers;
    std::size_t open = 0;
  };
  if (changes.empty()) return later([done] { done({}); });
  const std::size_t size = changes.size();
  const auto batch = std::make_shared<Batch>(Batch{std::move(done), std::vector<KeyAnswer>(size), size});
  for (std::size_t i = 0; i < size; ++i)
    write(std::move(changes[i]), [batch, i](const KeyAnswer& answer) {
      batch->answers[i] = answer;
      if (--batch->open == 0) batch->done(batch->answers);
    });
}

/// What is removed and was not there is done.
void NatsStore::write(KeyChange change, Bucket::Done done) {
  if (change.guarded && !session_.is_open()) return later([done] { done({StoreResult::not_leader}); });
  const bool removes = !change.value;
  if (removes && feed_of(change.key).is_absent()) return later([done] { done({StoreResult::done}); });
  const std::string key = change.key;
  bucket_of(key).write(std::move(change), Priority::normal, late(),
                       [this, removes, key, done](const KeyAnswer& answer) {
                         if (!removes) return done(answer);
                         if (answer.outcome == StoreResult::done && &feed_of(key) == &registers_feed_)
                           tidy_.removed(key, answer.version);
                         if (answer.outcome != StoreResult::conflict) return done(answer);
                         feed_of(key).after_barrier(
                             [this, key, done, answer](bool passed) {
                               const auto& entries = feed_of(key).entries();
                               const auto entry = entries.find(key);
                               const bool gone = passed && (entry == entries.end() || entry->second.marker);
                               done(gone ? KeyAnswer{StoreResult::done} : answer);
                             },
                             late());
                       });
}

KeyRead NatsStore::found(const std::vector<std::string>& keys) const {
  KeyRead read{StoreResult::done};
  for (const std::string& key : keys) {
    const auto& entries = const_cast<NatsStore*>(this)->feed_of(key).entries();
    const auto entry = entries.find(key);
    if (entry != entries.end() && !entry->second.marker)
      read.entries.push_back({key, entry->second.value, entry->second.version});
  }
  return read;
}

KeyRead NatsStore::found_below(const std::string& prefix) const {
  KeyRead read{StoreResult::done};
  const auto& entries = const_cast<NatsStore*>(this)->feed_of(prefix).entries();
  for (auto entry = entries.lower_bound(prefix); entry != entries.end() && entry->first.starts_with(prefix); ++entry)
    if (!entry->second.marker) read.entries.push_back({entry->first, entry->second.value, entry->second.version});
  return read;
}

void NatsStore::get(std::vector<std::string> keys, Done<KeyRead> done) {
  std::set<Feed*> feeds;
  for (const std::string& key : keys) feeds.insert(&feed_of(key));
  if (feeds.empty()) return later([done] { done({StoreResult::done}); });
  struct Query {
    std::size_t open;
    bool passed = true;
  };
  const auto query = std::make_shared<Query>(Query{feeds.size()});
  for (Feed* feed : feeds) {
    start(*feed);
    feed->after_barrier(
        [this, query, keys, done](bool passed) {
          query->passed = query->passed && passed;
          if (--query->open > 0) return;
          done(query->passed ? found(keys) : KeyRead{StoreResult::unknown, {}, "the servers did not answer in time"});
        },
        late());
  }
}

void NatsStore::list(const std::string& prefix, Done<KeyRead> done) {
  Feed& feed = feed_of(prefix);
  start(feed);
  feed.after_barrier(
      [this, prefix, done](bool passed) {
        done(passed ? found_below(prefix) : KeyRead{StoreResult::unknown, {}, "the servers did not answer in time"});
      },
      late());
}

void NatsStore::follow(const std::string& prefix) {
  Feed& feed = feed_of(prefix);
  prefixes_.followed.insert(prefix);
  start(feed);
  if (feed.is_live()) later([this, &feed, prefix] { listed(feed, prefix); });
}

void NatsStore::watch(const std::string& prefix) {
  prefixes_.watched.insert(prefix);
  start(feed_of(prefix));
  prefixes_.touched.insert(prefix);
}

void NatsStore::listed(const Feed& feed, const std::string& prefix) {
  if (feed.is_live()) listener_.on_listed(prefix, found_below(prefix).entries);
}

void NatsStore::on_filled(const Feed& feed) {
  if (abandoned_) return;
  if (&feed == &sessions_feed_ && leases_) leases_->list(feed.entries());
  if (&feed == &registers_feed_) tidy_.filled();
  for (const std::string& prefix : prefixes_.followed)
    if (&feed_of(prefix) == &feed) listed(feed, prefix);
  for (const std::string& prefix : prefixes_.watched)
    if (&feed_of(prefix) == &feed) prefixes_.touched.insert(prefix);
}

void NatsStore::on_change(const Feed& feed, const std::string& key, const Stored& stored) {
  if (abandoned_) return;
  if (&feed == &sessions_feed_ && leases_) leases_->see(key, stored);
  for (const std::string& prefix : prefixes_.followed) {
    if (!key.starts_with(prefix)) continue;
    stored.marker ? listener_.on_removed(key) : listener_.on_written({key, stored.value, stored.version});
  }
  for (const std::string& prefix : prefixes_.watched)
    if (key.starts_with(prefix)) prefixes_.touched.insert(prefix);
}

void NatsStore::state(Done<StoreState> done) {
  const auto found = std::make_shared<std::pair<StreamFacts, StreamFacts>>();
  const auto open = std::make_shared<int>(2);
  const auto finish = [this, found, open, done] {
    if (--*open == 0) done(state_of(found->first, found->second, tried_));
  };
  registers_.facts([found, finish](const StreamFacts& facts) {
    found->first = facts;
    finish();
  });
  sessions_.facts([found, finish](const StreamFacts& facts) {
    found->second = facts;
    finish();
  });
}

void NatsStore::on(Message& message) {
  if (message.client != client_.id() || client_.on(message)) return;
  switch (message.kind) {
    case Message::Kind::message: (void)(sessions_feed_.on(message) || registers_feed_.on(message)); return;
    case Message::Kind::connected:
    case Message::Kind::reconnected: {
      const bool first = stage_ == Stage::connecting;
      if (first) stage_ = Stage::connected;
      sessions_feed_.on_connected();
      registers_feed_.on_connected();
      if (first && beginning_) open();
      listener_.on_connected();
      return;
    }
    case Message::Kind::failed: return on_failed(message);
    case Message::Kind::disconnected: return;
    case Message::Kind::closed:
      stage_ = Stage::apart;
      connect_at_ = boot_now() + connect_pause;
      return;
  }
}

void NatsStore::run_later() {
  for (const auto& work : std::exchange(later_, {}))
    if (!abandoned_) work();
  for (const std::string& prefix : std::exchange(prefixes_.touched, {}))
    if (!abandoned_) listener_.on_touched(prefix);
}

void NatsStore::receive() {
  for (Message& message : inbox_->take())
    if (!abandoned_) on(message);
  if (abandoned_) return;
  session_.tick(boot_now());
  run_later();
}

void NatsStore::tick(SteadyTime now) {
  if (abandoned_) return;
  client_.tick(now);
  sessions_feed_.tick(now);
  registers_feed_.tick(now);
  if (leases_ && sessions_feed_.is_live()) leases_->tick(now);
  session_.tick(now);
  tidy_.tick(now);
  if (connect_at_ && now >= *connect_at_) connect();
  if (beginning_ && now >= beginning_->late)
    not_begun(SessionBegun::How::unknown, "no server answers in time: " + place_.access.servers_text());
  if (!abandoned_) run_later();
}

std::optional<SteadyTime> NatsStore::due() const {
  if (abandoned_) return std::nullopt;
  if (!later_.empty() || !prefixes_.touched.empty()) return SteadyTime{};
  std::optional<SteadyTime> at = connect_at_;
  const auto earliest = [&](std::optional<SteadyTime> other) {
    if (other) at = at ? std::min(*at, *other) : other;
  };
  for (const auto& other : {client_.due(), sessions_feed_.due(), registers_feed_.due(), session_.due(), tidy_.due()})
    earliest(other);
  if (leases_ && sessions_feed_.is_live()) earliest(leases_->due());
  if (beginning_) earliest(beginning_->late);
  return at;
}

bool NatsStore::idle() const { return client_.idle() && session_.idle() && !beginning_ && later_.empty(); }

}  // namespace ballot::nats
