#include "session.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "support/clock.hpp"
#include "support/join.hpp"
#include "support/keys/key_context.hpp"
#include "support/random_word.hpp"

namespace ballot::consul {

using support::Handle;
using support::KeyAnswer;
using support::SessionBegun;
using How = SessionBegun::How;
using Meaning = Reply::Meaning;

namespace {

constexpr Millis shortest_ttl{10'000};  // that Consul takes for its own timer
constexpr const char* service_name = "ballot";
constexpr const char* forgotten_after = "1m";  // a check that is not passed any more: the least that Consul takes

std::string in_ms(Millis time) { return std::to_string(time.count()) + "ms"; }

SessionBegun not_begun(const Reply& reply) {
  const bool odd = reply.is(Meaning::done) || reply.is(Meaning::absent);
  const std::string text = odd ? "no Consul answers so: look at [consul] address" : reply.text();
  return support::not_begun(odd ? StoreResult::failed : outcome_of(reply), text);
}

}  // namespace

Session::Session(Agent& agent, const KeyPaths& paths, std::string name_space)
    : agent_(agent), paths_(paths), name_space_(std::move(name_space)) {}

void Session::begin(Millis timeout, const std::optional<Handle>& resumed, Done<SessionBegun> done) {
  if (timeout == Millis(0)) return probe(std::move(done));
  timeout_ = timeout;
  agent_.set_patience(support::KeyStore::patience(timeout));
  if (resumed) return resume(*resumed, std::move(done));
  if (check_.empty()) check_ = "ballot-" + name_space_ + "-" + support::random_word(6);
  const std::string body = R"({"ID":")" + check_ + R"(","Name":")" + service_name + R"(","Meta":{"namespace":")" +
                           name_space_ + R"("},"Check":{"CheckID":")" + check_ +
                           R"(","Name":"ballot is alive","Status":"passing","TTL":")" + in_ms(timeout_) +
                           R"(","DeregisterCriticalServiceAfter":")" + forgotten_after + R"("}})";
  const SteadyTime until = support::boot_now() + agent_.patience();
  agent_.put("/v1/agent/service/register", body, [this, until, done = std::move(done)](const Reply& reply) {
    reply.is(Meaning::done) ? create(until, done) : done(not_begun(reply));
  });
}

/// A list shows nothing to a token that may not read; a single key is refused with the reason.
void Session::probe(Done<SessionBegun> done) {
  agent_.get("/v1/kv/" + in_url(paths_.root()) + "format?consistent", [done](const Reply& reply) {
    const bool reads = reply.index > 0 && (reply.is(Meaning::done) || reply.is(Meaning::absent));
    done(reads ? SessionBegun{How::begun, "observer", {}, {}, {}} : not_begun(reply));
  });
}

/// The check of a daemon that is dead is passed on its behalf; where another agent has it, it cannot be.
void Session::resume(const Handle& handle, Done<SessionBegun> done) {
  const auto colon = handle.secret.find(':');
  std::int64_t granted = 0;
  std::from_chars(handle.secret.data(), handle.secret.data() + std::min(colon, handle.secret.size()), granted);
  guard_ = {support::KeyNames::session(handle.node), handle.session};
  const auto resumed = [this, done = std::move(done)](const KeyAnswer& answer) {
    if (answer.outcome == StoreResult::done) return done({How::resumed, guard_.session, secret(), timeout_, {}});
    check_.clear();
    const bool gone = answer.outcome == StoreResult::not_leader;
    done(gone ? SessionBegun{How::gone} : support::not_begun(answer.outcome, answer.text));
  };
  if (colon == std::string::npos || granted <= 0) return give_up(resumed);
  check_ = handle.secret.substr(colon + 1);
  timeout_ = Millis(granted);
  agent_.set_patience(support::KeyStore::patience(timeout_));
  restart_timers(resumed);
}

