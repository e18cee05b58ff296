// What `ballot show` prints of a job, as text for people and as JSON for programs.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/history/row_document.hpp"
#include "app/print/local_times.hpp"
#include "config/jobs_dir.hpp"
#include "library/held/pauses.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::app {

/// All that is shown of a job.
struct ShownJob {
  std::string name, description, group;
  std::optional<std::string> leader;  // "": nobody leads it; none: it is not known who does
  std::string state;                  // a word; "": it is not known
  std::string state_text;             // with what is known of it
  std::vector<library::Pause> pauses;
  std::string backfill;                   // that goes on, in words; "": none that is known
  std::optional<config::JobPlace> place;  // none: no file defines it
  std::string refused, refused_since;     // the first error of that file as it is now; "": it is in force so
  std::string timezone, calendars, digest;
  std::vector<std::string> after, before;  // the jobs that it comes after, and those that come after it,
  std::vector<std::string> further;        // and after these, the nearest first
  std::vector<std::string> trigger_env;    // variables that a trigger may give
  std::string after_status;                // how the first must have ended; "" where there are none
  std::string expects;                     // what it is expected to keep; "": nothing
  std::optional<WallTime> overdue_since;   // no run has succeeded in time, as was noticed then
  bool is_slow = false;                    // a run goes on for longer than expected
  std::vector<WallTime> next;
  std::string definition;                // as its file has it
  std::optional<std::vector<Row>> rows;  // none: the ledger cannot be read
  std::set<RowKey> of_store;             // those of them that the store alone shows
  std::vector<library::MissingNode> missing;
};

void print_text(const ShownJob& job, const LocalTimes& times);
/// `ledger`: the one that the rows are of; null: there is none.
void print_json(const ShownJob& job, const library::LedgerView* ledger);

}  // namespace ballot::app
