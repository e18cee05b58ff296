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
    find_pause_.emplace(db, pause_sql(has_pause_terms(db), covers_slot));
    find_later_pause_.emplace(db, pause_sql(has_pause_terms(db), began_after_slot));
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
  // A pause of the job itself comes before one of its group. One whose end another node has seen has its own end still;
  // without one it was over when another of the same began in the term that has settled the slot: that term would have
  // recorded its end.
  static constexpr const char* covers_slot =
      "since <= ?3 AND ifnull(ifnull(until, ends) >= ?3, NOT EXISTS (SELECT 1 FROM pause AS next, settler WHERE"
      " next.job_id = known.job_id AND next.group_id = known.group_id AND next.since > known.since"
      " AND next.since BETWEEN elected_at AND ifnull(ended_at, next.since))) ORDER BY job_id DESC, since DESC";
  // The slot had waited, and the pause began in the term that has settled it, or before.
  static constexpr const char* began_after_slot =
      "since > ?3 AND EXISTS (SELECT 1 FROM settler WHERE since <= ifnull(ended_at, since))"
      " ORDER BY since, job_id DESC";
  /// Of job ?1 of group ?2 with a slot ?3 that the term ?4 of node ?5 has settled.
  static std::string pause_sql(bool with_terms, const char* which) {
    const std::string terms = with_terms ? "ends, reason" : "NULL AS ends, NULL AS reason";
    const std::string joined = with_terms ? " LEFT JOIN pause_terms USING (job_id, group_id, since)" : "";
    const auto id_of = [](const std::string& name) { return "(SELECT id FROM name WHERE text = " + name + ")"; };
    return "WITH settler AS (SELECT elected_at, ended_at FROM term WHERE group_id = " + id_of("?2") +
           " AND epoch = ?4 AND node_id = " + id_of("?5") + "), known AS (SELECT job_id, group_id, until, by, since, " +
           terms + " FROM pause" + joined + " WHERE group_id = " + id_of("?2") + " AND job_id IN (0, " + id_of("?1") +
           ")) SELECT job_id, group_id, until, by, since, ends, reason FROM known WHERE " + which + " LIMIT 1";
  }
  // The request that ended it was taken up right before it ended.
  static constexpr const char* resume_sql =
      "SELECT by FROM request INDEXED BY request_at WHERE at BETWEEN ?3 - 60000 AND ?3 + 1000 AND kind = 'resume'"
      " AND CASE WHEN ?1 = 0 THEN group_id = ?2 ELSE job_id = ?1 END ORDER BY at DESC LIMIT 1";

  void name_pause(Row& row) {
    if (!find_pause_) return;
    if (!name_pause(row, *find_pause_)) name_pause(row, *find_later_pause_);
  }

  /// False: there is none such.
  bool name_pause(Row& row, Statement& find) {
    Cursor pause = find.start(std::string_view(row.job), std::string_view(row.group), row.slot,
                              static_cast<std::int64_t>(row.epoch), std::string_view(row.node));
    if (!pause.step()) return false;
    row.paused_by = pause.text(3);
    row.paused_at = pause.time(4);
    if (!pause.null(5)) row.pause_ends = pause.time(5);
    if (!pause.null(6)) row.pause_reason = pause.text(6);
    if (pause.null(2)) return true;
    if (row.pause_ends == pause.time(2)) return row.resumed_by = by_its_end, true;
    Cursor resume = find_resume_->start(pause.number(0), pause.number(1), pause.number(2));
    if (resume.step()) row.resumed_by = resume.text(0);
    return true;
  }

  std::optional<Statement> find_, find_pause_, find_later_pause_, find_resume_;
};

}  // namespace ballot::storage
