#include "storage/change_marks.hpp"

#include <string>

namespace ballot::storage {

ChangeMarks::ChangeMarks(const Database& db)
    : set_(db,
           "INSERT INTO mark (change, kind, one, two, three, id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
           " ON CONFLICT (kind, one, two, three, id) DO UPDATE SET change = excluded.change") {}

void ChangeMarks::set(const MarkKey& key, std::int64_t change) {
  set_.run(change, static_cast<int>(key.what), key.one, key.two, key.three, key.id);
}

std::int64_t ChangeMarks::set_all(Database& db, std::int64_t change) {
  constexpr const char* things[] = {
      "1, group_id, epoch, 0, x'' FROM term ORDER BY elected_at",  "2, id, 0, 0, x'' FROM definition ORDER BY id",
      "3, job_id, group_id, since, x'' FROM pause ORDER BY since", "4, 0, 0, 0, id FROM request ORDER BY at",
      "5, attempt, 0, 0, run_id FROM output ORDER BY rowid",
  };
  db.run("DELETE FROM mark");
  for (const char* thing : things) {
    db.run(("INSERT INTO mark (change, kind, one, two, three, id) SELECT " + std::to_string(change) +
            " + row_number() OVER (), * FROM (SELECT " + thing + ")")
               .c_str());
    if (const std::int64_t last = db.number("SELECT max(change) FROM mark"); last > change) change = last;
  }
  return change;
}

}  // namespace ballot::storage
