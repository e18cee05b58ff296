#include "consul_store.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "store_facts.hpp"

namespace ballot::consul {

using support::KeyAnswer;
using support::KeyChange;

namespace {

std::unique_ptr<http::Client> make_client(const Settings& settings, support::Outlet& outlet) {
  auto client = http::Client::make(settings.http, outlet.wakeup());
  if (!client) throw std::runtime_error(client.error().what);
  return std::move(*client);
}

}  // namespace

ConsulStore::ConsulStore(const Settings& settings, const std::string& token, const std::string& name_space,
                         Listener& listener, support::Outlet& outlet)
    : listener_(listener),
      paths_(settings.prefix + "/" + name_space + "/"),
      agent_(make_client(settings, outlet), token, [this] { on_connected(); }),
      session_(agent_, paths_, name_space),
      reads_(agent_, paths_),
      commits_(agent_, paths_, session_),
      services_(agent_, session_, listener, outlet.host()) {}

void ConsulStore::begin(Millis timeout, const std::optional<support::Handle>& resumed,
                        Done<support::SessionBegun> done) {
  if (timeout > Millis(0)) services_.start();
  session_.begin(timeout, resumed, std::move(done));
}

void ConsulStore::bind(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  session_.bind(key, value, std::move(done));
}

/// While the timers run anew it is asked whether what is followed is complete.
void ConsulStore::renew(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  struct Renewal {
    std::size_t open;
    KeyAnswer timers = {};
  };
  const auto renewal = std::make_shared<Renewal>(Renewal{feeds_.size() + 1});
  const auto arrived = [this, renewal, key, value, done = std::move(done)] {
    if (--renewal->open > 0) return;
    if (renewal->timers.outcome != StoreResult::done) return done(renewal->timers);
    commits_.commit_now({key, value, {}, true}, done);
  };
  for (const auto& feed : feeds_) feed->check(arrived);
  session_.renew([renewal, arrived](const KeyAnswer& answer) {
    renewal->timers = answer;
    arrived();
  });
}

void ConsulStore::end(Done<KeyAnswer> done) {
  services_.finish([this, done = std::move(done)] { session_.end(done); });
}

void ConsulStore::commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) {
  commits_.commit(std::move(changes), std::move(done));
}

void ConsulStore::get(std::vector<std::string> keys, Done<support::KeyRead> done) {
  if (keys.empty()) return agent_.later([done = std::move(done)] { done({StoreResult::done}); });
  reads_.get(std::move(keys), session_.patience(), std::move(done));
}

void ConsulStore::list(const std::string& prefix, Done<support::KeyRead> done) {
  reads_.list(prefix, session_.patience(), std::move(done));
}

void ConsulStore::follow(const std::string& prefix) {
  feeds_.push_back(std::make_unique<Feed>(agent_, paths_, prefix, listener_, session_.patience()));
  feeds_.back()->start();
  if (feeds_.size() == 1) services_.report_all();
  if (prefix == bound_keys && !session_.guard().key.empty())
    overdue_.emplace(agent_, paths_, session_, [feed = feeds_.back().get()] { return feed->keys(); });
}

void ConsulStore::watch(const std::string& prefix) {
  watches_.push_back(std::make_unique<Watch>(agent_, paths_, prefix, listener_, session_.patience()));
  watches_.back()->start();
}

SteadyTime ConsulStore::observed_until() const {
  SteadyTime until = SteadyTime::max();
  for (const auto& feed : feeds_) until = std::min(until, feed->observed_until());
  return until;
}

void ConsulStore::on_connected() {
  for (const auto& watch : watches_) watch->report();
  listener_.on_connected();
}

void ConsulStore::state(Done<StoreState> done) { ask_facts(agent_, session_.patience(), std::move(done)); }

void ConsulStore::tick(SteadyTime now) {
  for (const auto& feed : feeds_) feed->tick(now);
  for (const auto& watch : watches_) watch->tick(now);
  if (overdue_) overdue_->tick(now);
  services_.tick(now);
}

std::optional<SteadyTime> ConsulStore::due() const {
  std::optional<SteadyTime> at;
  const auto also = [&](std::optional<SteadyTime> other) {
    if (other && (!at || *other < *at)) at = other;
  };
  if (agent_.has_work()) at = SteadyTime{};
  for (const auto& feed : feeds_) also(feed->due());
  for (const auto& watch : watches_) also(watch->due());
  if (overdue_) also(overdue_->due());
  also(services_.due());
  return at;
}

}  // namespace ballot::consul
