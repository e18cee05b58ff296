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
  Millis from, to;
  std::size_t most = 8;
};
constexpr days day{1};
constexpr Window week[] = {
    {2 * day, day}, {4 * day, 2 * day}, {7 * day, 4 * day}, {10 * day, 7 * day}, {14 * day, 10 * day}};
constexpr std::size_t last_runs = 60;
constexpr std::size_t least = 3;  // of fewer the middle says nothing

/// Of the last day, each by a quarter further back than the one before.
std::vector<Window> windows_of_the_day() {
  std::vector<Window> all;
  for (Millis to = std::chrono::minutes(15); to < day; to = all.back().from) all.push_back({to * 5 / 4, to});
  return all;
}

bool counts(const Row& row) { return row.status == Status::succeeded && row.duration; }

struct Ran {
  WallTime slot;
  Millis took;
};
using Runs = std::vector<Ran>;

/// Newest first.
void add_those_in(const std::vector<Row>& rows, WallTime now, const Window& window, Runs& runs) {
  std::size_t found = 0;
  for (const Row& row : rows)
    if (counts(row) && row.slot >= now - window.from && row.slot < now - window.to && found++ < window.most)
      runs.push_back({row.slot, *row.duration});
}

/// Requires: from < to.
Millis took_at(const Runs& runs, std::size_t from, std::size_t to, std::size_t of_eight) {
  std::vector<Millis> all;
  for (std::size_t i = from; i < to; ++i) all.push_back(runs[i].took);
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(all.size() * of_eight / 8);
  std::nth_element(all.begin(), at, all.end());
  return *at;
}

/// How many runs have grown slow for good, of these, newest first; where that is so of several, the fewest; 0: none.
/// Requires: there is one.
std::size_t grown_slow(const Runs& runs) {
  const auto [quickest, slowest] = std::minmax_element(
      runs.begin(), runs.end(), [](const Ran& one, const Ran& other) { return one.took < other.took; });
  if (slowest->took - quickest->took < least_slowness) return 0;  // as of most jobs
  std::size_t found = 0, least_wrong = runs.size();
  for (std::size_t since = least; since + least <= runs.size(); ++since) {
    const Millis high = took_at(runs, since, runs.size(), 6), low = took_at(runs, 0, since, 1);
    if (low * 2 < high * 3 || low - high < least_slowness) continue;
    const Millis between = (high + low) / 2;
    std::size_t wrong = 0;  // as those of the other side
    for (std::size_t i = 0; i < runs.size(); ++i) wrong += (runs[i].took < between) == (i < since);
    if (wrong < least_wrong) found = since, least_wrong = wrong;
  }
  return found;
}

/// Of runs, newest first, without so many of the newest. Requires: there are more.
UsualTime middle(UsualTime::Basis basis, const Runs& runs, std::size_t without = 0) {
  return {basis, took_at(runs, without, runs.size(), 4), runs.size() - without};
}

UsualTime before_growth(UsualTime::Basis basis, const Runs& runs, std::size_t grown) {
  UsualTime usual = middle(basis, runs, grown);
  usual.slower_since = runs[grown - 1].slot;
  return usual;
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

WallTime UsualTime::until(WallTime now) const {
  return slower_since ? *slower_since : basis == Basis::week ? now - day : now;
}

UsualTime usual_of(const std::vector<Row>& rows, WallTime now, const std::vector<MissingNode>& missing) {
  Runs runs;
  for (const Window& window : week) add_those_in(rows, now, window, runs);
  if (runs.size() >= least) {
    const std::size_t grown = grown_slow(runs);
    return grown > 0 ? before_growth(UsualTime::Basis::week, runs, grown) : middle(UsualTime::Basis::week, runs);
  }

  std::vector<const Row*> last;
  runs.clear();
  for (const Row& row : rows) {
    if (row.status != Status::succeeded || last.size() == last_runs) continue;
    last.push_back(&row);
    if (row.duration) runs.push_back({row.slot, *row.duration});
  }
  if (runs.empty()) return {};
  const std::size_t newer = std::max(least, runs.size() / 2);
  if (runs.size() < newer + least || may_lack_older(last, missing)) return middle(UsualTime::Basis::few, runs);
  Runs with_older = runs;
  if (last.size() == last_runs)
    for (const Window& window : windows_of_the_day())
      if (now - window.to <= last.back()->slot) add_those_in(rows, now, window, with_older);
  const std::size_t grown = grown_slow(with_older);
  if (grown > 0) return before_growth(UsualTime::Basis::recent, with_older, grown);
  const UsualTime older = middle(UsualTime::Basis::recent, runs, newer);
  const UsualTime all = middle(UsualTime::Basis::recent, runs);
  return all.takes < older.takes ? all : older;
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
  const auto read_in = [&](const Window& window) {
    filter.since = now - window.from;
    filter.until = now - window.to;
    return read(window.most);
  };
  for (const Window& window : week)
    if (const auto done = read_in(window); !done) return done.error();
  for (const auto& [job, all] : rows) usual[job] = usual_of(all, now, {});
  std::erase_if(left, [&](const std::string& job) { return usual[job].basis == UsualTime::Basis::week; });
  rows.clear();
  filter.since = filter.until = std::nullopt;
  if (const auto done = read(last_runs); !done) return done.error();
  const std::vector<std::string> young = left;
  std::map<std::string, WallTime> reach;  // of jobs that may have older runs of the day
  for (const auto& [job, last] : rows)
    if (last.size() == last_runs) reach[job] = last.back().slot;
  for (const Window& window : windows_of_the_day()) {
    left.clear();
    for (const auto& [job, slot] : reach)
      if (now - window.to <= slot) left.push_back(job);
    if (left.empty()) continue;
    if (const auto done = read_in(window); !done) return done.error();
  }
  for (const std::string& job : young) usual[job] = usual_of(rows[job], now, ledger.missing());
  std::vector<UsualTime> all;
  for (const std::string& job : jobs) all.push_back(usual[job]);
  return all;
}

}  // namespace ballot::library
