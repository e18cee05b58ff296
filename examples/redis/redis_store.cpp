#include "redis_store.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "script.hpp"
#include "server_facts.hpp"
#include "support/clock.hpp"
#include "support/join.hpp"
#include "support/keys/key_batches.hpp"
#include "support/random_word.hpp"

namespace redis {

using namespace ballot;
using namespace ballot::support;

namespace {

constexpr std::size_t most_changes = 200, most_keys = 1000;  // of one script: no other client is served meanwhile
constexpr Millis shortest_pause{10}, failed_pause{200}, longest_wait{1000};

std::uint64_t number_of(std::string_view word) {
  std::uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

/// "VERSION VALUE"
KeyEntry entry_of(const std::string& key, const std::string& text) {
  return {key, text.substr(text.find(' ') + 1), number_of(text)};
}

StoreResult outcome_of(const std::string& word) {
  if (word == "done") return StoreResult::done;
  return word == "conflict" ? StoreResult::conflict : StoreResult::not_leader;
}

/// Of "OUTCOME", "VERSION" at that place.
KeyAnswer answer_of(const Reply& reply, std::size_t at = 0) {
  if (reply.outcome != StoreResult::done) return {reply.outcome, 0, reply.text};
  return {outcome_of(reply.words.at(at)), number_of(reply.words.at(at + 1)), {}};
}

KeyRead read_of(const Reply& reply) {
  KeyRead read{reply.outcome, {}, reply.text};
  for (std::size_t i = 0; i + 1 < reply.words.size(); i += 2)
    read.entries.push_back(entry_of(reply.words[i], reply.words[i + 1]));
  return read;
}

bool starts_with_one(const std::string& key, const std::set<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& one) { return key.starts_with(one); });
}

}  // namespace

RedisStore::RedisStore(Listener& listener, Outlet& outlet, const Settings& settings)
    : listener_(listener),
      outlet_(outlet),
      root_(settings.root),
      link_(settings.server, outlet.wakeup()),
      bell_(settings.server, outlet.wakeup()) {}

void RedisStore::ask(Words command, Link::Done done, Priority priority, std::size_t weight) {
  const auto on_reply = [this, done = std::move(done)](const Reply& reply) {
    if (abandoned_) return;
    const bool was_silent = std::exchange(silent_, reply.outcome == StoreResult::unknown);
    done(reply);
    if (was_silent && !silent_ && !abandoned_) listener_.on_connected();
  };
  link_.ask(std::move(command), on_reply, priority, weight);
}

void RedisStore::run(const Words& what, Link::Done done, Priority priority, std::size_t weight) {
  Words command{"EVAL", script, std::to_string(keys_of_script.size())};
  for (const char* key : keys_of_script) command.push_back(root_ + key);
  command.insert(command.end(), what.begin(), what.end());
  ask(std::move(command), std::move(done), priority, weight);
}

/// Who may not ask for the configuration may use the server all the same.
void RedisStore::look(std::function<void(const Reply& info, const std::string& appendfsync)> done) {
  const auto info = std::make_shared<Reply>();
  ask({"INFO"}, [info](const Reply& reply) { *info = reply; });
  ask({"CONFIG", "GET", "appendfsync"}, [info, done = std::move(done)](const Reply& reply) {
    done(*info, reply.words.size() == 2 ? reply.words[1] : "");
  });
}

void RedisStore::begin(Millis timeout, const std::optional<Handle>& resumed, Done<SessionBegun> done) {
  if (timeout > Millis(0)) patience_ = patience(timeout);
  link_.set_patience(patience_);
  bell_.set_patience(patience_ + longest_wait);
  look([this, timeout, resumed, done = std::move(done)](const Reply& info, const std::string& appendfsync) {
    if (info.outcome == StoreResult::failed)
      return done(not_begun(info.outcome, "the server refuses this user: " + info.text + ": look at [redis] auth"));
    if (info.outcome != StoreResult::done) return done(not_begun(info.outcome, info.text));
    const ServerFacts facts(info.words.at(0), appendfsync);
    if (const std::string why = facts.refusal(); !why.empty()) return done(not_begun(StoreResult::failed, why));
    if (timeout == Millis(0)) return done({SessionBegun::How::begun, "observer"});
    for (const std::string& one : facts.state().warnings) outlet_.host().log(Level::warn, "redis: " + one);
    enter(timeout, resumed, done);
  });
}

