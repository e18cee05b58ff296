#include "overdue.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "support/clock.hpp"
#include "transaction.hpp"

namespace ballot::consul {

namespace {

constexpr std::size_t most_watched = 2;

/// Clocks of two hosts differ by less in the time of a session.
Millis allowance(Millis timeout) { return std::max(timeout / 20, Millis(100)); }

}  // namespace

/// What one look has found.
struct Overdue::Look {
  SteadyTime asked{};
  Seen seen = {};
  Millis timeout{0};
  std::string session = {};
  std::size_t open = 2;
};

Overdue::Overdue(Agent& agent, const KeyPaths& paths, const Session& session, Names names)
    : agent_(agent), paths_(paths), session_(session), names_(std::move(names)), look_at_(support::boot_now()) {}

void Overdue::tick(SteadyTime now) {
  if (now < *look_at_) return;
  look_at_ = now + session_.timeout() / 10;
  std::vector<std::string> names = names_();
  std::sort(names.begin(), names.end());
  const auto own = std::find(names.begin(), names.end(), session_.guard().key);
  if (own == names.end()) return;
  std::rotate(names.begin(), own, names.end());
  names.erase(names.begin());
  if (names.size() > most_watched) names.resize(most_watched);
  std::erase_if(seen_,
                [&](const auto& one) { return std::find(names.begin(), names.end(), one.first) == names.end(); });
  for (const std::string& name : names) look_at(name, now);
}

void Overdue::look_at(const std::string& key, SteadyTime asked) {
  const auto look = std::make_shared<Look>(Look{asked});
  const auto ask = [&](const std::string& of, auto take) {
    agent_.call({"GET", "/v1/kv/" + in_url(paths_.path(of)) + "?consistent", {}, session_.patience()},
                [this, key, look, take](const Reply& reply) {
                  const auto json = reply.json();
                  const auto& entries = http::array_of(json);
                  if (reply.is(Reply::Meaning::done) && !entries.empty()) take(*look, entries.front());
                  if (--look->open == 0) consider(key, *look);
                });
  };
  ask(key, [](Look& found, const http::json::value& entry) {
    found.seen.session = http::number_at(entry, "ModifyIndex");
    found.timeout = Millis(static_cast<std::int64_t>(http::number_at(entry, "Flags")));
    found.session = http::text_at(entry, "Session");
  });
  ask("m/" + key.substr(bound_keys.size()),
      [](Look& found, const http::json::value& entry) { found.seen.member = http::number_at(entry, "ModifyIndex"); });
}

void Overdue::consider(const std::string& key, const Look& look) {
  if (look.seen.session == 0 || look.seen.member == 0 || look.timeout <= Millis(0)) return;
  Seen& seen = seen_[key];
  if (seen.session != look.seen.session || seen.member != look.seen.member) {
    seen = look.seen;
    seen.since = look.asked;
  } else if (look.asked >= seen.since + look.timeout + allowance(look.timeout)) {
    end(key, look);
  }
}

void Overdue::end(const std::string& key, const Look& look) {
  const std::string path = paths_.path(key), member = paths_.path("m/" + key.substr(bound_keys.size()));
  const std::string body = "[" + operation("check-index", path, index_field(look.seen.session)) + "," +
                           operation("check-index", member, index_field(look.seen.member)) + "," +
                           operation("delete", path) + "]";
  agent_.call({"PUT", "/v1/txn", body, session_.patience()}, [this, session = look.session](const Reply& reply) {
    if (reply.is(Reply::Meaning::done))
      agent_.call({"PUT", "/v1/session/destroy/" + session, {}, session_.patience()}, [](const Reply&) {});
  });
}

}  // namespace ballot::consul
