#include "lease.hpp"

#include <algorithm>
#include <utility>

#include "support/clock.hpp"

namespace ballot::etcd {

using namespace std::chrono_literals;
using support::KeyAnswer;
using support::SessionBegun;

namespace {

constexpr Millis observe_patience = 200ms, least_left = 100ms;
constexpr const char* observer = "observer";

std::string lease_body(const std::string& lease) { return "{\"ID\":\"" + lease + "\"}"; }

SessionBegun not_begun(const Reply& reply) {
  if (reply.done()) return support::not_begun(StoreResult::failed, "no etcd answers so: look at [etcd] servers");
  if (reply.full) return {SessionBegun::How::full, {}, {}, {}, reply.text};
  return support::not_begun(outcome_of(reply), reply.text);
}

Millis granted(std::uint64_t seconds) {
  return std::chrono::seconds(std::min<std::uint64_t>(seconds, support::bounds::longest_session / 1s + 1));
}

SessionBegun begun_as(SessionBegun::How how, const std::string& lease, std::uint64_t seconds) {
  return {how, lease, {}, granted(seconds), {}};
}

}  // namespace

/// A lease is granted to anybody: whether this user may read is asked before.
void Lease::begin(Millis timeout, const std::optional<support::Handle>& resumed, Begun done) {
  if (timeout > 0ms) patience_ = support::KeyStore::patience(timeout);
  RangeRequest request{.from = keyspace_.root, .end = end_of(keyspace_.root), .limit = 1, .keys_only = true};
  gateway_.ask({"/v3/kv/range", range(request), Repeat::safe, patience_},
               [this, timeout, resumed, done = std::move(done)](const Reply& reply) {
                 if (!reply.done() || reply.revision() == 0) return done(not_begun(reply));
                 if (timeout > 0ms && gateway_.authenticates()) check_guard();
                 if (timeout == 0ms) return done(begun_as(SessionBegun::How::begun, observer, 0));
                 resumed ? resume(resumed->session, done) : grant(timeout, done);
               });
}

/// etcd 3.4.23 asks nobody who he is where a transaction is within another one.
void Lease::check_guard() {
  RangeRequest request{.from = keyspace_.root, .keys_only = true};
  Gateway::Call call{"/v3/kv/txn", txn({txn_op(txn({range_op(request)}))}), Repeat::safe, patience_};
  call.anonymous = true;
  gateway_.ask(std::move(call), [this](const Reply& reply) {
    if (reply.done())
      host_.log(Level::warn,
                "etcd: its servers let anybody past their authentication, by transactions within others: update them, "
                "or let them ask for certificates too (--client-cert-auth)");
  });
}

void Lease::grant(Millis timeout, Begun done) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(timeout).count();
  gateway_.ask({"/v3/lease/grant", "{\"TTL\":\"" + std::to_string(seconds) + "\"}", Repeat::safe, patience_},
               [this, done = std::move(done)](const Reply& reply) {
                 const std::string lease(http::text_at(reply.body, "ID"));
                 if (!reply.done() || lease.empty()) return done(not_begun(reply));
                 keyspace_.lease = lease;
                 keyspace_.bound.clear();
                 done(begun_as(SessionBegun::How::begun, lease, http::number_at(reply.body, "TTL")));
               });
}

/// The key that goes with it is what shows that it is open.
void Lease::resume(const std::string& lease, Begun done) {
  gateway_.ask({"/v3/lease/timetolive", "{\"ID\":\"" + lease + "\",\"keys\":true}", Repeat::safe, patience_},
               [this, lease, done](const Reply& reply) {
                 if (!reply.done()) return done(not_begun(reply));
                 const std::uint64_t seconds = http::number_at(reply.body, "grantedTTL");
                 if (seconds == 0) return done({SessionBegun::How::gone});
                 keyspace_.lease = lease;
                 keyspace_.bound.clear();
                 for (const http::json::value& one : http::array_at(reply.body, "keys")) {
                   const auto entry = entry_of({{"key", one}}, keyspace_.root);
                   if (entry) keyspace_.bound = entry->key;
                 }
                 patience_ = support::KeyStore::patience(granted(seconds));
                 done(begun_as(SessionBegun::How::resumed, lease, seconds));
               });
}

void Lease::bind(const std::string& key, const std::string& value, Done done) {
  gateway_.ask({"/v3/kv/txn", bind_txn(keyspace_, key, value), Repeat::never, patience_},
               [this, key, done](const Reply& reply) {
                 if (reply.kind == Reply::Kind::not_found) return done({StoreResult::not_leader});
                 if (!reply.done()) return done({outcome_of(reply), 0, reply.text});
                 if (!http::truth_at(reply.body, "succeeded")) return done({StoreResult::conflict});
                 done(support::committed(reply.revision()));
               });
  keyspace_.bound = key;
}

