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

/// Among the runs of these slots, both included, is the first slow one; which is slow is told by how long it took.
struct Growth {
  WallTime from, to;
  Millis between;
};

/// The usual time by what is looked at of the runs, and where they grew slow, which `slower_since` does not say yet.
struct Sampled {
  UsualTime usual;
  std::optional<Growth> growth = {};
};

Sampled before_growth(UsualTime::Basis basis, const Runs& runs, std::size_t grown) {
  const Millis between = (took_at(runs, grown, runs.size(), 6) + took_at(runs, 0, grown, 1)) / 2;
  return {middle(basis, runs, grown), Growth{runs[grown + least - 1].slot, runs[grown - least].slot, between}};
}

/// Of runs, newest first: those from then on are slow, and those before are not, but for the fewest.
WallTime first_slow(const Runs& runs, const Growth& growth) {
  WallTime found = growth.to;
  int more = 0, most = 0;  // slow ones than others, so far
  for (const Ran& run : runs) {
    more += run.took < growth.between ? -1 : 1;
    if (more > most) found = run.slot, most = more;
  }
  return found;
}

/// Newest first.
Runs runs_of(const std::vector<Row>& rows) {
  Runs runs;
  for (const Row& row : rows)
    if (counts(row)) runs.push_back({row.slot, *row.duration});
  return runs;
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

namespace {

Sampled sampled(const std::vector<Row>& rows, WallTime now, const std::vector<MissingNode>& missing) {
  Runs runs;
  for (const Window& window : week) add_those_in(rows, now, window, runs);
  if (runs.size() >= least) {
    const std::size_t grown = grown_slow(runs);
    if (grown > 0) return before_growth(UsualTime::Basis::week, runs, grown);
    return {middle(UsualTime::Basis::week, runs)};
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
  if (runs.size() < newer + least || may_lack_older(last, missing)) return {middle(UsualTime::Basis::few, runs)};
  Runs with_older = runs;
  if (last.size() == last_runs)
    for (const Window& window : windows_of_the_day())
      if (now - window.to <= last.back()->slot) add_those_in(rows, now, window, with_older);
  const std::size_t grown = grown_slow(with_older);
  if (grown > 0) return before_growth(UsualTime::Basis::recent, with_older, grown);
  const UsualTime older = middle(UsualTime::Basis::recent, runs, newer);
  const UsualTime all = middle(UsualTime::Basis::recent, runs);
  return {all.takes < older.takes ? all : older};
}

constexpr std::size_t read_whole = 100, looked_at = 8;
constexpr int most_reads = 20;  // of a job a second in four days it takes 15

/// Of a job's runs where it grew slow: of so many that they are not read at once those of the middle, until those that
/// are left are.
Result<WallTime> read_first_slow(LedgerView& ledger, const std::string& job, Growth growth) {
  int reads = 0;
  WallTime until = growth.to + Millis(1);
  const auto read = [&](WallTime before, std::size_t most) -> Result<Runs> {
    std::vector<Row> rows;
    const storage::Filter filter{.jobs = {job},
                                 .statuses = {Status::succeeded},
                                 .since = growth.from,
                                 .until = before,
                                 .limit = static_cast<std::int64_t>(most)};
    ++reads;
    const auto done =
        ledger.newest_rows(filter, [&](const Row& row, const auto&) { return rows.push_back(row), true; });
    return done ? Result<Runs>(runs_of(rows)) : done.error();
  };
  while (true) {
    const auto runs = read(until, read_whole);
    if (!runs) return runs.error();
    if (runs->size() < read_whole || reads >= most_reads) return first_slow(*runs, growth);
    const Millis half_of_them = (until - runs->back().slot) / 2;
    while (until - growth.from > half_of_them && reads < most_reads) {
      const WallTime middle = growth.from + (until - growth.from) / 2;
      const auto some = read(middle, looked_at);
      if (!some) return some.error();
      const auto slow =
          std::count_if(some->begin(), some->end(), [&](const Ran& run) { return run.took >= growth.between; });
      if (slow * 2 > std::ssize(*some)) {
        until = middle;
      } else {
        const WallTime quick = some->empty() ? middle : (*some)[some->size() / 2].slot;
        growth.from = quick > growth.from ? quick : middle;
      }
    }
  }
}

}  // namespace

UsualTime usual_of(const std::vector<Row>& rows, WallTime now, const std::vector<MissingNode>& missing) {
  Sampled found = sampled(rows, now, missing);
  if (!found.growth) return found.usual;
  Runs runs = runs_of(rows);
  std::erase_if(runs, [&](const Ran& run) { return run.slot < found.growth->from || run.slot > found.growth->to; });
  found.usual.slower_since = first_slow(runs, *found.growth);
  return found.usual;
}

Result<std::vector<UsualTime>> read_usual_times(LedgerView& ledger, const std::vector<std::string>& jobs,
                                                WallTime now) {
  std::map<std::string, Sampled> found;
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
  for (const auto& [job, all] : rows) found[job] = sampled(all, now, {});
  std::erase_if(left, [&](const std::string& job) { return found[job].usual.basis == UsualTime::Basis::week; });
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
  for (const std::string& job : young) found[job] = sampled(rows[job], now, ledger.missing());
  for (auto& [job, one] : found) {
    if (!one.growth) continue;
    const auto since = read_first_slow(ledger, job, *one.growth);
    if (!since) return since.error();
    one.usual.slower_since = *since;
  }
  std::vector<UsualTime> all;
  for (const std::string& job : jobs) all.push_back(found[job].usual);
  return all;
}

}  // namespace ballot::library
