// LastSeen: whether the sessions of last leaders are over, and what they said of themselves when they renewed
// themselves last, read once for each session, however many groups it led. Used on the plugin's thread only.
//
//   last_seen.ask(term.node, term.session, [this](const LastSeen::Found& found) { if (found.is_over) ... });
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
  struct Found {
    bool is_over = false;                     // false: it is open, or the store does not answer
    std::optional<MemberRecord> member = {};  // of one that is over; none: the store does not know
  };
  using Done = std::function<void(const Found&)>;

  explicit LastSeen(KeyStore& store) : store_(store) {}

  /// Of a session that is not open as far as is reported: it may be over, or too new for that. Answered at once where
  /// it is known, also from within.
  void ask(const std::string& node, const std::string& session, Done done);
  /// Keeps the record of this node's session before, until this one overwrote it.
  void keep(const MemberRecord& before) { known_[before.session] = before; }

 private:
  static constexpr std::size_t most = 64;

  static Found judge(const std::string& node, const std::string& session, const KeyRead& read);
  void answer(const std::string& session, const Found& found);

  KeyStore& store_;
  std::map<std::string, std::optional<MemberRecord>> known_;  // by session
  std::map<std::string, std::vector<Done>> asked_;            // by session
};

}  // namespace ballot::support
