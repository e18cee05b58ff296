// Texts: what a session writes into a store beside registers, as readable text that people and other versions can
// read: what a node's session published of itself, a group's last term, a candidate. Whoever reads it trusts nothing of
// it. Pure.
//
//   store.set(path, format(MemberRecord{...}));   ... if (const auto member = parse_member(text)) ...
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/time.hpp"
#include "support/member.hpp"

namespace ballot::support {

/// A line a field.
std::string format(const MemberRecord& record);
/// None: not one, or empty.
std::optional<MemberRecord> parse_member(std::string_view text);

/// A node's session.
struct SessionOf {
  std::string node, session;
  bool operator==(const SessionOf&) const = default;
};

/// A group's last term.
struct TermRecord {
  std::uint64_t epoch = 0;  // 0: there was none
  std::string session, node, boot_id;
  bool clean = false;  // it ended by a resignation
  /// Of terms before it that did not end cleanly, those whose sessions were open when it began: what they started may
  /// go on for T from then. At most `most_before`, the latest.
  std::vector<SessionOf> before = {};

  static constexpr std::size_t most_before = 8;
};
std::string format(const TermRecord& record);
TermRecord parse_term(std::string_view text);
/// Of the term after that of `last`. After the largest that is read it is 1: nobody counts so far, so a hand has
/// written it, and a larger one would be read by nobody. The group halts then, as an epoch has gone back, until it is
/// repaired.
std::uint64_t next_epoch(std::uint64_t last);

/// A candidate: "NODE SINCE".
struct CandidateText {
  std::string node;
  WallTime since{};
};
std::string format(const CandidateText& text);
/// None: not one.
std::optional<CandidateText> parse_candidate(std::string_view text);

}  // namespace ballot::support
