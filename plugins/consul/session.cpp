#include "session.hpp"

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

#include "support/clock.hpp"

namespace ballot::consul {

using support::Handle;
using support::KeyAnswer;
using support::SessionBegun;
using How = SessionBegun::How;
using Meaning = Reply::Meaning;

namespace {

constexpr const char* service_name = "ballot";
constexpr const char* forgotten_after = "1m";  // a check that is not passed any more: the least that Consul takes

std::string random_word() {
  std::random_device device;
  std::string word;
  for (int i = 0; i < 12; ++i) word += "0123456789abcdef"[device() % 16];
  return word;
}

std::string in_ms(Millis time) { return std::to_string(time.count()) + "ms"; }

bool is_refusal(const Reply& reply) { return reply.is(Meaning::forbidden) || reply.is(Meaning::failed); }

SessionBegun nothing_begun(const Reply& reply) {
  return {is_refusal(reply) ? How::refused : How::unknown, {}, {}, {}, reply.text()};
}

}  // namespace

/// A session that is being made: of one call of begin().
struct Session::Beginning {
  Done<SessionBegun> done;
  SteadyTime until{};
};

Session::Session(Agent& agent, const KeyPaths& paths, std::string name_space)
    : agent_(agent), paths_(paths), name_space_(std::move(name_space)) {}

void Session::begin(Millis timeout, const std::optional<Handle>& resumed, Done<SessionBegun> done) {
  if (timeout == Millis(0)) return probe(std::move(done));
  timeout_ = timeout;
  if (resumed) return resume(*resumed, std::move(done));
  const auto beginning = std::make_shared<Beginning>(Beginning{std::move(done), support::boot_now() + patience()});
  if (check_.empty()) check_ = "ballot-" + name_space_ + "-" + random_word();
  register_check(beginning);
}

/// Who may not read finds nothing in a list, and only here is told why.
void Session::probe(Done<SessionBegun> done) {
  agent_.call({"GET", "/v1/kv/" + in_url(paths_.root()) + "format?consistent", {}, patience()},
              [done](const Reply& reply) {
                const bool reads = reply.is(Meaning::done) || reply.is(Meaning::absent);
                done(reads ? SessionBegun{How::begun, "observer", {}, {}, {}} : nothing_begun(reply));
              });
}

/// The check of a daemon that is dead is passed on its behalf; where another agent has it, it cannot be.
void Session::resume(const Handle& handle, Done<SessionBegun> done) {
  const auto colon = handle.secret.find(':');
  std::int64_t granted = 0;
  std::from_chars(handle.secret.data(), handle.secret.data() + std::min(colon, handle.secret.size()), granted);
  if (colon == std::string::npos || granted <= 0)
    return agent_.later([done = std::move(done)] { done({How::gone, {}, {}, {}, {}}); });
  check_ = handle.secret.substr(colon + 1);
  timeout_ = Millis(granted);
  guard_ = {std::string(bound_keys) + handle.node, handle.session};
  restart_timers([this, done = std::move(done)](const Reply& passed, const Reply& renewed) {
    if (renewed.is(Meaning::absent) || passed.says("does not have associated TTL")) {
      check_.clear();
      if (renewed.is(Meaning::absent)) return done({How::gone, {}, {}, {}, {}});
      return agent_.call({"PUT", "/v1/session/destroy/" + guard_.session, {}, patience()}, [done](const Reply& reply) {
        done(reply.is(Meaning::done) ? SessionBegun{How::gone, {}, {}, {}, {}} : nothing_begun(reply));
      });
    }
    for (const Reply* reply : {&passed, &renewed})
      if (!reply->is(Meaning::done)) return done(nothing_begun(*reply));
    done({How::resumed, guard_.session, secret(), timeout_, {}});
  });
}

void Session::register_check(const std::shared_ptr<Beginning>& beginning) {
  const std::string body = R"({"ID":")" + check_ + R"(","Name":")" + service_name + R"(","Meta":{"namespace":")" +
                           name_space_ + R"("},"Check":{"CheckID":")" + check_ +
                           R"(","Name":"ballot is alive","Status":"passing","TTL":")" + in_ms(timeout_) +
                           R"(","DeregisterCriticalServiceAfter":")" + forgotten_after + R"("}})";
  agent_.call({"PUT", "/v1/agent/service/register", body, patience()}, [this, beginning](const Reply& reply) {
    reply.is(Meaning::done) ? create(beginning) : beginning->done(nothing_begun(reply));
  });
}

