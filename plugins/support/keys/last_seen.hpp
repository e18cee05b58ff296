// LastSeen: what the last leaders of groups said of themselves when they renewed themselves last, read once for each
// session, however many groups it led. Used on the plugin's thread only.
//
//   last_seen.ask(term.node, term.session, [this](const std::optional<MemberRecord>& member) { ... });
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/keys/key_context.hpp"
#include "support/member.hpp"

namespace ballot::support {

class LastSeen {
 public:
  /// None: the store does not know.
  using Found = std::function<void(const std::optional<MemberRecord>& member)>;

  explicit LastSeen(KeyStore& store) : store_(store) {}

  /// Of a session that is over. Answered at once where it is known, also from within.
  void ask(const std::string& node, const std::string& session, Found found);
  /// What this node's session before published, until this one overwrote it.
  void keep(const MemberRecord& before) { known_[before.session] = before; }

 private:
  static constexpr std::size_t most = 64;

  void answer(const std::string& session, const std::optional<MemberRecord>& member);

  KeyStore& store_;
  std::map<std::string, std::optional<MemberRecord>> known_;  // by session
  std::map<std::string, std::vector<Found>> asked_;           // by session
};

}  // namespace ballot::support
