// ChangeMarks: by which change each thing of the ledger was recorded last that is no row (rows have a column for it),
// so that a reader finds what is new since a change, in the order in which it was recorded. Kept only while somebody
// reads it: a ledger that begins to keep marks, or that a ballot without marks has written meanwhile, marks all that it
// has.
//
// Thread: the writer's. Throws SqliteError.
//
//   ChangeMarks marks(db);
//   marks.set({Marked::term, group_id, epoch}, ++change);
#pragma once

#include <cstdint>

#include "storage/database.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

/// Numbers in the file: what was released is never changed.
enum class Marked { term = 1, definition = 2, pause = 3, request = 4, output = 5 };

/// The key of a thing: of a term (group, epoch), a definition (id), a pause (job, group, since), a request (its id), an
/// output (run, attempt).
struct MarkKey {
  Marked what;
  std::int64_t one = 0, two = 0, three = 0;
  Blob id = {};
};

class ChangeMarks {
 public:
  /// The database outlives it.
  explicit ChangeMarks(const Database& db);

  void set(const MarkKey& key, std::int64_t change);

  /// Marks all that there is, with numbers above `change`. Returns the last one given.
  static std::int64_t set_all(Database& db, std::int64_t change);

 private:
  Statement set_;
};

}  // namespace ballot::storage