/// The servers learn of the check a little after the agent.
void Session::create(const std::shared_ptr<Beginning>& beginning) {
  const Millis left = std::max(beginning->until - support::boot_now(), Millis(100));
  const std::string body = R"({"Name":"ballot )" + name_space_ + R"(","LockDelay":"0s","Behavior":"delete","TTL":")" +
                           in_ms(std::max(timeout_, shortest_ttl)) + R"(","NodeChecks":[],"ServiceChecks":[{"ID":")" +
                           check_ + R"("}]})";
  agent_.call({"PUT", "/v1/session/create", body, left},
              [this, beginning](const Reply& reply) { on_created(beginning, reply); });
}

void Session::on_created(const std::shared_ptr<Beginning>& beginning, const Reply& reply) {
  if (reply.is(Meaning::done)) {
    const auto json = reply.json();
    guard_.session = http::text_at(json, "ID");
    return beginning->done({How::begun, guard_.session, secret(), timeout_, {}});
  }
  const bool early = reply.says("Missing check") || reply.says("is in critical state");
  if (!early || support::boot_now() >= beginning->until) return beginning->done(nothing_begun(reply));
  agent_.call({"PUT", "/v1/agent/check/pass/" + in_url(check_), {}, patience()},
              [this, beginning](const Reply&) { create(beginning); });
}

void Session::bind(const std::string& key, const std::string& value, Done<KeyAnswer> done) {
  guard_.key = key;
  const auto flags = static_cast<std::uint64_t>(timeout_.count());
  const std::string body =
      "[" + operation("lock", paths_.path(key), value_field(value, flags) + session_field(guard_.session)) + "]";
  agent_.call({"PUT", "/v1/txn", body, patience()}, [done](const Reply& reply) {
    if (reply.is(Meaning::done)) {
      const auto json = reply.json();
      const auto& results = http::array_at(json, "Results");
      return done({StoreResult::done, results.empty() ? 0 : http::number_at(results.front(), "KV", "ModifyIndex"), {}});
    }
    if (reply.is(Meaning::refused) && reply.says("invalid session"))
      return done({StoreResult::not_leader, 0, reply.text()});
    if (reply.is(Meaning::refused) && reply.says("Permission denied"))
      return done({StoreResult::failed, 0, Reply{Meaning::forbidden, reply.body}.text()});
    if (reply.is(Meaning::refused)) return done({StoreResult::conflict, 0, {}});
    done({is_refusal(reply) ? StoreResult::failed : StoreResult::unknown, 0, reply.text()});
  });
}

/// Both at once, and both are answered.
void Session::restart_timers(std::function<void(const Reply& passed, const Reply& renewed)> done) {
  struct Timers {
    std::optional<Reply> passed, renewed;
  };
  const auto timers = std::make_shared<Timers>();
  const auto arrived = [timers, done = std::move(done)] {
    if (timers->passed && timers->renewed) done(*timers->passed, *timers->renewed);
  };
  const Millis time = patience() / 2;  // what is to be committed after it has the other half
  agent_.call({"PUT", "/v1/agent/check/pass/" + in_url(check_), {}, time}, [timers, arrived](const Reply& reply) {
    timers->passed = reply;
    arrived();
  });
  agent_.call({"PUT", "/v1/session/renew/" + guard_.session, {}, time}, [timers, arrived](const Reply& reply) {
    timers->renewed = reply;
    arrived();
  });
}

void Session::renew(Done<KeyAnswer> done) {
  restart_timers(
      [this, done = std::move(done)](const Reply& passed, const Reply& renewed) { on_timers(passed, renewed, done); });
}

/// An agent that has lost what it was told will have the servers forget the check, and with it the session.
void Session::on_timers(const Reply& passed, const Reply& renewed, const Done<KeyAnswer>& done) {
  if (renewed.is(Meaning::absent)) return done({StoreResult::not_leader, 0, renewed.text()});
  if (passed.says("does not have associated TTL"))
    return end([done](const KeyAnswer& answer) {
      const bool over = answer.outcome == StoreResult::done;
      done({over ? StoreResult::not_leader : StoreResult::unknown, 0, "the agent has forgotten the session's check"});
    });
  for (const Reply* reply : {&passed, &renewed})
    if (!reply->is(Meaning::done)) return done({StoreResult::unknown, 0, reply->text()});
  done({StoreResult::done, 0, {}});
}

/// The check goes after it: by itself it would end the session too, as if it were lost.
void Session::end(Done<KeyAnswer> done) {
  agent_.call({"PUT", "/v1/session/destroy/" + guard_.session, {}, patience()}, [this, done](const Reply& reply) {
    const StoreResult outcome = reply.is(Meaning::done) ? StoreResult::done
                                : is_refusal(reply)     ? StoreResult::failed
                                                        : StoreResult::unknown;
    const KeyAnswer answer{outcome, 0, reply.text()};
    agent_.call({"PUT", "/v1/agent/service/deregister/" + in_url(check_), {}, Millis(200)},
                [done, answer](const Reply&) { done(answer); });
  });
}

}  // namespace ballot::consul
