// WhyInAFleet: what a node of three is asked about a job that another one leads.
#pragma once

#include <string>
#include <vector>

#include "base/wall_text.hpp"
#include "library/why/why_answer.hpp"
#include "unit/fleet/fleet_of_three.hpp"

namespace ballot::library {

/// Of job `backup`, which host-2 leads, asked of host-1 an hour after noon.
struct WhyInAFleet : Fleet3 {
  WhyInAFleet() {
    facts.slot.job = "backup";
    facts.slot.group = "nightly";
    facts.slot.now = noon + std::chrono::hours(1);
    facts.slot.node = "host-1";
    facts.slot.leader = "host-2";
    facts.slot.state = "active";
    facts.job.to_come = attempts_to_come({});
    facts.is_whole = true;
  }
  /// What host-2 says of the job to who asks it for evidence.
  void leader_says(const io::Message& more, const std::vector<Row>& rows = {}) {
    io::Message state = io::Message().set("job", std::string("backup")).set("state", std::string("active"));
    for (const auto& [key, value] : more.fields()) state.set(key, value);
    lie("host-2", "evidence", io::Message().set("rows", to_messages(rows)).set("states", std::vector{state}));
  }
  std::string why(LedgerView& ledger, WhyAsked asked = {"backup"}) const {
    const auto answer = explain_asked(ledger, asked, facts);
    if (!answer) return answer.error().what;
    if (!*answer) return "what is known is not all";
    const std::string slot = (*answer)->slot ? format_slot(*(*answer)->slot) + " " : "";
    return slot + ((*answer)->rows.empty() ? (*answer)->word : library::said((*answer)->rows.front())) + ": " +
           (*answer)->text;
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  WhyFacts facts;
};

}  // namespace ballot::library
