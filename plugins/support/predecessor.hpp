// Predecessor: what whoever is about to lead a group must know of the terms before, in a store that keeps until when a
// session acts: whether this node's own term goes on, until when runs of others may, and when the last leader was
// alive. Knows nothing of how the store keeps it. Pure.
//
//   const auto before = predecessor(term, member, request.boot_id, boot_now());
//   post(backend::Elected{group, before.resumed ? epoch : epoch + 1, before.resumed, before.old_deadline, ...});
#pragma once

#include <optional>
#include <string>

#include "ballot/time.hpp"
#include "support/member.hpp"

namespace ballot::support {

/// The last term of a group.
struct LastTerm {
  /// The term ended by a resignation, or there never was one: nothing of it runs.
  bool clean = true;
  /// Of the terms before it that did not end cleanly: until when their runs may go on, by this boot's clock.
  std::optional<SteadyTime> earlier_until = {};
  /// The term is of this node's session before, on this boot, and may be resumed until then.
  std::optional<SteadyTime> resumable_until = {};
};

struct Predecessor {
  bool resumed = false;
  std::optional<SteadyTime> old_deadline = {};  // as in backend::Elected
  std::optional<WallTime> last_alive = {};      // of a term that begins
};

/// `member`: the session that led the term, where the store still knows it.
Predecessor predecessor(const LastTerm& term, const std::optional<MemberRecord>& member, const std::string& boot_id,
                        SteadyTime now);

}  // namespace ballot::support
