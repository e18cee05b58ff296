// WhyDetail: what applied to one row, beyond the rule: the run that was in the way, the step that failed, the term that
// had ended, and whether another attempt follows. From the ledger, and from what whoever asks knows of the job.
//
// Threads: the one that reads the ledger.
//
//   text += why_detail(row, ledger, job);
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "library/held/pauses.hpp"
#include "library/history/ledger_view.hpp"
#include "library/why/run_in_the_way.hpp"
#include "schedule/definition.hpp"

namespace ballot::library {

/// What the job's file says now, as far as a row's explanation goes by it.
struct JobFacts {
  std::optional<Millis> deadline;  // of an attempt; none: there is none
  int retries = 0;
  Millis retry_delay{0}, retry_max_delay{0};
  double retry_backoff = 1;
  bool is_at_most_once = false;
  std::vector<std::string> after{};  // jobs whose slots its own wait for,
  AfterStatus after_status = AfterStatus::succeeded;
  bool has_slots_of_first = false;  // and whose slots these are
  bool has_schedule = false;
  bool is_enabled = true;
  Millis start_deadline{0};
  schedule::Plan plan = {};
  Expectations expects = {};
  Millis jitter{0};
  std::string name = {}, group = {}, timezone = {};  // of the job, as
  std::vector<std::string> expressions = {};         // it is written, where calendars move its days
  Concurrency concurrency = Concurrency::skip;
  int queue_limit = 1;   // of `queue`: so many slots may wait
  int max_running = 16;  // of `allow`: so many of its runs may go on
};

/// What is known of a job of a chain, beside ledgers.
struct ChainJob {
  std::optional<JobFacts> facts;       // none: no job of its name is in force
  std::vector<Pause> pauses = {};      // that stand, where this node leads it
  std::optional<WallTime> since = {};  // slots at or before it are none, where that is known
};
using ChainJobs = std::map<std::string, ChainJob>;

/// What is known of a row's job: none where no file defines it.
struct KnownJob {
  std::optional<JobFacts> facts;
  AttemptToCome to_come;               // of its runs, and of those of jobs that it comes after
  std::optional<WallTime> now = {};    // an attempt that was to start before it has not
  bool store_is_silent = false;        // nothing starts while it is
  ChainJobs chain = {};                // see chain_jobs.hpp
  std::string digest = {};             // of its definition, as the file is now
  int group_max_running = 0;           // of its group; 0: there is no bound
  std::vector<WallTime> waiting = {};  // its slots that are due and wait, where that is known
  bool is_held = false;                // it is halted or paused, or moves: no other attempt starts before that is over
};

/// None: null.
std::optional<JobFacts> facts_of(const schedule::DefinitionPtr& definition);

/// One or more sentences, each after a space; "" where the rule says all.
std::string why_detail(const Row& row, LedgerView& ledger, const KnownJob& job);

/// Of a slot that was missed as it had waited for a run of which nothing was known: see lost_run.hpp. It says all that
/// its rule says. "": it had not, or a job of its chain was in the way.
std::string held_back_text(const Row& row, LedgerView& ledger, const KnownJob& job);

/// Of a run that waits for its attempt `next`: when that starts, by when the attempt before it ended, and how many are
/// left, by the job's file as it is now. "": the job has no retries.
std::string retry_text(const std::vector<Row>& rows, std::int64_t next, const KnownJob& job);

/// Whether another attempt follows the last row of a run, after a space; "" where that is no question. `next`: which
/// attempt is to come, where it is known that one is.
std::string what_follows(const Row& last, LedgerView& ledger, const std::optional<JobFacts>& job,
                         const std::optional<std::int64_t>& next);

}  // namespace ballot::library
