#include "storage/page_merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ballot::storage {
namespace {

PlacedRow row_at(const std::string& ledger, int slot, int attempt, std::int64_t id) {
  PlacedRow placed;
  placed.row.job = ledger + " " + std::to_string(id);
  placed.row.slot = WallTime(std::chrono::minutes(slot));
  placed.row.attempt = attempt;
  placed.at = {placed.row.slot, attempt, id, ledger};
  return placed;
}

using Ledgers = std::map<std::string, std::vector<PlacedRow>>;

/// What a ledger's reader returns: its rows after a position, newest first.
std::vector<PlacedRow> page_of(std::vector<PlacedRow> rows, const std::optional<Position>& after, std::size_t most) {
  const auto key = [](const Position& at) { return std::tuple(at.slot, at.attempt, at.id); };
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a.at) > key(b.at); });
  if (after) std::erase_if(rows, [&](const PlacedRow& one) { return key(one.at) >= key(*after); });
  if (rows.size() > most) rows.resize(most);
  return rows;
}

/// The next `most` rows of all ledgers after a position, read in pages of `page` rows.
std::vector<PlacedRow> read(const Ledgers& ledgers, const std::optional<Position>& after, std::size_t most,
                            std::size_t page) {
  std::vector<std::string> names;
  for (const auto& [name, rows] : ledgers) names.push_back(name);
  PageMerge merge(names);
  std::vector<PlacedRow> all;
  while (all.size() < most) {
    for (const std::string& name : merge.wanted()) {
      auto rows = page_of(ledgers.at(name), merge.next_page(name, after), page);
      const bool is_last = rows.size() < page;
      merge.add(name, std::move(rows), is_last);
    }
    if (auto row = merge.next())
      all.push_back(std::move(*row));
    else if (merge.wanted().empty())
      break;
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<PlacedRow>& rows) {
  std::vector<std::string> names;
  for (const PlacedRow& row : rows) names.push_back(row.row.job);
  return names;
}

TEST(PageMerge, OrdersBySlotThenAttemptNewestFirst) {
  const Ledgers ledgers{{"a", {row_at("a", 1, 1, 1), row_at("a", 3, 1, 2)}},
                        {"b", {row_at("b", 1, 2, 1), row_at("b", 2, 1, 2)}}};
  EXPECT_EQ(names_of(read(ledgers, {}, 10, 10)), (std::vector<std::string>{"a 2", "b 2", "b 1", "a 1"}));
}

TEST(PageMerge, WaitsForThePageThatMayHaveTheNextRow) {
  PageMerge merge({"a", "b"});
  EXPECT_EQ(merge.wanted(), (std::vector<std::string>{"a", "b"}));
  merge.add("a", {row_at("a", 1, 1, 1)}, true);
  EXPECT_FALSE(merge.next());
  EXPECT_EQ(merge.wanted(), std::vector<std::string>{"b"});
  merge.leave_out("b");
  EXPECT_TRUE(merge.next());
  EXPECT_FALSE(merge.next());
  EXPECT_TRUE(merge.wanted().empty());
}

TEST(PageMerge, ReadInPagesOfAnySizeGivesEachRowOnceInOneOrder) {
  std::mt19937 random(7);
  Ledgers ledgers;
  for (const char* name : {"a", "b", "c"})
    for (std::int64_t id = 1; id <= 40; ++id)
      ledgers[name].push_back(row_at(name, static_cast<int>(random() % 5), static_cast<int>(random() % 3), id));
  const auto whole = names_of(read(ledgers, {}, 1000, 1000));
  ASSERT_EQ(whole.size(), 120u);
  for (const std::size_t most : {1u, 7u, 64u}) {
    std::vector<std::string> all;
    std::optional<Position> after;
    for (auto page = read(ledgers, after, most, 5); !page.empty(); page = read(ledgers, after, most, 5)) {
      for (const std::string& name : names_of(page)) all.push_back(name);
      after = page.back().at;
    }
    EXPECT_EQ(all, whole) << "pages of " << most;
  }
}

TEST(PageMerge, ALedgerThatComesBackBetweenTwoPagesIsGoneOnWithFromThere) {
  Ledgers ledgers{{"a", {row_at("a", 2, 1, 1), row_at("a", 1, 1, 2)}}};
  const auto first = read(ledgers, {}, 1, 10);
  ledgers["b"] = {row_at("b", 3, 1, 1), row_at("b", 2, 1, 2), row_at("b", 1, 1, 3)};
  EXPECT_EQ(names_of(read(ledgers, first.back().at, 10, 10)), (std::vector<std::string>{"b 2", "a 2", "b 3"}));
}

}  // namespace
}  // namespace ballot::storage
