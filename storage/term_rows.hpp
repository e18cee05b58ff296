// The pauses and terms of an open ledger. `name_of`: the name of an id. Throws SqliteError.
#pragma once

#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "storage/row_columns.hpp"
#include "storage/schema.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

/// The pauses that `where` chooses.
inline std::string select_pauses(Database& db, const std::string& where) {
  const std::string columns = "SELECT job_id, group_id, node_id, since, until, by, change, ";
  if (!has_pause_terms(db)) return columns + "NULL, NULL FROM pause " + where;
  return columns + "ends, reason FROM pause LEFT JOIN pause_terms USING (job_id, group_id, since) " + where;
}
inline constexpr const char* term_columns = "group_id, node_id, epoch, elected_at, ended_at, cause";

template <class NameOf>
PauseRow read_pause(const Cursor& one, const NameOf& name_of) {
  PauseRow pause;
  if (one.number(0) != 0) pause.job = name_of(one.number(0));
  pause.group = name_of(one.number(1));
  pause.node = name_of(one.number(2));
  pause.from = one.time(3);
  if (!one.null(4)) pause.until = one.time(4);
  pause.by = one.text(5);
  pause.change = one.number(6);
  if (!one.null(7)) pause.ends = one.time(7);
  if (!one.null(8)) pause.reason = one.text(8);
  return pause;
}

template <class NameOf>
TermRow read_term(const Cursor& one, const NameOf& name_of) {
  TermRow term;
  term.group = name_of(one.number(0));
  term.node = name_of(one.number(1));
  term.epoch = static_cast<std::uint64_t>(one.number(2));
  term.elected_at = one.time(3);
  if (!one.null(4)) term.ended_at = one.time(4);
  term.cause = read_word(one.number(5), Cause::unfit);
  return term;
}

/// All of them, by job and their beginning.
template <class NameOf>
std::vector<PauseRow> read_pauses(Database& db, const NameOf& name_of) {
  std::vector<PauseRow> all;
  Statement query(db, select_pauses(db, "ORDER BY job_id, since"));
  for (Cursor one = query.start(); one.step();) all.push_back(read_pause(one, name_of));
  return all;
}

}  // namespace ballot::storage
