#include "storage/run_search.hpp"

#include "storage/row_columns.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

std::string run_digits(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c == '-') continue;
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!((lower >= '0' && lower <= '9') || (lower >= 'a' && lower <= 'f'))) return "";
    digits += lower;
  }
  return digits;
}

std::vector<RunId> runs_ending_with(Database& db, const std::string& digits) {
  std::string last_byte;
  last_byte += static_cast<char>(std::stoi(digits.substr(digits.size() - 2), nullptr, 16));
  Statement query(db,
                  "SELECT DISTINCT run_id FROM ledger INDEXED BY ledger_run WHERE substr(run_id, 16) = ?1"
                  " AND run_id IS NOT NULL AND substr(lower(hex(run_id)), 33 - length(?2)) = ?2 LIMIT 10");
  Cursor found = query.start(Blob{last_byte}, std::string_view(digits));
  std::vector<RunId> runs;
  while (found.step()) runs.push_back(read_run_id(found.blob(0)));
  return runs;
}

}  // namespace ballot::storage
