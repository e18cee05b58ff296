#include "consul_store.hpp"

#include <algorithm>
#include <memory>

#include "support/clock.hpp"
#include "support/keys/key_context.hpp"

namespace ballot::consul {

using support::KeyAnswer;

ConsulStore::ConsulStore(const Settings& settings, const std::string& token, const std::string& name_space,
                         Listener& listener, support::Outlet& outlet)
    : listener_(listener),
      paths_(settings.prefix + "/" + name_space + "/"),
      agent_(settings.http, outlet.wakeup(), token, [this] { on_connected(); }),
      session_(agent_, paths_, name_space),
      keys_(agent_, paths_, session_.guard()),
      services_(agent_, session_, listener, outlet.host()) {}

/// While the timers run anew it is asked whether what is followed is complete.
void ConsulStore::renew(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  struct Renewal {
    std::size_t open = 1;
    KeyAnswer timers = {};
  };
  const auto renewal = std::make_shared<Renewal>();
  const auto arrived = [this, renewal, key, value, done = std::move(done)] {
    if (--renewal->open > 0) return;
    if (renewal->timers.outcome != StoreResult::done) return done(renewal->timers);
    keys_.commit_now({key, value, {}, true}, done);
  };
  for (Feed& feed : feeds_) {
    if (!feed.is_followed()) continue;
    ++renewal->open;
    feed.check(arrived);
  }
  session_.renew([renewal, arrived](const KeyAnswer& answer) {
    renewal->timers = answer;
    arrived();
  });
}

void ConsulStore::end(Done<KeyAnswer> done) {
  services_.finish([this, done = std::move(done)] { session_.end(done); });
}

Feed& ConsulStore::add_feed(const std::string& prefix, Feed::Wants wants) {
  Feed& feed = feeds_.emplace_back(agent_, paths_, prefix, wants, listener_);
  feed.start();
  return feed;
}

void ConsulStore::follow(const std::string& prefix) {
  const Feed& feed = add_feed(prefix, Feed::Wants::contents);
  if (prefix == support::KeyNames::sessions && !session_.guard().key.empty())
    overdue_.emplace(agent_, keys_, session_, [&feed] { return feed.keys(); });
}

SteadyTime ConsulStore::observed_until() const {
  SteadyTime until = SteadyTime::max();
  for (const Feed& feed : feeds_)
    if (feed.is_followed()) until = std::min(until, feed.observed_until());
  return until;
}

void ConsulStore::on_connected() {
  for (Feed& feed : feeds_)
    if (!feed.is_followed()) feed.touch();
  listener_.on_connected();
}

void ConsulStore::tick(SteadyTime now) {
  for (Feed& feed : feeds_) feed.tick(now);
  if (overdue_) overdue_->tick(now);
  services_.tick(now);
}

std::optional<SteadyTime> ConsulStore::due() const {
  std::optional<SteadyTime> at = services_.due();
  for (const Feed& feed : feeds_) at = support::earliest(at, feed.due());
  return overdue_ ? support::earliest(at, overdue_->due()) : at;
}

}  // namespace ballot::consul
