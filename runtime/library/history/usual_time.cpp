#include "library/history/usual_time.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "library/history/ledger_view.hpp"

namespace ballot::library {
namespace {

using std::chrono::days;

/// Slots so long ago, and how many of them.
struct Window {
  days from, to;
  std::size_t most;
};
constexpr Window week[] = {{days(3), days(1), 12}, {days(5), days(3), 12}, {days(7), days(5), 12}};
constexpr std::size_t last_runs = 100;
constexpr std::size_t least = 3;  // of fewer the middle says nothing

bool counts(const Row& row) { return row.status == Status::succeeded && row.duration; }

std::vector<Millis> times_in(const std::vector<Row>& rows, WallTime now, const Window& window) {
  std::vector<Millis> times;
  for (const Row& row : rows)
    if (counts(row) && row.slot >= now - window.from && row.slot < now - window.to && times.size() < window.most)
      times.push_back(*row.duration);
  return times;
}

/// Requires: there is one.
UsualTime middle(UsualTime::Basis basis, std::vector<Millis> all) {
  std::sort(all.begin(), all.end());
  return {basis, all[all.size() / 2], all.size()};
}

std::vector<Millis> all_from(const std::vector<Millis>& all, std::size_t at) {
  return {all.begin() + static_cast<std::ptrdiff_t>(std::min(at, all.size())), all.end()};
}

/// Whether a node that does not answer may know older runs: it lived before the oldest of these, or that one is its
/// own, of which the store shows the last ones. Requires: there is one.
bool may_lack_older(const std::vector<const Row*>& rows, const std::vector<MissingNode>& missing) {
  if (rows.size() >= last_runs) return false;
  return std::any_of(missing.begin(), missing.end(), [&](const MissingNode& one) {
    if (!one.last_heard || *one.last_heard <= rows.back()->slot) return true;
    const auto is_own = [&](const Row* row) { return row->node == one.node; };
    return is_own(rows.back()) && std::count_if(rows.begin(), rows.end(), is_own) < static_cast<std::ptrdiff_t>(least);
  });
}

}  // namespace

std::string_view to_string(UsualTime::Basis basis) {
  switch (basis) {
    case UsualTime::Basis::none: break;
    case UsualTime::Basis::few: return "few";
    case UsualTime::Basis::recent: return "recent";
    case UsualTime::Basis::week: return "week";
  }
  return "none";
}

UsualTime usual_of(const std::vector<Row>& rows, WallTime now, const std::vector<MissingNode>& missing) {
  std::vector<Millis> of_week;
  for (const Window& window : week)
    for (const Millis took : times_in(rows, now, window)) of_week.push_back(took);
  if (of_week.size() >= least) return middle(UsualTime::Basis::week, std::move(of_week));

  std::vector<const Row*> last;
  std::vector<Millis> times;
  for (const Row& row : rows) {
    if (row.status != Status::succeeded || last.size() == last_runs) continue;
    last.push_back(&row);
    if (row.duration) times.push_back(*row.duration);
  }
  if (times.empty()) return {};
  const auto older = all_from(times, std::max(least, times.size() / 2));
  if (older.size() < least || may_lack_older(last, missing)) return middle(UsualTime::Basis::few, std::move(times));
  const auto oldest = all_from(older, older.size() / 2);
  const UsualTime of_older = middle(UsualTime::Basis::recent, older);
  if (oldest.size() < least) return of_older;
  const UsualTime of_oldest = middle(UsualTime::Basis::recent, oldest);
  return of_oldest.takes < of_older.takes ? of_oldest : of_older;
}

Result<std::vector<UsualTime>> read_usual_times(LedgerView& ledger, const std::vector<std::string>& jobs,
                                                WallTime now) {
  std::map<std::string, UsualTime> usual;
  std::map<std::string, std::vector<Row>> rows;
  std::vector<std::string> left = jobs;
  storage::Filter filter;
  filter.statuses = {Status::succeeded};
  const auto read = [&](std::size_t most) {
    filter.jobs = left;
    filter.limit = static_cast<std::int64_t>(most);
    return ledger.newest_rows(filter, [&](const Row& row, const auto&) { return rows[row.job].push_back(row), true; });
  };
  for (const Window& window : week) {
    filter.since = now - window.from;
    filter.until = now - window.to;
    if (const auto done = read(window.most); !done) return done.error();
  }
  for (const auto& [job, all] : rows) usual[job] = usual_of(all, now, {});
  std::erase_if(left, [&](const std::string& job) { return usual[job].basis == UsualTime::Basis::week; });
  rows.clear();
  filter.since = filter.until = std::nullopt;
  if (const auto done = read(last_runs); !done) return done.error();
  for (const std::string& job : left) usual[job] = usual_of(rows[job], now, ledger.missing());
  std::vector<UsualTime> all;
  for (const std::string& job : jobs) all.push_back(usual[job]);
  return all;
}

}  // namespace ballot::library
