#include "storage/reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "storage/askers.hpp"
#include "storage/backup.hpp"
#include "storage/guarded.hpp"
#include "storage/history_query.hpp"
#include "storage/keyed_rows.hpp"
#include "storage/last_words.hpp"
#include "storage/ledger_names.hpp"
#include "storage/request_query.hpp"
#include "storage/row_columns.hpp"
#include "storage/run_search.hpp"
#include "storage/schema.hpp"
#include "storage/term_rows.hpp"

namespace ballot::storage {
namespace {
constexpr std::int64_t page_rows = 1000;
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::string attempt_text(std::optional<int> attempt) {
  return attempt ? "attempt " + std::to_string(*attempt) : "attempt";
}

}  // namespace

/// The connection and what is known of its names. Everything throws SqliteError.
class Reader::Session {
 public:
  Session(const std::string& path, std::function<bool()> goes_on)
      : db_(open_ledger_for_reading(path)), names_(db_), askers_(db_) {
    if (goes_on) db_.ask_whether_to_go_on(std::move(goes_on));
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::optional<Position> walk(const Filter& filter, const VisitPlacedRow& visit);
  void newest(const Filter& filter, const VisitPlacedRow& visit);
  void rows_of(const std::vector<RowKey>& keys, std::int64_t most, const VisitRow& visit);
  std::int64_t changes(const Filter& filter, std::int64_t since, const VisitRow& visit);
  std::optional<RequestPosition> requests(const RequestFilter& filter, const VisitRequest& visit) {
    return read_requests(db_, filter, visit);
  }
  std::optional<DefinitionPosition> definitions(const DefinitionFilter& filter, const VisitDefinition& visit) {
    return read_definitions(db_, filter, visit);
  }
  LastWords last_words(const std::vector<std::string>& jobs) {
    const Snapshot one_moment(db_);
    return read_last_words(db_, texts_, jobs);
  }
  std::vector<Row> ranges(std::string_view job, WallTime slot);
  std::vector<RunId> runs_ending_with(const std::string& digits) { return storage::runs_ending_with(db_, digits); }
  std::optional<Output> output(const RunId& run, std::optional<int> attempt);
  std::vector<TermRow> terms(std::string_view group, std::int64_t limit);
  std::vector<TermRow> terms_since(WallTime since, std::int64_t limit);
  void scan(const std::vector<std::string>& jobs, const VisitBasics& begin, const VisitNumberedRow& visit);
  std::vector<std::string> jobs_of(const std::vector<std::string>& groups);
  std::vector<std::string> instances_of(const std::string& name);
  bool has(const char* sql, std::string_view name);
  std::optional<WallTime> kept_since(std::string_view job);
  std::int64_t back_up(const std::string& path) { return storage::back_up(db_, path); }
  std::int64_t sequence() { return db_.number("SELECT value FROM meta WHERE key = 'change'"); }

 private:
  std::optional<Selection> select(const Filter& filter);
  std::vector<std::int64_t> ids_of(const std::vector<std::string>& names);
  std::vector<std::int64_t> newer_statuses();
  const std::string& name_of(std::int64_t id) { return names_.of(id); }
  auto names() {
    return [this](std::int64_t id) -> const std::string& { return name_of(id); };
  }
  NumberedRow read(const Cursor& cursor) { return read_row(cursor, texts_); }
  std::vector<NumberedRow> page(Cursor&& cursor);
  ReadPage pages() {
    return [this](Cursor&& cursor) { return page(std::move(cursor)); };
  }
  LedgerBasics basics(const std::string& of_jobs);
  Database db_;
  LedgerNames names_;
  Askers askers_;
  RowTexts texts_ = names_.texts();
};

/// Which statuses of newer versions there are: SQLite takes no range of them where the answer is to be in order.
std::vector<std::int64_t> Reader::Session::newer_statuses() {
  Statement query(db_, "SELECT id FROM word WHERE kind = 'status' AND id > ?1");
  Cursor found = query.start(static_cast<std::int64_t>(Status::missed));
  std::vector<std::int64_t> numbers;
  while (found.step()) numbers.push_back(found.number(0));
  return numbers;
}

std::vector<std::int64_t> Reader::Session::ids_of(const std::vector<std::string>& names) {
  Statement find(db_, "SELECT id FROM name WHERE text = ?1");
  std::vector<std::int64_t> ids;
  for (const std::string& name : names)
    if (Cursor found = find.start(std::string_view(name)); found.step()) ids.push_back(found.number(0));
  return ids;
}

/// nullopt: no row can match, as none of the names is known.
std::optional<Selection> Reader::Session::select(const Filter& filter) {
  Selection selection{filter.run,      ids_of(filter.jobs), ids_of(filter.groups), ids_of(filter.nodes),
                      filter.statuses, filter.reasons,      newer_statuses()};
  if (selection.jobs.empty() != filter.jobs.empty() || selection.groups.empty() != filter.groups.empty() ||
      selection.nodes.empty() != filter.nodes.empty())
    return std::nullopt;
  return selection;
}

std::vector<NumberedRow> Reader::Session::page(Cursor&& cursor) {
  std::vector<NumberedRow> rows;
  while (cursor.step()) {
    rows.push_back(read(cursor));
    askers_.name(rows.back().row);
  }
  return rows;
}

std::optional<Position> Reader::Session::walk(const Filter& filter, const VisitPlacedRow& visit) {
  const std::optional<Selection> selection = select(filter);
  if (!selection) return std::nullopt;
  Statement query(db_, history_sql(*selection));
  const std::int64_t since = filter.since ? filter.since->time_since_epoch().count() : least;
  const WallTime until = filter.until.value_or(WallTime(Millis(most)));
  std::int64_t left = filter.limit.value_or(most), attempt = least, id = least;
  WallTime before = until;
  if (filter.after && filter.after->slot < until)
    before = filter.after->slot, attempt = filter.after->attempt, id = filter.after->id;
  while (left > 0) {
    const std::int64_t wanted = std::min(left, page_rows);
    const std::vector<NumberedRow> rows = page(query.start(since, before, attempt, id, wanted));
    for (const NumberedRow& row : rows) {
      before = row.row.slot, attempt = row.row.attempt, id = row.id;
      const Position at{before, row.row.attempt, id};
      if (!visit(row.row, at)) return at;
    }
    if (std::ssize(rows) < wanted) return std::nullopt;
    left -= wanted;
  }
  return Position{before, static_cast<int>(attempt), id};
}

void Reader::Session::newest(const Filter& filter, const VisitPlacedRow& visit) {
  Filter rest = filter;
  rest.jobs.clear();
  std::optional<Selection> selection = select(rest);
  if (!selection) return;
  selection->is_of_one_job = true;
  read_newest(db_, pages(), *selection, ids_of(filter.jobs), filter, visit);
}

void Reader::Session::rows_of(const std::vector<RowKey>& keys, std::int64_t most_of_a_key, const VisitRow& visit) {
  Selection of_one_job;
  of_one_job.newer_statuses = newer_statuses();
  of_one_job.is_of_one_job = true;
  read_rows_of(db_, pages(), of_one_job, keys, most_of_a_key, visit);
}

std::int64_t Reader::Session::changes(const Filter& filter, std::int64_t since, const VisitRow& visit) {
  const std::int64_t last = sequence();
  const std::optional<Selection> selection = select(filter);
  if (!selection) return last;
  Statement query(db_, changes_sql(*selection));
  const WallTime from = filter.since.value_or(WallTime(Millis(least)));
  const WallTime until = filter.until.value_or(WallTime(Millis(most)));
  while (true) {
    const std::vector<NumberedRow> rows = page(query.start(since, last, page_rows));
    for (const NumberedRow& row : rows) {
      since = row.change;
      if (row.row.slot >= from && row.row.slot < until && !visit(row.row)) return since;
    }
    if (std::ssize(rows) < page_rows) return last;
  }
}

std::vector<Row> Reader::Session::ranges(std::string_view job, WallTime slot) {
  Statement query(db_, ranges_sql());
  std::vector<Row> rows;
  for (NumberedRow& row : page(query.start(job, slot))) rows.push_back(std::move(row.row));
  return rows;
}

/// nullopt: no such attempt, or no such run. Without an attempt, the last one.
std::optional<Output> Reader::Session::output(const RunId& run, std::optional<int> attempt) {
  Statement query(db_,
                  "SELECT o.head, o.tail, o.total_bytes FROM ledger INDEXED BY ledger_run"
                  " LEFT JOIN output AS o ON o.run_id = ledger.run_id AND o.attempt = ledger.attempt"
                  " WHERE substr(ledger.run_id, 16) = substr(?1, 16) AND ledger.run_id = ?1"
                  " AND ledger.attempt = ifnull(?2, ledger.attempt) ORDER BY ledger.attempt DESC LIMIT 1");
  Cursor found = query.start(id_blob(run), attempt);
  if (!found.step()) return std::nullopt;
  return Output{std::string(found.blob(0)), std::string(found.blob(1)), found.number(2)};
}

std::vector<TermRow> Reader::Session::terms(std::string_view group, std::int64_t limit) {
  Statement query(db_,
                  "SELECT group_id, node_id, epoch, elected_at, ended_at, cause FROM term WHERE group_id ="
                  " (SELECT id FROM name WHERE text = ?1) ORDER BY epoch DESC LIMIT ?2");
  Cursor found = query.start(group, limit);
  std::vector<TermRow> terms;
  while (found.step()) terms.push_back(read_term(found, names()));
  return terms;
}

std::vector<TermRow> Reader::Session::terms_since(WallTime since, std::int64_t limit) {
  Statement query(db_, std::string("SELECT ") + term_columns +
                           " FROM term WHERE ifnull(ended_at, ?1) >= ?1 ORDER BY elected_at DESC, epoch DESC LIMIT ?2");
  std::vector<TermRow> terms;
  for (Cursor found = query.start(since, limit); found.step();) terms.push_back(read_term(found, names()));
  return terms;
}

/// `of_jobs`: a condition. A ledger that an older ballot writes has nothing beside its terms.
LedgerBasics Reader::Session::basics(const std::string& of_jobs) {
  LedgerBasics all;
  {
    Statement query(db_, std::string("SELECT ") + term_columns + " FROM term");
    for (Cursor found = query.start(); found.step();) all.terms.push_back(read_term(found, names()));
  }
  if (!knows_all_writes(db_)) return all;
  Statement query(db_, std::string("SELECT ") + definition_columns +
                           ", (SELECT min(opening.change) FROM opening WHERE opening.change > renewed)"
                           " FROM definition WHERE 1" +
                           of_jobs + " ORDER BY id");
  for (Cursor found = query.start(); found.step();) {
    LedgerBasics::Definition one{read_definition(found)};
    one.row.job = name_of(found.number(3));
    one.row.group = name_of(found.number(4));
    one.row.node = name_of(found.number(5));
    if (!found.null(24)) one.sealed = found.number(24);
    all.definitions.push_back(std::move(one));
  }
  if ((all.pauses_since = pauses_since(db_))) all.pauses = read_pauses(db_, names());
  Statement horizons(db_, "SELECT job_id, kept_since FROM horizon");
  for (Cursor found = horizons.start(); found.step();)
    if (found.number(0) == 0)
      all.kept_since = found.time(1);
    else
      all.jobs_kept.emplace_back(name_of(found.number(0)), found.time(1));
  return all;
}

void Reader::Session::scan(const std::vector<std::string>& jobs, const VisitBasics& begin,
                           const VisitNumberedRow& visit) {
  std::string of_jobs;
  for (const std::int64_t id : ids_of(jobs)) of_jobs += (of_jobs.empty() ? "" : ", ") + std::to_string(id);
  if (of_jobs.empty() && !jobs.empty()) return begin({});
  if (!of_jobs.empty()) of_jobs = " AND job_id IN (" + of_jobs + ")";
  const Snapshot one_moment(db_);
  begin(basics(of_jobs));
  Statement query(db_, std::string("SELECT ") + row_columns + " FROM ledger INDEXED BY ledger_slot WHERE 1" + of_jobs +
                           " ORDER BY slot, attempt, id");
  for (Cursor found = query.start(); found.step();) {
    const NumberedRow row = read(found);
    visit(row.row, row.change);
  }
}

std::vector<std::string> Reader::Session::jobs_of(const std::vector<std::string>& groups) {
  std::vector<std::string> jobs;
  const bool defined = knows_all_writes(db_);
  for (const std::int64_t group : ids_of(groups)) {
    const std::string in_group = " WHERE group_id = " + std::to_string(group);
    Statement query(db_, "SELECT DISTINCT job_id FROM ledger" + in_group +
                             (defined ? " UNION SELECT job_id FROM definition" + in_group : ""));
    for (Cursor found = query.start(); found.step();) jobs.push_back(name_of(found.number(0)));
  }
  return jobs;
}

/// '@' comes right before 'A'.
std::vector<std::string> Reader::Session::instances_of(const std::string& name) {
  std::vector<std::string> names;
  Statement query(db_, "SELECT text FROM name WHERE text >= ?1 || '@' AND text < ?1 || 'A' ORDER BY text");
  for (Cursor found = query.start(name); found.step();) names.emplace_back(found.text(0));
  return names;
}

bool Reader::Session::has(const char* sql, std::string_view name) {
  Statement query(db_, sql);
  Cursor found = query.start(name);
  return found.step() && found.number(0) != 0;
}

std::optional<WallTime> Reader::Session::kept_since(std::string_view job) {
  Statement query(db_,
                  "SELECT max(kept_since) FROM horizon"
                  " WHERE job_id = 0 OR job_id = (SELECT id FROM name WHERE text = ?1)");
  Cursor found = query.start(job);
  return found.step() && !found.null(0) ? std::optional(found.time(0)) : std::nullopt;
}

Reader::Reader(std::unique_ptr<Session> session) : session_(std::move(session)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::open(const std::string& path, std::function<bool()> goes_on) {
  const int reached = ::access(path.c_str(), R_OK) == 0 ? 0 : errno;
  if (reached == ENOENT)
    return Error{Errc::not_found, path + ": there is no ledger yet: it begins when the daemon first runs"};
  if (reached == EACCES)
    return Error{Errc::denied, path + ": this user may not read the ledger; be root, or the daemon's user"};
  return guarded([&] { return Reader(std::make_unique<Session>(path, std::move(goes_on))); });
}

Result<std::optional<Position>> Reader::walk(const Filter& filter, const VisitPlacedRow& visit) {
  return guarded([&] { return session_->walk(filter, visit); });
}

Result<std::optional<Position>> Reader::history(const Filter& filter, const VisitRow& visit) {
  return walk(filter, [&](const Row& row, const Position&) { return visit(row); });
}

Result<void> Reader::newest(const Filter& filter, const VisitPlacedRow& visit) {
  const auto done = guarded([&] { return session_->newest(filter, visit), true; });
  return done ? Result<void>() : done.error();
}

Result<void> Reader::rows_of(const std::vector<RowKey>& keys, std::int64_t most_of_a_key, const VisitRow& visit) {
  const auto done = guarded([&] { return session_->rows_of(keys, most_of_a_key, visit), true; });
  return done ? Result<void>() : done.error();
}

Result<std::optional<RequestPosition>> Reader::requests(const RequestFilter& filter, const VisitRequest& visit) {
  return guarded([&] { return session_->requests(filter, visit); });
}

Result<std::optional<DefinitionPosition>> Reader::definitions(const DefinitionFilter& filter,
                                                              const VisitDefinition& visit) {
  return guarded([&] { return session_->definitions(filter, visit); });
}

Result<std::int64_t> Reader::sequence() {
  return guarded([&] { return session_->sequence(); });
}

Result<std::int64_t> Reader::changes(const Filter& filter, std::int64_t since, const VisitRow& visit) {
  return guarded([&] { return session_->changes(filter, since, visit); });
}

Result<void> Reader::scan(const std::vector<std::string>& jobs, const VisitBasics& begin,
                          const VisitNumberedRow& visit) {
  const auto done = guarded([&] { return session_->scan(jobs, begin, visit), true; });
  if (!done) return done.error();
  return {};
}

Result<std::int64_t> Reader::back_up(const std::string& path) {
  return guarded([&] { return session_->back_up(path); });
}

Result<std::vector<std::string>> Reader::jobs_of(const std::vector<std::string>& groups) {
  return guarded([&] { return session_->jobs_of(groups); });
}

Result<std::vector<std::string>> Reader::instances_of(const std::string& name) {
  return guarded([&] { return session_->instances_of(name); });
}

Result<std::optional<Row>> Reader::last(std::string_view job) {
  return guarded([&] {
    std::optional<Row> last;
    const auto take = [&](const Row& row, const Position&) {
      if (!is_refused_trigger(row)) last = row;
      return !last;
    };
    session_->walk({.jobs = {std::string(job)}, .limit = 1}, take);
    if (!last) session_->walk({.jobs = {std::string(job)}, .limit = std::nullopt}, take);
    return last;
  });
}

Result<LastWords> Reader::last_words(const std::vector<std::string>& jobs) {
  return guarded([&] { return session_->last_words(jobs); });
}

Result<std::vector<Row>> Reader::at(std::string_view job, WallTime slot) {
  return guarded([&] {
    std::vector<Row> rows;
    session_->walk({.jobs = {std::string(job)}, .since = slot, .until = slot + Millis(1), .limit = std::nullopt},
                   [&](const Row& row, const Position&) { return rows.push_back(row), true; });
    return rows.empty() ? session_->ranges(job, slot) : rows;
  });
}

Result<std::vector<Row>> Reader::open_rows() {
  return guarded([&] {
    std::vector<Row> rows;
    session_->walk({.statuses = {Status::queued, Status::claimed, Status::running}, .limit = std::nullopt},
                   [&](const Row& row, const Position&) { return rows.push_back(row), true; });
    return rows;
  });
}

Result<std::vector<RunId>> Reader::find_run(std::string_view suffix) {
  const std::string digits = run_digits(suffix);
  if (digits.size() < 6 || digits.size() > 32)
    return Error{Errc::invalid, std::string(suffix) + ": no run id: give all of it, or its last 6 or more digits"};
  return guarded([&] { return session_->runs_ending_with(digits); });
}

Result<Output> Reader::output(const RunId& run, std::optional<int> attempt) {
  const auto found = guarded([&] { return session_->output(run, attempt); });
  if (!found) return found.error();
  if (!*found) return Error{Errc::not_found, "the ledger has no " + attempt_text(attempt) + " of run " + run.text()};
  return **found;
}

Result<std::vector<TermRow>> Reader::terms(std::string_view group, std::int64_t limit) {
  return guarded([&] { return session_->terms(group, limit); });
}

Result<std::vector<TermRow>> Reader::terms_since(WallTime since, std::int64_t limit) {
  return guarded([&] { return session_->terms_since(since, limit); });
}

Result<bool> Reader::knows_job(std::string_view name) {
  return guarded([&] {
    return session_->has("SELECT EXISTS (SELECT 1 FROM ledger WHERE job_id = (SELECT id FROM name WHERE text = ?1))",
                         name);
  });
}

Result<bool> Reader::knows_group(std::string_view name) {
  return guarded([&] {
    return session_->has(
        "SELECT EXISTS (SELECT 1 FROM ledger WHERE group_id = (SELECT id FROM name WHERE text = ?1))"
        " OR EXISTS (SELECT 1 FROM term WHERE group_id = (SELECT id FROM name WHERE text = ?1))",
        name);
  });
}

Result<std::optional<WallTime>> Reader::kept_since(std::string_view job) {
  return guarded([&] { return session_->kept_since(job); });
}

}  // namespace ballot::storage
