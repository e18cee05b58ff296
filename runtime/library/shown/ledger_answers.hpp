// The questions of the ledger in public form: {"do": "ledger", "form": "shown", "ask": the call, its arguments}. The
// arguments are those of a storage::Filter (see history/ledger_wire.hpp) but for `after`, instead of which there is
// `cursor`; times are milliseconds since 1970.
//
//   ask      | answers with
//   history  | `rows`, newest first, and the cursor `next`, null on the last page; with `states` also what nodes say of
//            | the jobs that they lead
//   strips   | `strips`: of each of `jobs` the last attempts' `rows` of the `last` slots, newest first; of all times
//            | unless `since` or `until` says one
//   usual    | `usual`: how long the runs of each of `jobs` take as a rule: see history/usual_time.hpp
//   run      | a run, of `run`, its id or its last 6 or more digits: its last attempt's row, and `attempts`
//   summary  | `hours`: how many slots of each hour, job, status and reason, and how many attempts; or `counts`: the
//            | same of each day, or of all of the time, as `per` says: hour, day, all
//   terms    | `terms` of `group`, newest first
//   terms_since | `terms` of all groups that went on from `since` on, those that began last first; `left_out`: not all
//   requests | what people asked, newest first: `requests`, and the cursor `next`; its arguments are those of a
//            | storage::RequestFilter (history/request_wire.hpp)
//   definitions | which definitions of jobs began, newest first: `definitions`, and the cursor `next`; its arguments
//   are
//            | those of a storage::DefinitionFilter (history/definition_wire.hpp)
//
// A history and a summary are of jobs that there are: of each name in `jobs` that is not in `defined`, the jobs that
// the daemon has by its files or its program, some ledger must have rows.
//
// Without `since` and `run` rows of the last seven days are meant, but for strips. None of them counts what is not on
// the page.
//
// Pure but for the ledger that is asked, and the clock. Thread: any.
//
//   if (asked.text("form") == "shown") return answer_shown(ledger, asked, now);
#pragma once

#include "ballot/error.hpp"
#include "ballot/time.hpp"
#include "io/message.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::library {

inline constexpr std::int64_t default_rows = 50, most_rows = 1000;  // of a page
inline constexpr std::int64_t default_terms = 200;
inline constexpr std::int64_t default_strip = 30, most_in_strip = 100;
inline constexpr std::size_t most_strips = 100;     // jobs, of an answer
inline constexpr std::size_t most_counts = 50'000;  // of a summary

/// Errors: those of the ledger; not_found (no such run or job; while nodes are missing unavailable); invalid (no such
/// question, a cursor of another one).
Result<io::Message> answer_shown(LedgerView& ledger, const io::Message& asked, WallTime now);

}  // namespace ballot::library
