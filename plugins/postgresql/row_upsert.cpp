#include "row_upsert.hpp"

#include <string>

namespace ballot::postgresql {

namespace {

struct Column {
  const char *name, *type;
  void (*add)(Array& to, const Row& row);
};

template <auto Member>
void add_member(Array& to, const Row& row) {
  to.add(row.*Member);
}
template <auto Member>
void add_enum(Array& to, const Row& row) {
  to.add(static_cast<std::int32_t>(row.*Member));
}
template <auto Member>
void add_named(Array& to, const Row& row) {
  to.add((row.*Member).number());
}
template <auto Member>
void add_natural(Array& to, const Row& row) {
  to.add(static_cast<std::int64_t>(row.*Member));
}

void add_run(Array& to, const Row& row) { to.add(row.run.value_or(RunId{})); }
void add_duration(Array& to, const Row& row) {
  if (row.duration)
    to.add(static_cast<std::int64_t>(row.duration->count()));
  else
    to.add_null();
}
void add_tail(Array& to, const Row& row) {
  if (row.run)
    to.add(tail_of(*row.run));
  else
    to.add_null();
}

/// But for what is not in the row: id, change, at_once, and the numbers of names.
constexpr Column columns[] = {
    {"run", "uuid", add_run},
    {"slot", "bigint", add_member<&Row::slot>},
    {"slot_until", "bigint", add_member<&Row::slot_until>},
    {"slots", "bigint", add_member<&Row::slots>},
    {"started_at", "bigint", add_member<&Row::started_at>},
    {"ended_at", "bigint", add_member<&Row::ended_at>},
    {"duration_ms", "bigint", add_duration},
    {"epoch", "bigint", add_natural<&Row::epoch>},
    {"fence", "bigint", add_natural<&Row::fence>},
    {"output_bytes", "bigint", add_member<&Row::output_bytes>},
    {"tail", "integer", add_tail},
    {"attempt", "integer", add_member<&Row::attempt>},
    {"status", "integer", add_named<&Row::status>},
    {"reason", "integer", add_named<&Row::reason>},
    {"exit_code", "integer", add_member<&Row::exit_code>},
    {"signal", "integer", add_member<&Row::signal>},
    {"trigger", "integer", add_enum<&Row::trigger>},
    {"leftover", "integer", add_enum<&Row::leftover>},
};
constexpr Column others[] = {{"id", "bigint", nullptr},       {"change", "bigint", nullptr},
                             {"at_once", "boolean", nullptr}, {"job", "integer", nullptr},
                             {"grp", "integer", nullptr},     {"node", "integer", nullptr}};
constexpr const char* row_key = "run, attempt, job, slot, ledger";

std::uint32_t array_type(std::string_view name) {
  return name == "uuid"      ? type::uuids
         : name == "bigint"  ? type::bigints
         : name == "boolean" ? type::booleans
                             : type::integers;
}

/// What is not replaced are the key's columns, and `tail`, which is the key's.
std::string make_upsert() {
  std::string names = "ledger", arrays, updates;
  int number = 1;
  const auto add = [&](const Column& one) {
    const std::string name = one.name;
    names += ", " + name;
    arrays += std::string(arrays.empty() ? "$" : ", $") + std::to_string(++number) + "::" + one.type + "[]";
    if (name != "run" && name != "attempt" && name != "job" && name != "slot" && name != "tail")
      updates += (updates.empty() ? "" : ", ") + name + " = excluded." + name;
  };
  for (const Column& one : columns) add(one);
  for (const Column& one : others) add(one);
  const std::string unnested = names.substr(names.find(',') + 2);
  return "INSERT INTO rows (" + names + ") SELECT $1::integer, one.* FROM unnest(" + arrays + ") AS one(" + unnested +
         ") WHERE slot >= (SELECT rows_since FROM meta) ON CONFLICT (" + row_key + ") DO UPDATE SET " + updates +
         " WHERE rows.change < excluded.change";
}

}  // namespace

std::int32_t tail_of(const RunId& run) {
  std::uint32_t reversed = 0;
  for (std::size_t i = 16; i-- > 12;) {
    const std::uint32_t byte = run.bytes[i];
    reversed = reversed << 8 | (byte & 15) << 4 | byte >> 4;
  }
  return static_cast<std::int32_t>(reversed ^ 0x80000000);  // ordered as if it had no sign
}

bool is_at_once(const Row& row, const std::string& ledger_node) {
  return row.run && row.attempt == 1 && row.status == Status::succeeded && row.node == ledger_node;
}

void RowUpsert::add(const LedgerRow& row, std::int64_t change, const std::string& node) {
  const Key key{row.row.run.value_or(RunId{}), row.row.attempt, row.row.job, row.row.slot};
  rows_[key] = {&row, change, is_at_once(row.row, node)};
}

Query RowUpsert::query() const {
  static const std::string sql = make_upsert();
  Params params;
  params.add(ledger_);
  for (const Column& column : columns) {
    Array values(array_type(column.type));
    for (const auto& [key, one] : rows_) column.add(values, one.row->row);
    params.add(values);
  }
  Array ids(type::bigints), changes(type::bigints), at_once(type::booleans), jobs(type::integers),
      groups(type::integers), nodes(type::integers);
  for (const auto& [key, one] : rows_) {
    ids.add(one.row->id);
    changes.add(one.change);
    at_once.add(one.at_once);
    jobs.add(names_.of(one.row->row.job));
    groups.add(names_.of(one.row->row.group));
    nodes.add(names_.of(one.row->row.node));
  }
  params.add(ids).add(changes).add(at_once).add(jobs).add(groups).add(nodes);
  return {sql, std::move(params)};
}

}  // namespace ballot::postgresql
