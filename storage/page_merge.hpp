// PageMerge: the sorted pages of several ledgers as one list: by slot, then attempt, newest first; rows that are equal
// in both by their ledgers' names, then as their ledger has them. So one position (storage/filter.hpp) says where
// reading goes on in each ledger, also in one that joins or leaves between two pages.
//
//   next() is known | once each ledger has a row here, or has no more
//   wanted()        | names the ledgers whose next page is to be read before
//
// Pure: whoever uses it reads the pages.
//
//   PageMerge merge({"host-1", "host-2"});
//   for (const std::string& ledger : merge.wanted())
//     merge.add(ledger, read(ledger, merge.position_in(ledger, filter.after)), is_last);
//   while (auto row = merge.next()) print(row->row);
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "storage/filter.hpp"

namespace ballot::storage {

/// A row and where it stands among those of its ledger, which `at` names.
struct PlacedRow {
  Row row;
  Position at;
};

/// Where one ledger is read from, for the rows after a position in those of several; none: from its newest row.
std::optional<Position> position_in(const std::string& ledger, const std::optional<Position>& after);

class PageMerge {
 public:
  /// Each name once.
  explicit PageMerge(const std::vector<std::string>& ledgers);

  std::vector<std::string> wanted() const;
  /// Where the next page of a ledger begins: after the last row that was added, or where position_in() says.
  std::optional<Position> next_page(const std::string& ledger, const std::optional<Position>& after) const;
  /// The next rows of a ledger, in order; `is_last`: it has no more.
  void add(const std::string& ledger, std::vector<PlacedRow> rows, bool is_last);
  /// A ledger that cannot be read: nothing more is expected of it.
  void leave_out(const std::string& ledger);

  /// None: a page is wanted, or nothing is left.
  std::optional<PlacedRow> next();
  /// next() until there is none, or they are so many.
  std::vector<PlacedRow> take(std::int64_t most);

 private:
  struct Source {
    std::deque<PlacedRow> rows;
    std::optional<Position> last;  // that was added
    bool is_done = false;
  };
  std::map<std::string, Source> sources_;
};

}  // namespace ballot::storage
