#include "support/keys/last_seen.hpp"

#include <utility>

#include "support/texts.hpp"

namespace ballot::support {

void LastSeen::ask(const std::string& node, const std::string& session, Found found) {
  if (const auto known = known_.find(session); known != known_.end()) return found(known->second);
  auto& waiting = asked_[session];
  waiting.push_back(std::move(found));
  if (waiting.size() > 1) return;
  store_.get({KeyNames::member(node)}, [this, session](const KeyRead& read) {
    std::optional<MemberRecord> member;
    if (!read.entries.empty()) member = parse_member(read.entries.front().value);
    if (member && member->session != session) member.reset();
    answer(session, member);
  });
}

void LastSeen::answer(const std::string& session, const std::optional<MemberRecord>& member) {
  if (known_.size() >= most) known_.erase(known_.begin());
  known_[session] = member;
  const auto all = std::move(asked_[session]);
  asked_.erase(session);
  for (const Found& one : all) one(member);
}

}  // namespace ballot::support
