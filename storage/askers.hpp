// Askers: who triggered, killed or forgot the runs of rows, and who paused and resumed what kept slots from running, by
// the requests and pauses that a ledger keeps. Throws SqliteError.
//
//   Askers askers(db);        askers.name(row);     // row.triggered_by, row.ended_by
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ballot/ledger.hpp"
#include "storage/row_columns.hpp"
#include "storage/schema.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

class Askers {
 public:
  /// The database outlives it. A ledger that an older ballot writes has no requests.
  explicit Askers(Database& db) {
    if (requests_kept(db) == RequestsKept::none) return;
    find_.emplace(db, request_sql(has_trigger_env(db)));
    find_pause_.emplace(db, pause_sql(has_pause_terms(db)));
    find_resume_.emplace(db, resume_sql);
  }

  void name(Row& row) {
    if (row.reason == Reason::paused) return name_pause(row);
    const bool by_hand = row.trigger == Trigger::manual;
    const std::string_view end = row.reason == Reason::operator_   ? "kill"
                                 : row.reason == Reason::forgotten ? "forget"
                                                                   : "";
    if (!find_ || !row.run || !(by_hand || !end.empty())) return;
    for (Cursor found = find_->start(id_blob(*row.run)); found.step();) {
      if (found.text(0) == "trigger" && by_hand) {
        row.triggered_by = found.text(1);
        if (!found.null(2)) row.env = std::string(found.text(2));
      }
      if (found.text(0) == end) row.ended_by = found.text(1);
    }
  }

 private:
  static std::string request_sql(bool with_env) {
    return std::string("SELECT kind, by, ") +
           (with_env ? "env FROM request LEFT JOIN trigger_env ON trigger_id = id" : "NULL FROM request") +
           " WHERE id = ?1 UNION ALL SELECT kind, by, NULL FROM request WHERE run_id = ?1";
  }
  // A pause of the job itself comes before one of its group. One whose end another node has seen has its own end still.
  static std::string pause_sql(bool with_terms) {
    const std::string terms = with_terms ? "ends, reason" : "NULL AS ends, NULL AS reason";
    const std::string joined = with_terms ? "LEFT JOIN pause_terms USING (job_id, group_id, since) " : "";
    return "SELECT job_id, group_id, until, by, since, " + terms + " FROM pause " + joined +
           "WHERE group_id = (SELECT id FROM name WHERE text = ?2) AND job_id IN (0, (SELECT id FROM name WHERE text = "
           "?1))"
           " AND since <= ?3 AND ifnull(ifnull(until, " +
           (with_terms ? "ends" : "NULL") + ") >= ?3, 1) ORDER BY job_id DESC, since DESC LIMIT 1";
  }
  // The request that ended it was taken up right before it ended.
  static constexpr const char* resume_sql =
      "SELECT by FROM request INDEXED BY request_at WHERE at BETWEEN ?3 - 60000 AND ?3 + 1000 AND kind = 'resume'"
      " AND CASE WHEN ?1 = 0 THEN group_id = ?2 ELSE job_id = ?1 END ORDER BY at DESC LIMIT 1";

  void name_pause(Row& row) {
    if (!find_pause_) return;
    Cursor pause = find_pause_->start(std::string_view(row.job), std::string_view(row.group), row.slot);
    if (!pause.step()) return;
    row.paused_by = pause.text(3);
    row.paused_at = pause.time(4);
    if (!pause.null(5)) row.pause_ends = pause.time(5);
    if (!pause.null(6)) row.pause_reason = pause.text(6);
    if (pause.null(2)) return;
    if (row.pause_ends == pause.time(2)) return void(row.resumed_by = by_its_end);
    Cursor resume = find_resume_->start(pause.number(0), pause.number(1), pause.number(2));
    if (resume.step()) row.resumed_by = resume.text(0);
  }

  std::optional<Statement> find_, find_pause_, find_resume_;
};

}  // namespace ballot::storage