/// Nobody has given that word before, nor will again, also where the server has forgotten everything.
void RedisStore::enter(Millis timeout, const std::optional<Handle>& resumed, Done<SessionBegun> done) {
  session_ = resumed ? resumed->session : random_word(12);
  const Words what = resumed ? Words{"resume", session_} : Words{"begin", session_, std::to_string(timeout.count())};
  run(what, [this, done](const Reply& reply) {
    using How = SessionBegun::How;
    if (reply.outcome != StoreResult::done) return done(not_begun(reply.outcome, reply.text));
    const std::string& word = reply.words.at(0);
    clock_ = WallTime(Millis(number_of(reply.words.at(2))));
    done({word == "begun"     ? How::begun
          : word == "resumed" ? How::resumed
                              : How::gone,
          session_,
          {},
          Millis(number_of(reply.words.at(1))),
          {}});
  });
}

void RedisStore::bind(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  run({"bind", session_, key, value}, [done](const Reply& reply) { done(answer_of(reply)); });
}

bool RedisStore::keep(Done<KeyAnswer> done) {
  run(
      {"keep", session_}, [done](const Reply& reply) { done(answer_of(reply)); }, Priority::urgent);
  return true;
}

/// A session that goes on for T is of no use where its node does not know what others have done meanwhile: so the
/// answer waits for a poll that is sent after the renewal.
void RedisStore::renew(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  const auto answer = std::make_shared<KeyAnswer>();
  const auto on_reply = [this, answer](const Reply& reply) {
    *answer = answer_of(reply);
    if (reply.words.size() == 3) clock_ = WallTime(Millis(number_of(reply.words[2])));
  };
  run({"renew", session_, key, value}, on_reply, Priority::urgent);
  poll([answer, done = std::move(done)] { done(*answer); });
}

void RedisStore::end(Done<KeyAnswer> done) {
  run({"finish", session_}, [done](const Reply& reply) { done(answer_of(reply)); });
}

void RedisStore::commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) {
  const auto all = std::make_shared<std::vector<KeyAnswer>>(changes.size());
  const Join join([all, done = std::move(done)] { done(*all); });
  for (std::size_t begin = 0; begin < changes.size(); begin += most_changes) {
    const auto first = changes.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(most_changes, changes.size() - begin));
    commit_some({first, last}, [all, begin, end = join.part()](const std::vector<KeyAnswer>& some) {
      std::copy(some.begin(), some.end(), all->begin() + static_cast<std::ptrdiff_t>(begin));
      end();
    });
  }
}

void RedisStore::commit_some(const std::vector<KeyChange>& changes, Done<std::vector<KeyAnswer>> done) {
  Words what{"commit", session_};
  for (const KeyChange& one : changes)
    what.insert(what.end(), {one.key, one.value ? "put" : "remove", one.value.value_or(""),
                             one.version ? std::to_string(*one.version) : "", one.guarded ? "1" : "", one.term_key,
                             std::to_string(one.term_version)});
  const auto on_reply = [size = changes.size(), done = std::move(done)](const Reply& reply) {
    std::vector<KeyAnswer> answers;
    for (std::size_t i = 0; i < size; ++i) answers.push_back(answer_of(reply, 2 * i));
    done(answers);
  };
  run(what, on_reply, Priority::normal, changes.size());
}

void RedisStore::get(std::vector<std::string> keys, Done<KeyRead> done) {
  const auto get_some = [this](std::vector<std::string> some, Done<KeyRead> on_some) {
    some.insert(some.begin(), "get");
    run(some, [on_some](const Reply& reply) { on_some(read_of(reply)); });
  };
  get_in_parts(keys, most_keys, get_some, std::move(done));
}

