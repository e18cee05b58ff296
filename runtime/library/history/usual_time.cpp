#include "library/history/usual_time.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ballot::library {
namespace {

using std::chrono::days;

constexpr std::size_t slots_a_day = 12, last_slots = 100;  // so many rows are looked at
constexpr std::size_t least = 3;                           // fewer say nothing

/// Of the last slots, newest first, of their last attempts: those that succeeded.
Result<std::vector<Millis>> successes(LedgerView& ledger, storage::Filter filter, std::size_t slots) {
  filter.limit = static_cast<std::int64_t>(2 * slots);  // as of the API's strips
  std::vector<Millis> all;
  std::optional<WallTime> last;
  std::size_t seen = 0;
  const auto read = ledger.history(filter, [&](const Row& row) {
    if (row.slot == last) return true;
    last = row.slot;
    if (row.status == Status::succeeded && row.duration) all.push_back(*row.duration);
    return ++seen < slots;
  });
  if (!read) return read.error();
  return all;
}

Millis middle(std::vector<Millis> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

}  // namespace

Result<UsualTime> usual_time(LedgerView& ledger, const std::string& job, WallTime now) {
  storage::Filter filter;
  filter.jobs = {job};
  std::vector<Millis> week;
  for (const int before : {1, 3, 5}) {
    filter.since = now - days(before + 2);
    filter.until = now - days(before);
    const auto part = successes(ledger, filter, slots_a_day);
    if (!part) return part.error();
    week.insert(week.end(), part->begin(), part->end());
  }
  if (week.size() >= least) return UsualTime{UsualTime::Basis::week, middle(std::move(week))};
  filter.since = filter.until = std::nullopt;
  auto all = successes(ledger, filter, last_slots);
  if (!all) return all.error();
  if (all->empty()) return UsualTime{};
  const auto newer = static_cast<std::ptrdiff_t>(std::max<std::size_t>(least, all->size() / 2));
  if (std::ssize(*all) >= newer + static_cast<std::ptrdiff_t>(least))
    return UsualTime{UsualTime::Basis::recent, middle({all->begin() + newer, all->end()})};
  return UsualTime{UsualTime::Basis::few, middle(*std::move(all))};
}

}  // namespace ballot::library
