#include "overdue.hpp"

#include <algorithm>
#include <vector>

#include "support/clock.hpp"
#include "support/keys/key_context.hpp"
#include "support/texts.hpp"

namespace ballot::consul {

using support::KeyEntry;
using support::KeyNames;

namespace {

constexpr std::size_t most_watched = 2;

/// Clocks of two hosts differ by less in the time of a session.
Millis allowance(Millis timeout) { return std::max(timeout / 20, Millis(100)); }

}  // namespace

void Overdue::tick(SteadyTime now) {
  if (now < look_at_) return;
  look_at_ = now + session_.timeout() / 10;
  std::vector<std::string> names = sessions_.keys();
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

/// What was committed before the first answer was sent before it; what is not yet when this was asked for is not.
void Overdue::look_at(const std::string& key, SteadyTime asked) {
  const std::string node = key.substr(std::string_view(KeyNames::sessions).size());
  keys_.get({key, KeyNames::member(node)}, [this, asked](const support::KeyRead& read) {
    if (read.entries.size() != 2) return;
    const KeyEntry &session = read.entries[0], &member = read.entries[1];
    const auto record = support::parse_member(member.value);
    if (!record || record->timeout <= Millis(0)) return;
    Seen& seen = seen_[session.key];
    if (seen.session != session.version || seen.member != member.version)
      seen = {session.version, member.version, support::boot_now()};
    else if (asked >= seen.since + record->timeout + allowance(record->timeout))
      end(session, member);
  });
}

void Overdue::end(const KeyEntry& session, const KeyEntry& member) {
  keys_.commit_now({session.key, {}, session.version, true, member.key, member.version},
                   [this, session](const support::KeyAnswer& answer) {
                     if (answer.outcome != StoreResult::done) return;
                     agent_.put("/v1/session/destroy/" + session.value, {}, [](const Reply&) {});
                   });
}

}  // namespace ballot::consul
