// MemberRecord: what a node's session says of itself in a store, so that the others know who it is and until when its
// terms last. Knows nothing of how it is written. Pure.
//
//   MemberRecord record = member_of(request);  record.deadline = asked + timeout;  ...
//   describe(record, candidate);               // as an election shows it
#pragma once

#include <string>

#include "ballot/backend.hpp"

namespace ballot::support {

/// A node's session, as it renewed itself last. Stays when the session is over.
struct MemberRecord {
  std::string session;
  std::string node, machine_id, boot_id, host, version, control;  // node: see member_name()
  int pid = 0;
  Millis timeout{0};
  SteadyTime deadline{};  // on the boot clock of `boot_id`: its terms end by then, unless it renews
  WallTime renewed{};
  bool ended = false;  // by its own wish: all its terms ended cleanly
};

/// All that is known before the session is open; `request.node` is a member name already.
MemberRecord member_of(const SessionRequest& request);

/// All of a candidate that its session published.
void describe(const MemberRecord& member, Candidate& candidate);

}  // namespace ballot::support
