// TermInquiry: what whoever is about to lead a group in a store of queues must know of the terms before: which sessions
// whose terms did not end cleanly are still open, as what they started may go on, and when the last leader was alive.
// Knows nothing of queues. Used on the plugin's thread only.
//
//   inquire(store, record, self, before, [](const Step& step, TermFacts facts) { ... });
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/queue_store.hpp"
#include "support/texts.hpp"

namespace ballot::support {

struct TermFacts {
  std::vector<SessionOf> unfinished;   // open sessions whose terms did not end cleanly
  std::optional<WallTime> last_alive;  // of the last leader
};

/// `session`: our own, which is not asked about. `before`: what this node's session before published of itself, until
/// this one overwrote it. `done` is called once, with the last step that was not done.
void inquire(QueueStore& store, const TermRecord& term, const std::string& session,
             const std::optional<MemberRecord>& before, std::function<void(const Step&, TermFacts)> done);

}  // namespace ballot::support
