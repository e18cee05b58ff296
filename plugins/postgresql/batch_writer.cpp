#include "batch_writer.hpp"

#include <set>
#include <type_traits>
#include <variant>

#include "failure.hpp"
#include "row_upsert.hpp"
#include "schema.hpp"

namespace ballot::postgresql {

namespace {

// One that is refused by who only reads, whether the ledger is known or not.
constexpr const char* know_ledger =
    "INSERT INTO ledger (identity, node) SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM ledger WHERE identity = $1)"
    " ON CONFLICT DO NOTHING";
constexpr const char* find_ledger =
    "SELECT id, node, change, stored_at, opening, newest FROM ledger WHERE identity = $1";
constexpr const char* advance_ledger = "SELECT id, rows_since, output_since FROM advance($1, $2, $3, $4, $5, $6, $7)";

constexpr const char* upsert_term =
    "INSERT INTO term (ledger, grp, epoch, node, elected_at, ended_at, cause, change)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (grp, epoch, ledger) DO UPDATE SET node = excluded.node,"
    " elected_at = excluded.elected_at, ended_at = excluded.ended_at, cause = excluded.cause, change = excluded.change"
    " WHERE term.change < excluded.change";
constexpr const char* upsert_definition =
    "INSERT INTO definition (ledger, written, renewed, job, grp, node, since, first_epoch, epoch, before, basis, "
    "digest,"
    " schedule, anchors, timezone, not_before, not_after, enabled, jitter_ms, start_deadline_ms, concurrency, retries,"
    " at_least_once, reruns, change) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
    "$17,"
    " $18, $19, $20, $21, $22, $23, $24, $25) ON CONFLICT (ledger, written) DO UPDATE SET renewed = excluded.renewed,"
    " job = excluded.job, grp = excluded.grp, node = excluded.node, since = excluded.since,"
    " first_epoch = excluded.first_epoch, epoch = excluded.epoch, before = excluded.before, basis = excluded.basis,"
    " digest = excluded.digest, schedule = excluded.schedule, anchors = excluded.anchors, timezone = excluded.timezone,"
    " not_before = excluded.not_before, not_after = excluded.not_after, enabled = excluded.enabled,"
    " jitter_ms = excluded.jitter_ms, start_deadline_ms = excluded.start_deadline_ms,"
    " concurrency = excluded.concurrency, retries = excluded.retries, at_least_once = excluded.at_least_once,"
    " reruns = excluded.reruns, change = excluded.change WHERE definition.change < excluded.change";
constexpr const char* upsert_pause =
    "INSERT INTO pause (ledger, job, grp, since, until, node, by, recorded, change)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (grp, job, since, ledger) DO UPDATE SET"
    " until = excluded.until, node = excluded.node, by = excluded.by, recorded = excluded.recorded,"
    " change = excluded.change WHERE pause.change < excluded.change";
constexpr const char* upsert_pause_with_terms =
    "INSERT INTO pause (ledger, job, grp, since, until, node, by, recorded, change, ends, reason)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (grp, job, since, ledger) DO UPDATE SET"
    " until = excluded.until, node = excluded.node, by = excluded.by, recorded = excluded.recorded,"
    " ends = excluded.ends, reason = excluded.reason,"
    " change = excluded.change WHERE pause.change < excluded.change";
constexpr const char* upsert_request =
    "INSERT INTO request (ledger, id, kind, job, grp, run, node, at, by, result, text, answered_at, change)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (id, ledger) DO UPDATE SET"
    " kind = excluded.kind, job = excluded.job, grp = excluded.grp, run = excluded.run, node = excluded.node,"
    " at = excluded.at, by = excluded.by, result = excluded.result, text = excluded.text,"
    " answered_at = excluded.answered_at, change = excluded.change WHERE request.change < excluded.change";
constexpr const char* upsert_request_with_env =
    "INSERT INTO request (ledger, id, kind, job, grp, run, node, at, by, result, text, answered_at, change, env)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id, ledger) DO UPDATE SET"
    " kind = excluded.kind, job = excluded.job, grp = excluded.grp, run = excluded.run, node = excluded.node,"
    " at = excluded.at, by = excluded.by, result = excluded.result, text = excluded.text,"
    " answered_at = excluded.answered_at, change = excluded.change, env = excluded.env"
    " WHERE request.change < excluded.change";
// What is partial has change 0: it is replaced by any other, and replaces what is partial only.
constexpr const char* upsert_output =
    "INSERT INTO output (ledger, run, attempt, at, is_partial, total_bytes, head, tail, stored_at, change)"
    " SELECT $1::integer, $2::uuid, $3::integer, $4::bigint, $5::boolean, $6::bigint, $7::bytea, $8::bytea,"
    " floor(extract(epoch FROM clock_timestamp()) * 1000), $9::bigint"
    " WHERE $4 = 0 OR $4 >= (SELECT output_since FROM meta) ON CONFLICT (run, attempt, ledger, at) DO UPDATE SET"
    " is_partial = excluded.is_partial, total_bytes = excluded.total_bytes, head = excluded.head, tail = excluded.tail,"
    " stored_at = excluded.stored_at, change = excluded.change"
    " WHERE output.change < excluded.change OR (output.is_partial AND excluded.is_partial)";
constexpr const char* insert_pairs =
    "INSERT INTO job_group (job, grp) SELECT * FROM unnest($1::integer[], $2::integer[]) AS pair(job, grp)"
    " ORDER BY job, grp ON CONFLICT DO NOTHING";
constexpr const char* insert_words =
    "INSERT INTO word (kind, id, text) SELECT * FROM unnest($1::text[], $2::integer[], $3::text[]) AS one(kind, id, "
    "text)"
    " ORDER BY kind, id ON CONFLICT DO NOTHING";

/// The names of jobs, groups and nodes in what is put.
struct AddNames {
  std::set<std::string>& to;

