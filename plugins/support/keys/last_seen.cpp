#include "support/keys/last_seen.hpp"

#include <utility>

#include "support/texts.hpp"

namespace ballot::support {

void LastSeen::ask(const std::string& node, const std::string& session, Done done) {
  if (const auto known = known_.find(session); known != known_.end()) return done({true, known->second});
  auto& waiting = asked_[session];
  waiting.push_back(std::move(done));
  if (waiting.size() > 1) return;
  store_.get({KeyNames::session(node), KeyNames::member(node)},
             [this, node, session](const KeyRead& read) { answer(session, judge(node, session, read)); });
}

/// Both keys are read at one moment; a session that is over stays so.
LastSeen::Found LastSeen::judge(const std::string& node, const std::string& session, const KeyRead& read) {
  Found found{read.outcome == StoreResult::done, {}};
  for (const KeyEntry& entry : read.entries) {
    if (entry.key == KeyNames::session(node)) found.is_over = found.is_over && entry.value != session;
    if (entry.key == KeyNames::member(node)) found.member = parse_member(entry.value);
  }
  if (!found.is_over || (found.member && found.member->session != session)) found.member.reset();
  return found;
}

void LastSeen::answer(const std::string& session, const Found& found) {
  if (found.is_over) {
    if (known_.size() >= most) known_.erase(known_.begin());
    known_[session] = found.member;
  }
  const auto all = std::move(asked_[session]);
  asked_.erase(session);
  for (const Done& one : all) one(found);
}

}  // namespace ballot::support
