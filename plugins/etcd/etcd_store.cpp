#include "etcd_store.hpp"

#include <algorithm>
#include <utility>

namespace ballot::etcd {

using support::KeyAnswer;
using support::KeyChange;
using support::KeyRead;

EtcdStore::EtcdStore(Listener& listener, support::Outlet& outlet, const Place& place)
    : listener_(listener),
      keyspace_{place.root},
      gateway_(place.settings, place.password, outlet.wakeup()),
      reads_(gateway_, keyspace_),
      commits_(gateway_, keyspace_),
      feed_(gateway_, reads_, keyspace_, listener, outlet.host()),
      lease_(gateway_, keyspace_, feed_, outlet.host()),
      state_(gateway_) {}

void EtcdStore::begin(Millis timeout, const std::optional<support::Handle>& resumed, Done<support::SessionBegun> done) {
  lease_.begin(timeout, resumed, std::move(done));
}

void EtcdStore::bind(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  lease_.bind(key, value, std::move(done));
}

void EtcdStore::renew(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  lease_.renew(key, value, std::move(done));
}

void EtcdStore::end(Done<KeyAnswer> done) { lease_.end(std::move(done)); }

void EtcdStore::abandon() noexcept {
  abandoned_ = true;
  later_.clear();
  gateway_.abandon();
}

void EtcdStore::commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) {
  if (changes.empty()) return later_.push_back([done] { done({}); });
  commits_.add(std::move(changes), lease_.patience(), std::move(done));
}

void EtcdStore::get(std::vector<std::string> keys, Done<KeyRead> done) {
  if (keys.empty()) return later_.push_back([done] { done({StoreResult::done}); });
  reads_.get(keys, lease_.patience(), [done](const Reads::Found& found) { done(found.read); });
}

void EtcdStore::list(const std::string& prefix, Done<KeyRead> done) {
  const std::string from = keyspace_.root + prefix;
  reads_.list(from, end_of(from), lease_.patience(), [done](const Reads::Found& found) { done(found.read); });
}

void EtcdStore::receive() {
  if (abandoned_) return;
  for (auto later = std::exchange(later_, {}); !later.empty() && !abandoned_; later.pop_front()) later.front()();
  gateway_.receive();
  if (!abandoned_ && gateway_.take_reconnected()) listener_.on_connected();
}

void EtcdStore::tick(SteadyTime now) {
  if (abandoned_) return;
  feed_.tick(now);
  lease_.tick(now);
}

std::optional<SteadyTime> EtcdStore::due() const {
  if (abandoned_) return std::nullopt;
  if (!later_.empty()) return SteadyTime{};
  const auto feed = feed_.due(), lease = lease_.due();
  return feed && lease ? std::min(feed, lease) : feed ? feed : lease;
}

}  // namespace ballot::etcd
