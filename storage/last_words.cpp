#include "storage/last_words.hpp"

#include <limits>
#include <tuple>

#include "storage/statement.hpp"

namespace ballot::storage {
namespace {

/// The word of a number that a newer ballot has written is in the ledger.
template <class Enum>
std::string word_of(std::string_view kind, std::int64_t number, const RowTexts& texts) {
  const bool is_own = number < first_unnumbered && is_known(static_cast<Enum>(number));
  return is_own ? std::string(to_string(static_cast<Enum>(number))) : texts.word_of(kind, number);
}

}  // namespace

/// The index has a job's rows by status, then slot: its last row below a status is the newest of the next status. Those
/// of runs that have not ended come last, and count before rows of newer slots: the job is running, whatever it skips.
/// A trigger that was refused does not count: see is_refused_trigger().
LastWords read_last_words(Database& db, const RowTexts& texts, const std::vector<std::string>& jobs) {
  Statement find_job(db, "SELECT id FROM name WHERE text = ?1");
  Statement newest_below(db,
                         "SELECT status, slot, attempt, id, reason FROM ledger INDEXED BY ledger_job"
                         " WHERE job_id = ?1 AND status < ?2 AND NOT (status = ?3 AND trigger = ?4) ORDER BY status "
                         "DESC, slot DESC, attempt DESC, id DESC"
                         " LIMIT 1");
  constexpr auto skipped = static_cast<std::int64_t>(Status::skipped),
                 manual = static_cast<std::int64_t>(Trigger::manual);
  LastWords all;
  for (const std::string& job : jobs) {
    auto& [status_word, reason_word] = all.emplace_back();
    Cursor name = find_job.start(std::string_view(job));
    if (!name.step()) continue;
    const std::int64_t id = name.number(0);
    std::int64_t below = std::numeric_limits<std::int64_t>::max(), status = -1, reason = 0;
    std::tuple<std::int64_t, std::int64_t, std::int64_t> newest(std::numeric_limits<std::int64_t>::min(), 0, 0);
    while (true) {
      Cursor found = newest_below.start(id, below, skipped, manual);
      if (!found.step()) break;
      below = found.number(0);
      const std::tuple place(found.number(1), found.number(2), found.number(3));
      const bool goes_on =
          below == static_cast<std::int64_t>(Status::claimed) || below == static_cast<std::int64_t>(Status::running);
      if (place > newest || goes_on) newest = place, status = below, reason = found.number(4);
      if (goes_on) break;
    }
    if (status < 0) continue;
    status_word = word_of<Status>("status", status, texts);
    reason_word = word_of<Reason>("reason", reason, texts);
  }
  return all;
}

}  // namespace ballot::storage
