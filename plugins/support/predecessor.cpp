#include "support/predecessor.hpp"

#include <algorithm>

namespace ballot::support {

/// A term that ends cleanly within T of a killed daemon's before it leaves runs of that one, which are reported. What
/// ran on another boot of the machine, or on another machine, is no concern of this clock.
Predecessor predecessor(const LastTerm& term, const std::optional<MemberRecord>& member, const std::string& boot_id,
                        SteadyTime now) {
  Predecessor before;
  if (term.earlier_until && *term.earlier_until > now) before.old_deadline = term.earlier_until;
  before.resumed = !term.clean && term.resumable_until && now < *term.resumable_until;
  if (before.resumed || !member) return before;
  before.last_alive = member->renewed;
  if (!term.clean && member->boot_id == boot_id)
    before.old_deadline = std::max(before.old_deadline.value_or(member->deadline), member->deadline);
  return before;
}

}  // namespace ballot::support
