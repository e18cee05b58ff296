// NameRival: another session is open under this node's name: is its daemon in the way, or to be waited out? A dead
// daemon's session stays open until the store ends it; only one that is seen to renew itself, twice, lives: one renewal
// may have been on its way when its daemon died. Knows nothing of the store. Pure.
//
//   switch (rival.see(record, version)) { case Verdict::waits: ... read again in T/8; }
//
//   | seen                                                                 | verdict        |
//   | -------------------------------------------------------------------- | -------------- |
//   | a session for the first time                                         | arrived        |
//   | the one that this node left without being sure, for a second time    | left_behind    |
//   | one whose entry has changed twice, and is none of this process       | lives          |
//   | any other                                                            | waits          |
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ballot/backend.hpp"
#include "support/member.hpp"

namespace ballot::support {

class NameRival {
 public:
  enum class Verdict { arrived, waits, lives, left_behind };

  /// `self`: whose name it is; outlives this. `left_behind`: the session that this node had before, where it may be
  /// open.
  NameRival(const SessionRequest& self, std::string left_behind);

  /// As it is now. `record`: what it publishes of itself, with its session. `version`: of that entry, other with each
  /// renewal.
  Verdict see(const MemberRecord& record, std::int64_t version);

  /// For people: that it is waited for.
  std::string waiting_text(const MemberRecord& record) const;

 private:
  struct Seen {
    std::string session;
    std::int64_t version = 0;
    int reads = 0, renewals = 0;
  };
  bool is_self(const MemberRecord& record) const;

  const SessionRequest& self_;
  const std::string left_behind_;
  std::optional<Seen> seen_;
};

}  // namespace ballot::support
