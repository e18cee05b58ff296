#include "storage/outbox.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "storage/change_marks.hpp"
#include "storage/definition_table.hpp"
#include "storage/guarded.hpp"
#include "storage/ledger_names.hpp"
#include "storage/request_query.hpp"
#include "storage/schema.hpp"
#include "storage/term_rows.hpp"

namespace ballot::storage {

namespace {

RunId newest_opening(Database& db) {
  Statement query(db, "SELECT token FROM opened ORDER BY change DESC LIMIT 1");
  Cursor found = query.start();
  return found.step() ? read_run_id(found.blob(0)) : RunId{};
}

}  // namespace

/// The connection, and what it asks. Everything throws SqliteError.
class Outbox::Session {
 public:
  Session(const std::string& path, std::string node)
      : node_(std::move(node)),
        db_(open_ledger_for_reading(path)),
        names_(db_),
        rows_(db_, std::string("SELECT ") + row_columns +
                       " FROM ledger INDEXED BY ledger_change WHERE change > ?1 ORDER BY change LIMIT ?2"),
        marks_(db_, "SELECT change, kind, one, two, three, id FROM mark WHERE change > ?1 ORDER BY change LIMIT ?2"),
        term_(db_, std::string("SELECT ") + term_columns + " FROM term WHERE group_id = ?1 AND epoch = ?2"),
        definition_(db_, std::string("SELECT ") + definition_columns + " FROM definition WHERE id = ?1"),
        pause_(db_, select_pauses(db_, "WHERE job_id = ?1 AND group_id = ?2 AND since = ?3")),
        output_(db_, "SELECT total_bytes, head, tail FROM output WHERE run_id = ?1 AND attempt = ?2") {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Result<RunId> identity();
  Result<bool> goes_on_from(const LedgerLine& line);
  Result<OutboxPart> read(std::int64_t after, const Bounds& bounds);

 private:
  using What = decltype(LedgerChange::what);

  /// Changes after one, and up to which nothing was left out; none: up to the end.
  struct Part {
    std::vector<LedgerChange> changes;
    std::optional<std::int64_t> complete_to;
  };

  Part rows(std::int64_t after, std::int64_t most);
  Part marked(std::int64_t after, const Bounds& bounds);
  std::optional<What> find(const MarkKey& key);
  auto names() {
    return [this](std::int64_t id) -> const std::string& { return names_.of(id); };
  }

  std::optional<Error> unmarked();

  const std::string node_;
  Database db_;
  LedgerNames names_;
  RowTexts texts_ = names_.texts();
  Statement rows_, marks_, term_, definition_, pause_, output_;
};

std::optional<Error> Outbox::Session::unmarked() {
  if (has_all_marks(db_)) return std::nullopt;
  return Error{Errc::unavailable, db_.path() + ": its changes are not marked yet"};
}

Result<RunId> Outbox::Session::identity() {
  const Snapshot one_moment(db_);
  if (auto error = unmarked()) return *std::move(error);
  return ledger_identity(db_);
}

/// What was handed on depends on all that there was then: what was to be recorded again by it was left out.
///
/// The changes of an opening end before the next one, which is a change itself; those of the last one go on.
Result<bool> Outbox::Session::goes_on_from(const LedgerLine& line) {
  const Snapshot one_moment(db_);
  if (auto error = unmarked()) return *std::move(error);
  if (line.newest == 0) return true;
  Statement query(db_,
                  "SELECT ifnull((SELECT min(change) - 1 FROM opened WHERE change > own.change),"
                  " (SELECT value FROM meta WHERE key = 'change')) FROM opened AS own WHERE token = ?1");
  Cursor found = query.start(id_blob(line.opening));
  return found.step() && line.newest <= found.number(0);
}

Result<OutboxPart> Outbox::Session::read(std::int64_t after, const Bounds& bounds) {
  const Snapshot one_moment(db_);
  if (auto error = unmarked()) return *std::move(error);
  OutboxPart all_of{{}, true, db_.number("SELECT value FROM meta WHERE key = 'change'")};
  LedgerBatch& batch =
      all_of.batch = {ledger_identity(db_), node_, newest_opening(db_), all_of.newest, after, all_of.newest, {}};
  Part of_rows = rows(after, bounds.changes), of_marks = marked(after, bounds);
  std::vector<LedgerChange>& all = batch.changes = std::move(of_rows.changes);
  std::move(of_marks.changes.begin(), of_marks.changes.end(), std::back_inserter(all));
  std::sort(all.begin(), all.end(), [](const auto& one, const auto& other) { return one.number < other.number; });
  for (const auto& complete_to : {of_rows.complete_to, of_marks.complete_to})
    if (complete_to) batch.last = std::min(batch.last, *complete_to), all_of.is_all = false;
  if (std::ssize(all) > bounds.changes) {
    batch.last = std::min(batch.last, all[static_cast<std::size_t>(bounds.changes) - 1].number);
    all_of.is_all = false;
  }
  std::erase_if(all, [&](const LedgerChange& one) { return one.number > batch.last; });
  if (all_of.is_all) batch.last = all.empty() ? after : all.back().number;
  return all_of;
}

Outbox::Session::Part Outbox::Session::rows(std::int64_t after, std::int64_t most) {
  Part part;
  for (Cursor found = rows_.start(after, most); found.step();) {
    NumberedRow row = read_row(found, texts_);
    part.changes.push_back({row.change, LedgerRow{std::move(row.row), row.id}});
  }
  if (std::ssize(part.changes) == most) part.complete_to = part.changes.back().number;
  return part;
}

/// A mark whose thing is gone leaves nothing to be sent.
Outbox::Session::Part Outbox::Session::marked(std::int64_t after, const Bounds& bounds) {
  Part part;
  std::int64_t count = 0, bytes = 0, last = after;
  for (Cursor found = marks_.start(after, bounds.changes); found.step(); ++count) {
    auto what = find(
        {static_cast<Marked>(found.number(1)), found.number(2), found.number(3), found.number(4), Blob{found.blob(5)}});
    const auto* const output = what ? std::get_if<OutputRow>(&*what) : nullptr;
    const std::int64_t size = output ? std::ssize(output->output.head) + std::ssize(output->output.tail) : 0;
    if (bytes > 0 && bytes + size > bounds.output_bytes) {
      part.complete_to = last;
      return part;
    }
    bytes += size;
    last = found.number(0);
    if (what) part.changes.push_back({last, *std::move(what)});
  }
  if (count == bounds.changes) part.complete_to = last;
  return part;
}

std::optional<Outbox::Session::What> Outbox::Session::find(const MarkKey& key) {
  switch (key.what) {
    case Marked::term: {
      Cursor found = term_.start(key.one, key.two);
      return found.step() ? std::optional<What>(read_term(found, names())) : std::nullopt;
    }
    case Marked::definition: {
      Cursor found = definition_.start(key.one);
      if (!found.step()) return std::nullopt;
      NumberedDefinition one = read_definition(found);
      one.row.job = names_.of(found.number(3));
      one.row.group = names_.of(found.number(4));
      one.row.node = names_.of(found.number(5));
      return KeptDefinition{std::move(one.row), one.first_epoch, one.change, one.renewed};
    }
    case Marked::pause: {
      Cursor found = pause_.start(key.one, key.two, key.three);
      return found.step() ? std::optional<What>(read_pause(found, names())) : std::nullopt;
    }
    case Marked::request: {
      auto request = find_request(db_, read_run_id(key.id.bytes));
      return request ? std::optional<What>(*std::move(request)) : std::nullopt;
    }
    case Marked::output: {
      Cursor found = output_.start(key.id, key.one);
      if (!found.step()) return std::nullopt;
      return OutputRow{read_run_id(key.id.bytes),
                       static_cast<int>(key.one),
                       {std::string(found.blob(1)), std::string(found.blob(2)), found.number(0)}};
    }
  }
  return std::nullopt;
}

Outbox::Outbox(std::unique_ptr<Session> session) : session_(std::move(session)) {}
Outbox::Outbox(Outbox&&) noexcept = default;
Outbox& Outbox::operator=(Outbox&&) noexcept = default;
Outbox::~Outbox() = default;

Result<Outbox> Outbox::open(const std::string& path, const std::string& node) {
  return guarded([&] { return Outbox(std::make_unique<Session>(path, node)); });
}

Result<RunId> Outbox::identity() {
  auto identity = guarded([&] { return session_->identity(); });
  return identity ? *std::move(identity) : Result<RunId>(identity.error());
}

Result<bool> Outbox::goes_on_from(const LedgerLine& line) {
  auto does = guarded([&] { return session_->goes_on_from(line); });
  return does ? *std::move(does) : Result<bool>(does.error());
}

Result<OutboxPart> Outbox::read(std::int64_t after, const Bounds& bounds) {
  auto part = guarded([&] { return session_->read(after, bounds); });
  return part ? *std::move(part) : Result<OutboxPart>(part.error());
}

Result<void> renew_identity(const std::string& path, Millis lock_wait) {
  const auto renewed = guarded([&] {
    Database db = open_ledger(path, lock_wait);
    db.run("UPDATE identity SET ledger = randomblob(16)");
    return true;
  });
  return renewed ? Result<void>() : renewed.error();
}

}  // namespace ballot::storage
