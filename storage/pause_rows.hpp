// The pauses of an open ledger, by job and their beginning. `name_of`: the name of an id. Throws SqliteError.
#pragma once

#include <vector>

#include "ballot/ledger.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

template <class NameOf>
std::vector<PauseRow> read_pauses(const Database& db, NameOf name_of) {
  std::vector<PauseRow> all;
  Statement query(db, "SELECT job_id, group_id, node_id, since, until, by, change FROM pause ORDER BY job_id, since");
  for (Cursor one = query.start(); one.step();) {
    PauseRow& pause = all.emplace_back();
    if (one.number(0) != 0) pause.job = name_of(one.number(0));
    pause.group = name_of(one.number(1));
    pause.node = name_of(one.number(2));
    pause.from = one.time(3);
    if (!one.null(4)) pause.until = one.time(4);
    pause.by = one.text(5);
    pause.change = one.number(6);
  }
  return all;
}

}  // namespace ballot::storage
