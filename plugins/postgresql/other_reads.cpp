#include "other_reads.hpp"

#include <algorithm>
#include <limits>

#include "batch_writer.hpp"
#include "kept_rows.hpp"
#include "schema.hpp"
#include "where.hpp"

namespace ballot::postgresql {

namespace {

constexpr std::int64_t largest_request_page = 10'000;
constexpr std::size_t digits_of_tail = 8, fewest_digits = 6, most_digits = 32;

// Of a request that several ledgers have the one counts that knows what came of it; that nobody was known to have done
// it is the least of that.
constexpr const char* no_better_request =
    "NOT EXISTS (SELECT FROM request AS b WHERE b.id = q.id AND b.ledger <> q.ledger AND"
    " (CASE b.result WHEN '' THEN 0 WHEN 'expired' THEN 1 ELSE 2 END, -b.at, -b.ledger) >"
    " (CASE q.result WHEN '' THEN 0 WHEN 'expired' THEN 1 ELSE 2 END, -q.at, -q.ledger))";
std::string select_requests(bool with_env) {
  return std::string(
             "SELECT q.id, q.kind, job.text, grp.text, q.run, node.text, q.at, q.by, q.result, q.text, "
             "q.answered_at, ") +
         (with_env ? "q.env" : "''") +
         " FROM request AS q LEFT JOIN name AS job ON job.id = q.job LEFT JOIN name AS grp ON grp.id = q.grp"
         " LEFT JOIN name AS node ON node.id = q.node WHERE ";
}

constexpr const char* select_ledgers =
    "SELECT identity, node, opening, newest, change, stored_at FROM ledger WHERE stored_at IS NOT NULL ORDER BY node, "
    "identity";
constexpr const char* select_runs =
    "SELECT DISTINCT run FROM rows WHERE tail BETWEEN $1 AND $2 AND right(replace(run::text, '-', ''), $3) = $4 LIMIT "
    "10";
constexpr const char* select_output =
    "SELECT o.head, o.tail, o.total_bytes, l.node, o.is_partial, o.stored_at FROM output AS o"
    " JOIN ledger AS l ON l.id = o.ledger WHERE o.run = $1 AND o.attempt = $2 AND o.at = $3"
    " ORDER BY o.is_partial, o.stored_at DESC LIMIT 1";
constexpr const char* select_terms =
    "SELECT DISTINCT ON (t.epoch, node.text) node.text, t.epoch, t.elected_at, t.ended_at, t.cause FROM term AS t"
    " JOIN ledger AS l ON l.id = t.ledger JOIN name AS node ON node.id = t.node JOIN name AS grp ON grp.id = t.grp"
    " WHERE grp.text = $1 ORDER BY t.epoch DESC, node.text DESC, l.node <> node.text, t.ledger LIMIT $2";
constexpr const char* select_known_jobs =
    "SELECT text FROM name WHERE text = ANY($1::text[]) AND EXISTS (SELECT FROM job_group WHERE job = name.id)";
constexpr const char* select_known_groups =
    "SELECT text FROM name WHERE text = ANY($1::text[]) AND (EXISTS (SELECT FROM job_group WHERE grp = name.id)"
    " OR EXISTS (SELECT FROM term WHERE grp = name.id))";
// '@' comes right before 'A'.
constexpr const char* select_instances =
    "SELECT text FROM name WHERE text >= $1 || '@' AND text < $1 || 'A' AND (EXISTS (SELECT FROM job_group WHERE job ="
    " name.id) OR EXISTS (SELECT FROM job_group WHERE grp = name.id) OR EXISTS (SELECT FROM term WHERE grp = name.id))"
    " ORDER BY text";

Query requests_query(const RequestFilter& filter, bool with_env) {
  Where where;
  where.add(no_better_request);
  if (!filter.jobs.empty()) {
    const std::string jobs = where.ids(filter.jobs);
    where.add("(q.job = ANY(", jobs, ") OR q.grp IN (SELECT grp FROM job_group WHERE job = ANY(", jobs, ")))");
  }
  where.add_names("q.node", filter.nodes);
  if (!filter.groups.empty()) {
    const std::string groups = where.ids(filter.groups);
    where.add("(q.grp = ANY(", groups, ") OR q.job IN (SELECT job FROM job_group WHERE grp = ANY(", groups, ")))");
  }
  if (!filter.kinds.empty()) where.add("q.kind = ANY(", where.bind(filter.kinds), ")");
  if (!filter.by.empty()) where.add("position(' ' || ", where.bind(filter.by), " || ' ' IN ' ' || q.by || ' ') > 0");
  if (filter.run) {
    const std::string run = where.bind(*filter.run);
    where.add("(q.id = ", run, " OR q.run = ", run, ")");
  }
  if (filter.since) where.add("q.at >= ", where.bind(*filter.since));
  if (filter.until) where.add("q.at < ", where.bind(*filter.until));
  if (filter.after)
    where.add("(q.at, q.id) < (", where.bind(filter.after->at), ", ", where.bind(filter.after->id), ")");
  const std::string limit = where.bind(std::min(filter.limit.value_or(largest_request_page), largest_request_page));
  return {select_requests(with_env) + where.sql() + " ORDER BY q.at DESC, q.id DESC LIMIT " + limit,
          where.take_params(), Query::Plan::anew};
}

RequestRow read_request(const Answer& answer, int i) {
  RequestRow row;
  row.id = answer.id(i, 0);
  row.kind = answer.text(i, 1);
  row.job = answer.text(i, 2);
  row.group = answer.text(i, 3);
  row.run = answer.maybe_id(i, 4);
  row.node = answer.text(i, 5);
  row.at = answer.time(i, 6);
  row.by = answer.text(i, 7);
  row.result = answer.text(i, 8);
  row.text = answer.text(i, 9);
  row.answered_at = answer.maybe_time(i, 10);
  row.env = answer.text(i, 11);
  return row;
}

/// -1: it is no hexadecimal digit.
int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/// The tails, as tail_of() has them, of all runs that end with these digits.
struct TailRange {
  std::int32_t first, last;
};
TailRange range_of(const std::string& digits) {
  std::uint32_t first = 0, last = 0;
  for (std::size_t i = 0; i < digits_of_tail; ++i) {
    const bool is_given = i < digits.size();
    const auto value = is_given ? static_cast<std::uint32_t>(value_of(digits[digits.size() - 1 - i])) : 0;
    first = first << 4 | value;
    last = last << 4 | (is_given ? value : 15);
  }
  return {static_cast<std::int32_t>(first ^ 0x80000000), static_cast<std::int32_t>(last ^ 0x80000000)};
}

}  // namespace

std::vector<LedgerLine> OtherReads::ledgers() {
  const Answer answer = connection_.ask({select_ledgers});
  std::vector<LedgerLine> lines;
  for (int i = 0; i < answer.rows(); ++i)
    lines.push_back({answer.id(i, 0), answer.text(i, 1), answer.id(i, 2), answer.number(i, 3), answer.number(i, 4),
                     answer.time(i, 5)});
  return lines;
}

std::vector<RequestRow> OtherReads::requests(const RequestFilter& filter) {
  const Answer answer =
      connection_.ask(requests_query(filter, connection_.tables_version() >= version_with_trigger_env));
  std::vector<RequestRow> rows;
  for (int i = 0; i < answer.rows(); ++i) rows.push_back(read_request(answer, i));
  return rows;
}

std::vector<RunId> OtherReads::find_run(const std::string& digits) {
  const bool is_hex = std::all_of(digits.begin(), digits.end(), [](char c) { return value_of(c) >= 0; });
  if (!is_hex || digits.size() < fewest_digits || digits.size() > most_digits) return {};
  const TailRange tails = range_of(digits);
  Params params;
  params.add(tails.first).add(tails.last).add(static_cast<std::int32_t>(digits.size())).add(digits);
  const Answer answer = connection_.ask({select_runs, std::move(params)});
  std::vector<RunId> runs;
  for (int i = 0; i < answer.rows(); ++i) runs.push_back(answer.id(i, 0));
  return runs;
}

std::optional<StoredOutput> OtherReads::output(const RunId& run, int attempt) {
  Params params;
  params.add(run).add(static_cast<std::int32_t>(attempt)).add(time_in(run));
  const Answer answer = connection_.ask({select_output, std::move(params)});
  if (answer.rows() == 0) return std::nullopt;
  return StoredOutput{{answer.text(0, 0), answer.text(0, 1), answer.number(0, 2)},
                      answer.text(0, 3),
                      answer.flag(0, 4),
                      answer.time(0, 5)};
}

std::vector<TermRow> OtherReads::terms(const std::string& group, std::int64_t limit) {
  const Answer answer = connection_.ask({select_terms, Params().add(group).add(limit)});
  std::vector<TermRow> terms;
  for (int i = 0; i < answer.rows(); ++i)
    terms.push_back({group, answer.text(i, 0), answer.natural(i, 1), answer.time(i, 2), answer.maybe_time(i, 3),
                     read_enum(answer.number(i, 4), Cause::unfit)});
  return terms;
}

std::vector<std::string> OtherReads::known_jobs(const std::vector<std::string>& names) {
  return connection_.ask({select_known_jobs, Params().add(names)}).all_texts();
}

std::vector<std::string> OtherReads::known_groups(const std::vector<std::string>& names) {
  return connection_.ask({select_known_groups, Params().add(names)}).all_texts();
}

std::vector<std::string> OtherReads::instances_of(const std::string& name) {
  return connection_.ask({select_instances, Params().add(name)}).all_texts();
}

}  // namespace ballot::postgresql
