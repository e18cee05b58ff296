// WhyAnswer: what became of a slot or a run, and why: by the rows of a ledger where it has some, else by what is known
// of the job beside ledgers. Which slot is meant is found out here too: of the ledger, or of the job's schedule. The
// daemon answers by it, and a command where no daemon runs.
//
// Threads: the one that reads the ledger. Nothing of a definition is kept in the facts, so that these may come from
// another thread.
//
//   WhyFacts facts = facts_by_files(asked, jobs.set(), "host-1", now);
//   facts.is_whole = true;
//   const auto answer = explain_asked(ledger, asked, facts);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/job_set.hpp"
#include "io/message.hpp"
#include "library/held/stored_states.hpp"
#include "library/history/ledger_view.hpp"
#include "library/why/why_detail.hpp"
#include "library/why/why_nothing.hpp"

namespace ballot::library {

/// A run, or the job's last slot up to a time: up to now unless said.
struct WhyAsked {
  std::string job;
  std::optional<RunId> run = {};
  std::optional<WallTime> at = {};
};

/// What is known of a job beside ledgers.
struct WhyFacts {
  UnrecordedSlot slot;                     // all but which slot it is, and which ledgers were asked
  std::optional<WallTime> scheduled = {};  // the last slot of its schedule up to the time
  std::optional<Millis> every = {};        // the shortest `@every` of that schedule
  std::vector<WallTime> waiting = {};      // slots that are due and wait, where this node leads it
  std::vector<Row> in_question = {};       // open runs of which this node, as its leader, knows nothing
  bool is_known = true;                    // there is such a job, whatever ledgers say
  KnownJob job = {};
  std::string zone = "UTC";
  bool is_whole = false;  // what only the store and other nodes know is among them
};

struct WhyAnswer {
  std::string job;
  std::optional<WallTime> slot = {};
  std::string word;            // where no row says what became of it
  std::string text;            // sentences
  std::vector<Row> rows = {};  // last attempt first
  std::optional<std::int64_t> next_attempt = {};
  std::string zone = "UTC";                // the job's
  std::vector<io::Message> upstream = {};  // see shown_upstream()
};

/// As job files say it. `self`: this node's name.
WhyFacts facts_by_files(const WhyAsked& asked, const config::JobSet& set, const std::string& self, WallTime now);

/// Of a job that another node leads, or nobody.
void note_stored(const StoredState& stored, UnrecordedSlot& slot);

/// Of rows of runs that have not ended.
AttemptToCome attempts_to_come(const std::vector<Row>& open);

/// None: no row says it, and the facts are not whole. Errors: those of the ledger; as not_known().
Result<std::optional<WhyAnswer>> explain_asked(LedgerView& ledger, const WhyAsked& asked, const WhyFacts& facts);

/// {"ask": "why"} and its answer, as a command asks a daemon; the rows come with it, each with whether it is
/// `evidence`.
io::Message to_message(const WhyAsked& asked);
io::Message to_message(const WhyAnswer& answer, const LedgerView& ledger);
WhyAnswer why_answer_from(const io::Message& message, std::vector<Row> rows);
/// The same in public form.
io::Message shown(const WhyAnswer& answer, const std::string& group, const LedgerView& ledger);

}  // namespace ballot::library
