#include "etcd_store.hpp"

#include <utility>

#include "support/clock.hpp"

namespace ballot::etcd {

using support::KeyAnswer;
using support::KeyChange;
using support::KeyRead;
using support::KeysThere;

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
  gateway_.abandon();
}

void EtcdStore::commit(std::vector<KeyChange> changes, Done<std::vector<KeyAnswer>> done) {
  commits_.add(std::move(changes), lease_.patience(), std::move(done));
}

void EtcdStore::get(std::vector<std::string> keys, Done<KeyRead> done) {
  reads_.get(keys, lease_.patience(), std::move(done));
}

void EtcdStore::list(const std::string& prefix, Done<KeyRead> done) {
  const std::string from = keyspace_.root + prefix;
  reads_.list(from, end_of(from), lease_.patience(), [done](const Reads::Found& found) { done(found.read); });
}

bool EtcdStore::name_keys(const std::string& prefix, std::size_t most, Done<KeysThere> done) {
  const std::string from = keyspace_.root + prefix;
  reads_.name(from, end_of(from), most, lease_.patience(), std::move(done));
  return true;
}

void EtcdStore::receive() {
  if (abandoned_) return;
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
  return support::earliest(feed_.due(), lease_.due());
}

}  // namespace ballot::etcd