/// A lease that a server has not heard of yet counts as over: another one is soon granted.
void Lease::keep(Done done) {
  Gateway::Call call{"/v3/lease/keepalive", lease_body(keyspace_.lease), Repeat::safe, patience_};
  call.urgent = true;
  gateway_.ask(std::move(call), [done = std::move(done)](const Reply& reply) {
    if (!reply.done()) return done({outcome_of(reply), 0, reply.text});
    const bool found = http::number_at(http::at(reply.body, "result"), "TTL") > 0;
    done({found ? StoreResult::done : StoreResult::not_leader});
  });
}

void Lease::renew(const std::string& key, const std::string& value, Done done) {
  const auto renewal = std::make_shared<Renewal>(Renewal{key, value, std::move(done)});
  renewal->until = support::boot_now() + patience_;
  keep_alive(renewal);
}

void Lease::keep_alive(const Shared& renewal) {
  const Millis left = std::max<Millis>(renewal->until - support::boot_now(), least_left);
  Gateway::Call call{"/v3/lease/keepalive", lease_body(keyspace_.lease), Repeat::safe, left};
  call.urgent = true;
  gateway_.ask(std::move(call), [this, renewal](const Reply& reply) {
    if (!reply.done()) return renewal->done({outcome_of(reply), 0, reply.text});
    const http::json::value& result = http::at(reply.body, "result");
    renewal->found = http::number_at(result, "TTL") > 0;
    renewal->raft_term = http::number_at(result, "header", "raft_term");
    put(renewal);
  });
}

void Lease::put(const Shared& renewal) {
  std::vector<std::string> operations{put_op(keyspace_.root + renewal->key, renewal->value)};
  renewal->mark = ++last_mark_;
  renewal->put_sent = support::boot_now();
  if (const std::string mark_key = feed_.mark_key(); !mark_key.empty())
    operations.push_back(put_op(mark_key, keyspace_.lease + ' ' + std::to_string(renewal->mark), keyspace_.lease));
  feed_.expect(renewal->mark, renewal->put_sent);
  const Millis left = std::max<Millis>(renewal->until - renewal->put_sent, least_left);
  Gateway::Call call{"/v3/kv/txn", guarded_txn(keyspace_, operations), Repeat::safe, left};
  call.urgent = true;
  gateway_.ask(std::move(call), [this, renewal](const Reply& reply) { on_put(renewal, reply); });
}

/// A lease that a server does not find may be one that it has not heard of yet: the key decides.
void Lease::on_put(const Shared& renewal, const Reply& reply) {
  if (reply.kind == Reply::Kind::not_found) return renewal->done({StoreResult::not_leader});
  if (!reply.done()) return renewal->done({outcome_of(reply), 0, reply.text});
  if (!http::truth_at(reply.body, "succeeded")) return renewal->done({StoreResult::not_leader});
  if (!renewal->found)
    return renewal->done({StoreResult::unknown, 0, "the lease was not found, though its key is there"});
  if (reply.raft_term() != renewal->raft_term) {
    if (support::boot_now() + least_left < renewal->until) return keep_alive(renewal);
    return renewal->done({StoreResult::unknown, 0, "the servers have changed their leader meanwhile"});
  }
  renewal->answer = support::committed(reply.revision());
  if (renewal->answer.outcome != StoreResult::done) return renewal->done(renewal->answer);
  renewal->observe_until = std::min(support::boot_now() + observe_patience, renewal->until);
  feed_.committed(renewal->mark, support::boot_now() + patience_);
  observing_.push_back(renewal);
}

void Lease::end(Done done) {
  gateway_.ask({"/v3/lease/revoke", lease_body(keyspace_.lease), Repeat::safe, patience_}, [done](const Reply& reply) {
    if (reply.kind == Reply::Kind::not_found) return done({StoreResult::done});
    done({outcome_of(reply), 0, reply.text});
  });
}

void Lease::tick(SteadyTime now) {
  for (const Shared& one : std::exchange(observing_, {})) {
    if (feed_.is_streaming() && !feed_.has_seen(one->mark) && now < one->observe_until)
      observing_.push_back(one);
    else
      one->done(one->answer);
  }
}

std::optional<SteadyTime> Lease::due() const {
  std::optional<SteadyTime> at;
  for (const Shared& one : observing_) at = std::min(at.value_or(one->observe_until), one->observe_until);
  return at;
}

}  // namespace ballot::etcd
