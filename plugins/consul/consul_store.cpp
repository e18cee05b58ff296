#include "consul_store.hpp"

#include <algorithm>
#include <memory>

#include "support/clock.hpp"
#include "support/join.hpp"
#include "support/keys/key_context.hpp"

namespace ballot::consul {

using support::KeyAnswer;

ConsulStore::ConsulStore(const Settings& settings, const std::string& token, const std::string& name_space,
                         Listener& listener, support::Outlet& outlet)
    : listener_(listener),
      paths_(settings.prefix + "/" + name_space + "/"),
      agent_(settings.http, outlet.wakeup(), token,
             [this] {
               for (Feed& feed : feeds_) feed.touch();
               listener_.on_connected();
             }),
      session_(agent_, paths_, name_space),
      keys_(agent_, paths_, session_.guard()),
      services_(agent_, session_, listener, outlet.host()) {}

/// While the timers run anew it is asked whether what is followed is complete.
void ConsulStore::renew(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  const auto timers = std::make_shared<KeyAnswer>();
  const support::Join join([this, timers, key, value, done = std::move(done)] {
    timers->outcome == StoreResult::done ? keys_.commit_now({key, value, {}, true}, done) : done(*timers);
  });
  for (Feed& feed : feeds_)
    if (feed.is_followed()) feed.check(join.part());
  session_.renew([timers, end = join.part()](const KeyAnswer& answer) {
    *timers = answer;
    end();
  });
}

void ConsulStore::follow(const std::string& prefix) {
  const Feed& feed = feeds_.emplace_back(agent_, paths_, prefix, Feed::Wants::contents, listener_);
  if (prefix == support::KeyNames::sessions && !session_.guard().key.empty())
    overdue_.emplace(agent_, keys_, session_, feed);
}

SteadyTime ConsulStore::observed_until() const {
  SteadyTime until = SteadyTime::max();
  for (const Feed& feed : feeds_)
    if (feed.is_followed()) until = std::min(until, feed.observed_until());
  return until;
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