  void operator()(const LedgerRow& one) const { to.insert({one.row.job, one.row.group, one.row.node}); }
  void operator()(const TermRow& one) const { to.insert({one.group, one.node}); }
  void operator()(const KeptDefinition& one) const { to.insert({one.row.job, one.row.group, one.row.node}); }
  void operator()(const PauseRow& one) const { to.insert({one.job, one.group, one.node}); }
  void operator()(const RequestRow& one) const { to.insert({one.job, one.group, one.node}); }
  void operator()(const OutputRow&) const {}
};

/// Words of newer versions, with their numbers.
void add_words(const LedgerBatch& batch, std::vector<Query>& queries) {
  Array kinds(type::texts), numbers(type::integers), texts(type::texts);
  bool is_needed = false;
  const auto add = [&](std::string_view kind, const auto& named) {
    if (named.is_known()) return;
    is_needed = true;
    kinds.add(kind);
    numbers.add(named.number());
    texts.add(named.text());
  };
  for (const LedgerChange& change : batch.changes)
    if (const auto* const one = std::get_if<LedgerRow>(&change.what)) {
      add("status", one->row.status);
      add("reason", one->row.reason);
    }
  if (is_needed) queries.push_back({insert_words, Params().add(kinds).add(numbers).add(texts)});
}

bool is_too_old(const decltype(LedgerChange::what)& what, std::int64_t rows_since, std::int64_t output_since) {
  if (const auto* const one = std::get_if<LedgerRow>(&what))
    return one->row.slot.time_since_epoch().count() < rows_since;
  const auto* const output = std::get_if<OutputRow>(&what);
  return output != nullptr && time_in(output->run) != 0 && time_in(output->run) < output_since;
}

}  // namespace

/// Version 7 of a UUID begins with its time.
std::int64_t time_in(const RunId& run) {
  if (run.bytes[6] >> 4 != 7) return 0;
  std::int64_t time = 0;
  for (std::size_t i = 0; i < 6; ++i) time = time << 8 | run.bytes[i];
  return time;
}

LedgerLine BatchWriter::line_of(const RunId& ledger, const std::string& node) {
  const auto answers =
      connection_.ask({{know_ledger, Params().add(ledger).add(node)}, {find_ledger, Params().add(ledger)}});
  const Answer& found = answers[1];
  if (found.rows() != 1) fail(Errc::corrupt, connection_.place() + ": a ledger that was just made known is not there");
  return {ledger, found.text(0, 1), found.id(0, 4), found.number(0, 5), found.number(0, 2), found.time(0, 3)};
}

/// 0: it is not known.
std::int32_t BatchWriter::id_of(const RunId& ledger) {
  if (generation_ != connection_.generation()) {
    ledgers_.clear();
    tables_ = connection_.ask({"SELECT tables()"}).text(0, 0);
  }
  generation_ = connection_.generation();
  if (const auto known = ledgers_.find(ledger); known != ledgers_.end()) return known->second;
  const Answer found = connection_.ask({find_ledger, Params().add(ledger)});
  if (found.rows() == 0) return 0;
  return ledgers_[ledger] = static_cast<std::int32_t>(found.number(0, 0));
}

PutResult BatchWriter::put(const LedgerBatch& batch) {
  connection_.open();
  ledger_ = id_of(batch.ledger);
  if (ledger_ == 0) fail(Errc::conflict, connection_.place() + ": the ledger is not known");
  std::set<std::string> names;
  for (const LedgerChange& change : batch.changes) std::visit(AddNames{names}, change.what);
  names_.learn(names);
  try {
    return put_once(batch);
  } catch (const Failure& failure) {
    names_.forget_pairs();
    if (failure.error.code == Errc::unavailable) connection_.close();  // and with it go the ids that are remembered
    throw;
  }
}

PutResult BatchWriter::put_once(const LedgerBatch& batch) {
  const auto answers = connection_.ask(queries_of(batch));
  const std::int64_t rows_since = answers[0].number(0, 1), output_since = answers[0].number(0, 2);
  PutResult result;
  for (const LedgerChange& change : batch.changes)
    result.too_old += is_too_old(change.what, rows_since, output_since) ? 1 : 0;
  return result;
}

std::vector<Query> BatchWriter::queries_of(const LedgerBatch& batch) {
  std::vector<Query> queries{{advance_ledger, Params()
                                                  .add(batch.ledger)
                                                  .add(batch.after)
                                                  .add(batch.last)
                                                  .add(batch.node)
                                                  .add(batch.opening)
                                                  .add(batch.newest)
                                                  .add(tables_)}};
  add_pairs(batch, queries);
  add_words(batch, queries);
  RowUpsert rows(ledger_, names_);
  for (const LedgerChange& change : batch.changes)
    std::visit(
        [&](const auto& what) {
          using What = std::decay_t<decltype(what)>;
          if constexpr (std::is_same_v<What, LedgerRow>)
            rows.add(what, change.number, batch.node);
          else if constexpr (std::is_same_v<What, OutputRow>)
            queries.push_back(query_of(what, change.number, false));
          else
            queries.push_back(query_of(what, change.number));
        },
        change.what);
  if (!rows.is_empty()) queries.push_back(rows.query());
  for (const OutputRow& output : batch.partial) queries.push_back(query_of(output, 0, true));
  return queries;
}

void BatchWriter::add_pairs(const LedgerBatch& batch, std::vector<Query>& queries) {
  std::vector<std::int32_t> jobs, groups;
  const auto add = [&](const std::string& job, const std::string& group) {
    const std::int32_t job_id = names_.of(job), group_id = names_.of(group);
    if (!names_.is_new_pair(job_id, group_id)) return;
    jobs.push_back(job_id);
    groups.push_back(group_id);
  };
  for (const LedgerChange& change : batch.changes)
    if (const auto* const row = std::get_if<LedgerRow>(&change.what))
      add(row->row.job, row->row.group);
    else if (const auto* const definition = std::get_if<KeptDefinition>(&change.what))
      add(definition->row.job, definition->row.group);
  if (!jobs.empty()) queries.push_back({insert_pairs, Params().add(jobs).add(groups)});
}

Query BatchWriter::query_of(const TermRow& term, std::int64_t change) const {
  Params params;
  params.add(ledger_).add(names_.of(term.group)).add(term.epoch).add(names_.of(term.node));
  params.add(term.elected_at).add(term.ended_at).add(static_cast<std::int32_t>(term.cause)).add(change);
  return {upsert_term, std::move(params)};
}

Query BatchWriter::query_of(const KeptDefinition& definition, std::int64_t change) const {
  const DefinitionRow& row = definition.row;
  Params params;
  params.add(ledger_).add(definition.written).add(definition.renewed);
  params.add(names_.of(row.job)).add(names_.of(row.group)).add(names_.of(row.node));
  params.add(row.from).add(definition.first_epoch).add(row.epoch).add(row.before);
  params.add(static_cast<std::int32_t>(row.basis)).add(row.digest).add(row.schedule).add(row.anchors);
  params.add(row.timezone).add(row.not_before).add(row.not_after).add(row.enabled);
  params.add(row.jitter).add(row.start_deadline).add(static_cast<std::int32_t>(row.concurrency));
  params.add(static_cast<std::int32_t>(row.retries)).add(row.at_least_once).add(row.reruns).add(change);
  return {upsert_definition, std::move(params)};
}

Query BatchWriter::query_of(const PauseRow& pause, std::int64_t change) const {
  Params params;
  params.add(ledger_).add(names_.of(pause.job)).add(names_.of(pause.group)).add(pause.from).add(pause.until);
  params.add(names_.of(pause.node)).add(pause.by).add(pause.change).add(change);
  if (connection_.tables_version() < version_with_pause_terms) return {upsert_pause, std::move(params)};
  params.add(pause.ends).add(pause.reason);
  return {upsert_pause_with_terms, std::move(params)};
}

Query BatchWriter::query_of(const RequestRow& request, std::int64_t change) const {
  Params params;
  params.add(ledger_).add(request.id).add(request.kind).add(names_.of(request.job)).add(names_.of(request.group));
  params.add(request.run).add(names_.of(request.node)).add(request.at).add(request.by);
  params.add(request.result).add(request.text).add(request.answered_at).add(change);
  if (connection_.tables_version() < version_with_trigger_env) return {upsert_request, std::move(params)};
  params.add(request.env);
  return {upsert_request_with_env, std::move(params)};
}

Query BatchWriter::query_of(const OutputRow& output, std::int64_t change, bool is_partial) const {
  Params params;
  params.add(ledger_).add(output.run).add(static_cast<std::int32_t>(output.attempt)).add(time_in(output.run));
  params.add(is_partial).add(output.output.total_bytes);
  params.add(Bytes{output.output.head}).add(Bytes{output.output.tail}).add(change);
  return {upsert_output, std::move(params)};
}

}  // namespace ballot::postgresql
