#include "library/history/usual_time.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

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

constexpr Millis oldest_looked_at = week[std::size(week) - 1].from;
constexpr std::size_t oldest_runs = 16;  // fewer of them are looked at, and as many as say something

/// Of the last day, each twice as far back as the one before.
std::vector<Window> windows_of_the_day() {
  std::vector<Window> all;
  for (Millis to = std::chrono::minutes(15); to < day; to = all.back().from) all.push_back({to * 2, to, 16});
  return all;
}

/// Of all times of the last day.
std::vector<Window> parts_of_the_day() {
  std::vector<Window> all;
  for (Millis to{0}; to < day; to = all.back().from) all.push_back({to + Millis(day) / 8, to, 4});
  return all;
}

bool counts(const Row& row) { return row.status == Status::succeeded && row.duration; }

struct Ran {
  WallTime slot;
  Millis took;
};
using Runs = std::vector<Ran>;

/// Newest first.
Runs runs_of(const std::vector<Row>& rows) {
  Runs runs;
  for (const Row& row : rows)
    if (counts(row)) runs.push_back({row.slot, *row.duration});
  return runs;
}

/// Of runs, newest first.
void add_those_in(const Runs& all, WallTime now, const Window& window, Runs& runs) {
  std::size_t found = 0;
  for (const Ran& run : all)
    if (run.slot >= now - window.from && run.slot < now - window.to && found++ < window.most) runs.push_back(run);
}

/// Of these, newest first, and those of another list that are older.
Runs with_older(Runs runs, const Runs& older) {
  for (const Ran& one : older)
    if (runs.empty() || one.slot < runs.back().slot) runs.push_back(one);
  return runs;
}

/// Requires: from < to.
Millis took_at(const Runs& runs, std::size_t from, std::size_t to, std::size_t of_eight) {
  std::vector<Millis> all;
  for (std::size_t i = from; i < to; ++i) all.push_back(runs[i].took);
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(all.size() * of_eight / 8);
  std::nth_element(all.begin(), at, all.end());
  return *at;
}

/// Of so many runs, the newest, seven of eight take longer.
Millis low_of(const Runs& runs, std::size_t newest) { return took_at(runs, 0, newest, 1); }
/// Of runs without so many, the newest, six of eight take less.
Millis high_of(const Runs& runs, std::size_t newest) { return took_at(runs, newest, runs.size(), 6); }
bool is_slow(Millis low, Millis high) { return low * 2 >= high * 3 && low - high >= least_slowness; }

