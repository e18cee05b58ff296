// Evidence: what a test has in hand when it is over, for the checker to judge.
//
//   Evidence evidence;
//   evidence.jobs = jobs_in(folder / "jobs.d");
//   evidence.ledgers = {read_ledger("n1", one / "state/history.db"), read_ledger("n2", two / "state/history.db")};
//   evidence.reports = oracle.reports();
//   evidence.from = ..., evidence.until = ...;   // all slots between are settled by now
//   EXPECT_EQ(check(evidence), Findings{});
#pragma once

#include <string>
#include <vector>

#include "schedule/definition.hpp"
#include "support/judge/deed.hpp"
#include "support/judge/merged_ledger.hpp"
#include "support/judge/report.hpp"
#include "support/judge/stall_watch.hpp"

namespace ballot::testing {

/// A definition, and the slots at which it was in force for certain, both included. A job that was edited has one for
/// each version; between them, and outside, a slot may have a disposition and need not.
struct InForce {
  schedule::DefinitionPtr definition;
  WallTime from = WallTime::min(), until = WallTime::max();
  std::vector<WallTime> anchors{};  // one for each `@every`
  bool probed = true;               // its command is a probe, so that its runs report themselves
};

/// What this node recorded up to then is gone: slots that nobody knows of are `lost: evidence_lost`.
struct LostDisk {
  std::string node;
  WallTime until{};
};

struct Evidence {
  std::vector<InForce> jobs;
  std::vector<NodeLedger> ledgers;
  std::vector<Report> reports;
  WallTime from{}, until{};  // the slots that must be accounted for, both included
  std::vector<LostDisk> lost_disks{};
  std::vector<RunId> triggered{};     // runs that were reported to a command as claimed
  std::vector<std::string> damage{};  // of other databases: integrity_of()
  bool exclusive = true;              // false: the backend is `unique only`, its terms may overlap
  std::vector<Deed> deeds{};          // all that was done to the nodes; where there is none, all goes well
  std::vector<Stall> stalls{};        // of the machine; where there is none, nothing is late by it
  Millis timeout{2000};               // of a session, at most
  WallTime asked = WallTime::max();   // when the ledgers were read; without it all deadlines have passed
};

/// The definitions of a folder of job files, probed where the command is a probe's. Throws what is wrong with them.
std::vector<InForce> jobs_in(const std::string& jobs_dir);

/// A node's history.db. The daemon is stopped, or was asked to flush.
NodeLedger read_ledger(const std::string& node, const std::string& path);

/// What `PRAGMA integrity_check` finds in an SQLite file; nothing where it is sound.
std::vector<std::string> integrity_of(const std::string& path);

}  // namespace ballot::testing