void RedisStore::list(const std::string& prefix, Done<KeyRead> done) {
  run({"list", prefix}, [done](const Reply& reply) { done(read_of(reply)); });
}

void RedisStore::follow(const std::string& prefix) {
  followed_.insert(prefix);
  ++follows_;
  place_.clear();
  poll_at_ = boot_now();
}

/// Whoever watches may read as soon as it is told, and all that comes after the last place is reported.
void RedisStore::watch(const std::string& prefix) {
  watched_.insert(prefix);
  touched_.insert(prefix);
  if (place_.empty()) poll_at_ = boot_now();
}

void RedisStore::poll(std::function<void()> then) {
  Words what{"poll", place_};
  what.insert(what.end(), followed_.begin(), followed_.end());
  const auto on_reply = [this, sent = boot_now(), follows = follows_, then = std::move(then)](const Reply& reply) {
    if (reply.outcome != StoreResult::done) {
      place_.clear();
      poll_at_ = boot_now() + failed_pause;
    } else if (follows == follows_) {
      on_polled(reply.words);
      observed_until_ = std::max(observed_until_, sent);
    }
    if (then && !abandoned_) then();
  };
  run(what, on_reply, Priority::urgent);
  poll_at_.reset();
}

/// "all" or "changes", the log's last place, the time until a session may end; then keys and what they hold.
void RedisStore::on_polled(const Words& words) {
  place_ = words.at(1);
  const bool all = words.at(0) == "all";
  std::map<std::string, std::vector<KeyEntry>> listed;
  for (std::size_t i = 3; i + 1 < words.size(); i += 2) {
    const std::string &key = words[i], &text = words[i + 1];
    for (const std::string& prefix : watched_)
      if (key.starts_with(prefix)) touched_.insert(prefix);
    for (const std::string& prefix : followed_)
      if (all && key.starts_with(prefix)) listed[prefix].push_back(entry_of(key, text));
    if (all || !starts_with_one(key, followed_)) continue;
    text.empty() ? listener_.on_removed(key) : listener_.on_written(entry_of(key, text));
  }
  if (all) {
    for (const std::string& prefix : followed_) listener_.on_listed(prefix, listed[prefix]);
    touched_ = watched_;
  }
  hang_bell(Millis(number_of(words.at(2))));
}

void RedisStore::hang_bell(Millis wait) {
  if (bell_hangs_ || (followed_.empty() && watched_.empty())) return;
  bell_hangs_ = true;
  wait = std::clamp<Millis>(wait, Millis(1), longest_wait);
  const std::string place = place_ + "-0";
  bell_.ask({"XREAD", "COUNT", "1", "BLOCK", std::to_string(wait.count()), "STREAMS", root_ + "log", place},
            [this](const Reply& reply) {
              bell_hangs_ = false;
              poll_at_ = boot_now() + (reply.outcome == StoreResult::done ? shortest_pause : failed_pause);
            });
}

void RedisStore::state(Done<StoreState> done) {
  look([done](const Reply& info, const std::string& appendfsync) {
    done(info.words.empty() ? StoreState{} : ServerFacts(info.words.front(), appendfsync).state());
  });
}

void RedisStore::receive() {
  if (abandoned_) return;
  link_.receive();
  bell_.receive();
}

void RedisStore::tick(SteadyTime now) {
  if (abandoned_) return;
  link_.tick(now);
  bell_.tick(now);
  if (poll_at_ && now >= *poll_at_) poll();
  for (const std::string& prefix : std::exchange(touched_, {}))
    if (!abandoned_) listener_.on_touched(prefix);
}

std::optional<SteadyTime> RedisStore::due() const {
  if (abandoned_) return std::nullopt;
  if (!touched_.empty()) return SteadyTime{};
  return earliest(poll_at_, earliest(link_.due(), bell_.due()));
}

}  // namespace redis