/// How many runs have grown slow for good, of these, newest first; where that is so of several, the fewest; 0: none.
/// Requires: there is one.
std::size_t grown_slow(const Runs& runs) {
  const auto [quickest, slowest] = std::minmax_element(
      runs.begin(), runs.end(), [](const Ran& one, const Ran& other) { return one.took < other.took; });
  if (slowest->took - quickest->took < least_slowness) return 0;  // as of most jobs
  std::size_t found = 0, least_wrong = runs.size();
  for (std::size_t since = least; since + least <= runs.size(); ++since) {
    const Millis high = high_of(runs, since), low = low_of(runs, since);
    if (!is_slow(low, high)) continue;
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
  const Millis between = (high_of(runs, grown) + low_of(runs, grown)) / 2;
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

/// The last successes.
std::vector<const Row*> last_of(const std::vector<Row>& rows) {
  std::vector<const Row*> last;
  for (const Row& row : rows)
    if (row.status == Status::succeeded && last.size() < last_runs) last.push_back(&row);
  return last;
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
  if (unread) return unread->quick_until;
  return slower_since ? *slower_since : basis == Basis::week ? now - day : now;
}

namespace {

/// Half of what is left between the times before which too few of a job's runs are known, and too many.
struct Search {
  WallTime from, to;
  WallTime middle() const { return from + (to - from) / 2; }
  bool is_over() const { return to - from <= least_slowness; }
  /// Whether so many runs before the middle, with no more than oldest_runs counted, are its oldest ones.
  bool ends_with(std::size_t runs) const { return runs >= least && runs < oldest_runs; }
  Search next(std::size_t runs) const { return runs < least ? Search{middle(), to} : Search{from, middle()}; }
};
Search search_for_oldest(WallTime now) { return {now - oldest_looked_at, now}; }

/// The oldest of two weeks; none where it is not known which these are.
Runs oldest_of(const Runs& runs, WallTime now) {
  for (Search search = search_for_oldest(now); !search.is_over();) {
    const Window window{oldest_looked_at, now - search.middle(), oldest_runs};
    Runs found;
    add_those_in(runs, now, window, found);
    if (search.ends_with(found.size())) return found;
    search = search.next(found.size());
  }
  return {};
}

/// Less is noise, however quick older ones were.
bool may_be_slow(const Runs& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const Ran& run) { return run.took >= least_slowness; });
}

/// What is looked at of a job's runs, newest first.
struct Looked {
  UsualTime::Basis basis = UsualTime::Basis::none;
  Runs runs = {};          // of which the middle is usual
  Runs all = {};           // and older ones of the day
  bool has_older = false;  // which may tell that it has grown slow
};

Looked look_at(const Runs& all, const std::vector<const Row*>& last, WallTime now) {
  Looked found{UsualTime::Basis::week};
  for (const Window& window : week) {
    const std::size_t before = found.runs.size();
    add_those_in(all, now, window, found.runs);
    if (found.runs.size() > before) found.has_older = found.runs.size() - before == window.most;
  }
  found.all = found.runs;
  if (found.runs.size() >= least) {
    const bool is_known_for_long = found.runs.back().slot < now - week[std::size(week) - 1].to;
    found.has_older = found.has_older && !is_known_for_long && may_be_slow(found.runs);
    return found;
  }
  found = {UsualTime::Basis::recent};
  for (const Row* row : last)
    if (row->duration) found.runs.push_back({row->slot, *row->duration});
  found.has_older = last.size() == last_runs && may_be_slow(found.runs);
  Runs of_day;
  if (found.has_older)
    for (const Window& window : windows_of_the_day())
      if (now - window.to <= last.back()->slot) add_those_in(all, now, window, of_day);
  found.all = with_older(found.runs, of_day);
  return found;
}

/// Where a job's oldest runs alone say that it has grown slow, those of the whole last day have to say so too: else it
/// may be slow at about this time of each day.
bool is_slow_all_day(const Runs& all, const Runs& oldest, WallTime now) {
  Runs of_day;
  for (const Window& window : parts_of_the_day()) add_those_in(all, now, window, of_day);
  return !of_day.empty() && !oldest.empty() && is_slow(low_of(of_day, of_day.size()), high_of(oldest, 0));
}

Sampled sampled(const std::vector<Row>& rows, WallTime now, const std::vector<MissingNode>& missing) {
  const std::vector<const Row*> last = last_of(rows);
  const Runs all = runs_of(rows);
  if (all.empty()) return {};
  Looked looked = look_at(all, last, now);
  const Runs& runs = looked.runs;
  const bool is_young = looked.basis == UsualTime::Basis::recent;
  const std::size_t newer = std::max(least, runs.size() / 2);
  if (is_young && (runs.size() < newer + least || may_lack_older(last, missing)))
    return {middle(UsualTime::Basis::few, runs)};
  std::size_t grown = grown_slow(looked.all);
  if (grown == 0 && looked.has_older) {
    const Runs oldest = oldest_of(all, now);
    looked.all = with_older(std::move(looked.all), oldest);
    grown = grown_slow(looked.all);
    if (grown > 0 && !is_young && !is_slow_all_day(all, oldest, now)) grown = 0;
  }
  if (grown > 0) return before_growth(looked.basis, looked.all, grown);
  if (!is_young) return {middle(looked.basis, runs)};
  const UsualTime older = middle(looked.basis, runs, newer);
  const UsualTime both = middle(looked.basis, runs);
  return {both.takes < older.takes ? both : older};
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

namespace {

/// Reads of many jobs at once what the rule names.
class UsualTimesReader {
 public:
  UsualTimesReader(LedgerView& ledger, WallTime now) : ledger_(ledger), now_(now) {
    filter_.statuses = {Status::succeeded};
  }

  Result<void> read(const std::vector<std::string>& jobs) {
    for (const Window& window : week)
      if (const auto done = read_in(window, jobs); !done) return done;
    std::vector<std::string> young = jobs;
    std::erase_if(young, [&](const std::string& job) { return basis_of(job) == UsualTime::Basis::week; });
    if (const auto done = read_young(young); !done) return done;
    std::vector<std::string> vague = jobs;
    std::erase_if(vague, [&](const std::string& job) {
      const Looked looked = look_at_rows(job);
      return !looked.has_older || grown_slow(looked.all) > 0;
    });
    if (const auto done = read_oldest(vague, search_for_oldest(now_)); !done) return done;
    std::erase_if(vague, [&](const std::string& job) {
      const Looked looked = look_at_rows(job);
      return looked.basis != UsualTime::Basis::week ||
             grown_slow(with_older(looked.all, oldest_of(runs_of(rows_[job]), now_))) == 0;
    });
    for (const Window& window : parts_of_the_day())
      if (const auto done = read_in(window, vague); !done) return done;
    return {};
  }
  Sampled sampled(const std::string& job) { return library::sampled(rows_[job], now_, ledger_.missing()); }

 private:
  Result<void> read_rows(const std::vector<std::string>& jobs, std::optional<WallTime> since,
                         std::optional<WallTime> until, std::size_t most) {
    if (jobs.empty()) return {};
    filter_.jobs = jobs;
    filter_.since = since;
    filter_.until = until;
    filter_.limit = static_cast<std::int64_t>(most);
    const auto done =
        ledger_.newest_rows(filter_, [&](const Row& row, const auto&) { return rows_[row.job].push_back(row), true; });
    for (const std::string& job : jobs) put_in_order(rows_[job]);
    return done;
  }
  Result<void> read_in(const Window& window, const std::vector<std::string>& jobs) {
    return read_rows(jobs, now_ - window.from, now_ - window.to, window.most);
  }
  /// Newest first, each once.
  static void put_in_order(std::vector<Row>& rows) {
    const auto order = [](const Row& row) { return std::tuple(row.slot, row.attempt, row.run); };
    std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return order(a) > order(b); });
    rows.erase(std::unique(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return order(a) == order(b); }),
               rows.end());
  }

  Looked look_at_rows(const std::string& job) { return look_at(runs_of(rows_[job]), last_of(rows_[job]), now_); }
  UsualTime::Basis basis_of(const std::string& job) { return look_at_rows(job).basis; }

  Result<void> read_young(const std::vector<std::string>& jobs) {
    if (const auto done = read_rows(jobs, std::nullopt, std::nullopt, last_runs); !done) return done;
    std::map<std::string, WallTime> reach;  // of jobs that may have older runs of the day
    for (const std::string& job : jobs)
      if (look_at_rows(job).has_older) reach[job] = last_of(rows_[job]).back()->slot;
    for (const Window& window : windows_of_the_day()) {
      std::vector<std::string> left;
      for (const auto& [job, slot] : reach)
        if (now_ - window.to <= slot) left.push_back(job);
      if (const auto done = read_in(window, left); !done) return done;
    }
    return {};
  }

  /// Those of which it is the same half are asked for together, as those are that were defined at one time.
  Result<void> read_oldest(const std::vector<std::string>& jobs, const Search& search) {
    if (jobs.empty() || search.is_over()) return {};
    const WallTime from = now_ - oldest_looked_at;
    if (const auto done = read_rows(jobs, from, search.middle(), oldest_runs); !done) return done;
    std::map<bool, std::vector<std::string>> left;
    for (const std::string& job : jobs) {
      Runs found;
      add_those_in(runs_of(rows_[job]), now_, {oldest_looked_at, now_ - search.middle(), oldest_runs}, found);
      if (!search.ends_with(found.size())) left[found.size() < least].push_back(job);
    }
    for (const auto& [are_few, some] : left)
      if (const auto done = read_oldest(some, search.next(are_few ? 0 : oldest_runs)); !done) return done;
    return {};
  }

  LedgerView& ledger_;
  const WallTime now_;
  storage::Filter filter_;
  std::map<std::string, std::vector<Row>> rows_;
};

}  // namespace

Result<std::vector<UsualTime>> read_usual_times(LedgerView& ledger, const std::vector<std::string>& jobs,
                                                WallTime now) {
  UsualTimesReader reader(ledger, now);
  if (const auto done = reader.read(jobs); !done) return done.error();
  std::vector<UsualTime> all;
  for (const std::string& job : jobs) {
    const Sampled found = reader.sampled(job);
    all.push_back(found.usual);
    if (!found.growth) continue;
    const auto since = read_first_slow(ledger, job, *found.growth);
    if (since)
      all.back().slower_since = *since;
    else
      all.back().unread = {{found.growth->from, since.error().what}};
  }
  return all;
}

}  // namespace ballot::library
