#include "overdue.hpp"

#include <algorithm>
#include <utility>

#include "support/clock.hpp"
#include "transaction.hpp"

namespace ballot::consul {

namespace {

constexpr std::size_t most_watched = 2;

/// Clocks of two hosts differ by less in the time of a session.
Millis allowance(Millis timeout) { return std::max(timeout / 20, Millis(100)); }

}  // namespace

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

/// It is refused where one of the two is not there.
void Overdue::look_at(const std::string& key, SteadyTime asked) {
  const std::vector<std::string> both{operation("get", paths_.path(key)), operation("get", member_path(key))};
  agent_.transact(both, [this, key, asked](const Reply& reply) {
    const auto json = reply.json();
    const auto& results = http::array_at(json, "Results");
    if (!reply.is(Reply::Meaning::done) || results.size() != 2) return;
    const auto& session = http::member_of(results[0], "KV");
    const auto timeout = static_cast<std::int64_t>(http::number_at(session, "Flags"));
    consider(key, std::string(http::text_at(session, "Session")), Millis(timeout), asked,
             {http::number_at(session, "ModifyIndex"), http::number_at(results[1], "KV", "ModifyIndex"),
              support::boot_now()});
  });
}

std::string Overdue::member_path(const std::string& key) const {
  return paths_.path("m/" + key.substr(bound_keys.size()));
}

/// What was committed before the first answer was sent before it; what is not yet when this was asked for is not.
void Overdue::consider(const std::string& key, const std::string& session, Millis timeout, SteadyTime asked,
                       const Seen& found) {
  if (timeout <= Millis(0)) return;
  Seen& seen = seen_[key];
  if (seen.session != found.session || seen.member != found.member)
    seen = found;
  else if (asked >= seen.since + timeout + allowance(timeout))
    end(key, session, seen);
}

void Overdue::end(const std::string& key, const std::string& session, const Seen& seen) {
  const std::string path = paths_.path(key);
  const std::vector<std::string> operations{operation("check-index", path, index_field(seen.session)),
                                            operation("check-index", member_path(key), index_field(seen.member)),
                                            operation("delete", path)};
  agent_.transact(operations, [this, session](const Reply& reply) {
    if (reply.is(Reply::Meaning::done)) agent_.put("/v1/session/destroy/" + session, {}, [](const Reply&) {});
  });
}

}  // namespace ballot::consul