/// The servers learn of the check a little after the agent.
void Session::create(SteadyTime until, const Done<SessionBegun>& done) {
  const Millis left = std::max(until - support::boot_now(), Millis(100));
  const std::string body = R"({"Name":"ballot )" + name_space_ + R"(","LockDelay":"0s","Behavior":"delete","TTL":")" +
                           in_ms(std::max(timeout_, shortest_ttl)) + R"(","NodeChecks":[],"ServiceChecks":[{"ID":")" +
                           check_ + R"("}]})";
  agent_.call({"PUT", "/v1/session/create", body, left}, [this, until, done](const Reply& reply) {
    guard_.session = http::text_at(reply.json, "ID");
    if (reply.is(Meaning::done) && !guard_.session.empty())
      return done({How::begun, guard_.session, secret(), timeout_, {}});
    const bool early = reply.says("Missing check") || reply.says("is in critical state");
    if (!early || support::boot_now() >= until) return done(not_begun(reply));
    agent_.put("/v1/agent/check/pass/" + check_, {}, [this, until, done](const Reply&) { create(until, done); });
  });
}

void Session::bind(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  guard_.key = key;
  const std::string fields = value_field(value, static_cast<std::uint64_t>(timeout_.count()));
  agent_.transact({operation("lock", paths_.path(key), fields + session_field(guard_.session))},
                  [done](const Reply& reply) {
                    if (reply.is(Meaning::done)) return done(support::committed(last_version(reply)));
                    if (!reply.is(Meaning::refused)) return done({outcome_of(reply), 0, reply.text()});
                    if (reply.says("invalid session")) return done({StoreResult::not_leader, 0, reply.text()});
                    if (reply.says("Permission denied"))
                      return done({StoreResult::failed, 0, Reply(Meaning::forbidden, reply.body).text()});
                    done({StoreResult::conflict, 0, {}});
                  });
}

/// Check and session are renewed at once; `done` is called when both are answered.
void Session::restart_timers(Done<KeyAnswer> done) {
  const auto timers = std::make_shared<std::pair<Reply, Reply>>();  // passed, renewed
  const support::Join join([this, timers, done = std::move(done)] { on_timers(timers->first, timers->second, done); });
  const auto into = [timers, &join](Reply& timer) {
    return [timers, &timer, end = join.part()](const Reply& reply) {
      timer = reply;
      end();
    };
  };
  const Millis time = agent_.patience() / 2;  // what is to be committed after it has the other half
  agent_.call({"PUT", "/v1/agent/check/pass/" + check_, {}, time}, into(timers->first));
  agent_.call({"PUT", "/v1/session/renew/" + guard_.session, {}, time}, into(timers->second));
}

/// An agent that has lost what it was told will have the servers forget the check, and with it the session.
void Session::on_timers(const Reply& passed, const Reply& renewed, const Done<KeyAnswer>& done) {
  if (renewed.is(Meaning::absent)) return done({StoreResult::not_leader, 0, renewed.text()});
  if (passed.says("does not have associated TTL")) return give_up(done);
  for (const Reply* reply : {&passed, &renewed})
    if (!reply->is(Meaning::done)) return done({outcome_of(*reply), 0, reply->text()});
  done({StoreResult::done, 0, {}});
}

/// Ends the session: its check is gone, so nobody can renew it.
void Session::give_up(Done<KeyAnswer> done) {
  end([done = std::move(done)](const KeyAnswer& answer) {
    if (answer.outcome != StoreResult::done) return done(answer);
    done({StoreResult::not_leader, 0, "the agent has forgotten the session's check"});
  });
}

/// A token that is refused says nothing of the session, which may be open: unknown.
void Session::renew(Done<KeyAnswer> done) {
  restart_timers([done = std::move(done)](KeyAnswer answer) {
    if (answer.outcome == StoreResult::failed) answer.outcome = StoreResult::unknown;
    done(answer);
  });
}

/// The session goes first: a check that is removed ends its session as if it were lost. The next one has a check of its
/// own: with this one it would keep open a session whose end was not heard of, and end when the check is removed late.
void Session::end(Done<KeyAnswer> done) {
  const auto on_destroyed = [this, check = std::exchange(check_, {}), done = std::move(done)](const Reply& reply) {
    const KeyAnswer answer{outcome_of(reply), 0, reply.text()};
    if (check.empty()) return done(answer);
    agent_.call({"PUT", "/v1/agent/service/deregister/" + check, {}, Millis(200)},
                [done, answer](const Reply&) { done(answer); });
  };
  agent_.put("/v1/session/destroy/" + guard_.session, {}, on_destroyed);
}

}  // namespace ballot::consul
