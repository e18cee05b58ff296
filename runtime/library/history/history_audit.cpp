#include "library/history/history_audit.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "library/history/ledger_wire.hpp"
#include "storage/outbox.hpp"

namespace ballot::library {
namespace {

constexpr std::int64_t page = 1000;
constexpr std::size_t most_doubts = 1000;  // that are looked at once more

/// As it was recorded: nobody is named in it who asked.
std::string recorded(Row row) {
  row.triggered_by = row.ended_by = row.paused_by = row.resumed_by = "";
  row.env.clear();
  return io::encode(to_message(row));
}

/// One way of reading the rows of a ledger by their changes.
class Rows {
 public:
  using Read = std::function<Result<std::pair<LedgerBatch, bool>>(std::int64_t after)>;  // and whether that is all
  explicit Rows(Read read) : read_(std::move(read)) {}

  /// The next one; null: there is none.
  Result<const LedgerChange*> next() {
    while (true) {
      for (; at_ < batch_.changes.size(); ++at_)
        if (std::holds_alternative<LedgerRow>(batch_.changes[at_].what)) return &batch_.changes[at_++];
      if (is_all_) return nullptr;
      auto part = read_(batch_.last);
      if (!part) return part.error();
      std::tie(batch_, is_all_) = *std::move(part);
      at_ = 0;
    }
  }

 private:
  const Read read_;
  LedgerBatch batch_;
  std::size_t at_ = 0;
  bool is_all_ = false;
};

const Row& row_of(const LedgerChange& change) { return std::get<LedgerRow>(change.what).row; }

/// Goes through both by their changes, up to one, and notes what is not in both alike.
Result<std::vector<RowKey>> doubtful(Rows own, Rows kept, std::int64_t up_to) {
  std::set<RowKey> keys;
  auto a = own.next(), b = kept.next();
  while (true) {
    if (!a) return a.error();
    if (!b) return b.error();
    const LedgerChange* const mine = *a && (*a)->number <= up_to ? *a : nullptr;
    const LedgerChange* const other = *b && (*b)->number <= up_to ? *b : nullptr;
    if ((!mine && !other) || keys.size() >= most_doubts) return std::vector<RowKey>(keys.begin(), keys.end());
    const bool takes_mine = mine && (!other || mine->number <= other->number);
    const bool takes_other = other && (!mine || other->number <= mine->number);
    if (!(takes_mine && takes_other && recorded(row_of(*mine)) == recorded(row_of(*other)))) {
      if (takes_mine) keys.insert(key_of(row_of(*mine)));
      if (takes_other) keys.insert(key_of(row_of(*other)));
    }
    if (takes_mine) a = own.next();
    if (takes_other) b = kept.next();
  }
}

Rows rows_in(storage::Outbox& outbox) {
  return Rows([&outbox](std::int64_t after) -> Result<std::pair<LedgerBatch, bool>> {
    auto part = outbox.read(after, {page, 0});
    if (!part) return part.error();
    return std::pair(std::move(part->batch), part->is_all);
  });
}

Rows rows_in(History& history, const RunId& ledger) {
  return Rows([&history, ledger](std::int64_t after) -> Result<std::pair<LedgerBatch, bool>> {
    auto batch = history.changes(ledger, after, page);
    if (!batch) return batch.error();
    const bool is_all = std::ssize(batch->changes) < page;
    return std::pair(*std::move(batch), is_all);
  });
}

bool is_asked_for(const Row& row, const std::vector<std::string>& jobs, const audit::Scope& scope) {
  return (jobs.empty() || std::find(jobs.begin(), jobs.end(), row.job) != jobs.end()) &&
         (!scope.since || row.slot >= *scope.since) && (!scope.until || row.slot < *scope.until);
}

/// The line of a ledger; none: nothing of it was put.
Result<std::optional<LedgerLine>> line_of(History& history, const RunId& ledger) {
  const auto lines = history.ledgers();
  if (!lines) return lines.error();
  for (const LedgerLine& line : *lines)
    if (line.ledger == ledger) return std::optional(line);
  return std::optional<LedgerLine>();
}

/// Both may have gone on meanwhile: what is doubtful counts if it is so still, and was handed on.
Result<void> look_again(History& history, const AuditedLedger& place, LedgerView& ledger,
                        const std::vector<RowKey>& keys, std::int64_t sent,
                        const std::function<void(const Row* own, const Row* kept)>& found) {
  std::map<RowKey, Row> own, kept;
  std::set<RowKey> unsent;
  const auto mine = ledger.rows_of(keys);
  if (!mine) return mine.error();
  for (const Row& row : *mine) own.emplace(key_of(row), row);
  auto others = history.rows_of(keys);
  if (!others) return others.error();
  for (KeptRow& one : *others)
    if (one.ledger == place.node) kept.emplace(key_of(one.row), std::move(one.row));
  const auto read = ledger.changes({}, sent, [&](const Row& row) { return unsent.insert(key_of(row)), true; });
  if (!read) return read.error();
  for (const RowKey& key : keys) {
    const auto a = own.find(key), b = kept.find(key);
    const Row* const here = a == own.end() ? nullptr : &a->second;
    const Row* const there = b == kept.end() ? nullptr : &b->second;
    const bool is_same = here && there && recorded(*here) == recorded(*there);
    const bool is_gone = !here && (!there || there->slot < place.kept_since);
    if (!is_same && !is_gone && !unsent.contains(key)) found(here, there);
  }
  return {};
}

}  // namespace

Result<void> audit_against(History& history, const AuditedLedger& place, LedgerView& ledger,
                           const std::vector<std::string>& jobs, const audit::Scope& scope,
                           const std::function<void(audit::Finding)>& add) {
  auto outbox = storage::Outbox::open(place.path, place.node);
  if (!outbox) return outbox.error();
  const auto identity = outbox->identity();
  if (!identity) return identity.error();
  const auto line = line_of(history, *identity);
  if (!line) return line.error();
  if (!*line) return {};
  auto keys = doubtful(rows_in(*outbox), rows_in(history, *identity), (*line)->change);
  if (!keys) return keys.error();
  return look_again(history, place, ledger, *keys, (*line)->change, [&](const Row* own, const Row* kept) {
    const Row& row = own ? *own : *kept;
    if (!is_asked_for(row, jobs, scope)) return;
    audit::Finding finding;
    finding.kind = audit::Kind::history;
    finding.job = row.job;
    finding.slot = row.slot;
    finding.what =
        !own    ? "is in the fleet's history and not in the ledger of " + place.node
        : !kept ? "is in the ledger of " + place.node + ", which has handed it on, and not in the fleet's history"
                : "differs between the ledger of " + place.node + " and the fleet's history";
    if (own) finding.rows.push_back(*own);
    if (kept) finding.rows.push_back(*kept);
    add(std::move(finding));
  });
}

}  // namespace ballot::library
