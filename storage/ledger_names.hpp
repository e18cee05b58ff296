// LedgerNames: the names and words of an open ledger by their numbers, each read once. Throws SqliteError.
//
//   LedgerNames names(db);
//   names.of(3)                        // "nightly"; "": there is none
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "storage/row_columns.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

class LedgerNames {
 public:
  /// The database outlives it.
  explicit LedgerNames(const Database& db)
      : find_text_(db, "SELECT text FROM name WHERE id = ?1"),
        find_word_(db, "SELECT text FROM word WHERE kind = ?1 AND id = ?2") {}
  LedgerNames(const LedgerNames&) = delete;
  LedgerNames& operator=(const LedgerNames&) = delete;

  const std::string& of(std::int64_t id) {
    std::string& name = names_[id];
    if (!name.empty()) return name;
    Cursor found = find_text_.start(id);
    if (found.step()) name = found.text(0);
    return name;
  }
  std::string word_of(std::string_view kind, std::int64_t number) {
    Cursor found = find_word_.start(kind, number);
    return found.step() && !found.null(0) ? std::string(found.text(0)) : "";
  }
  /// For read_row(). This outlives it.
  RowTexts texts() {
    return {[this](std::int64_t id) -> const std::string& { return of(id); },
            [this](std::string_view kind, std::int64_t number) { return word_of(kind, number); }};
  }

 private:
  Statement find_text_, find_word_;
  std::unordered_map<std::int64_t, std::string> names_;
};

}  // namespace ballot::storage
