// What the store has of backfills: their line in a register, requests, and what a release before reads of their runs.
#include <gtest/gtest.h>

#include <string>

#include "ballot/ledger.hpp"
#include "core/node/peers.hpp"
#include "core/record/backfill.hpp"
#include "core/record/last_end.hpp"
#include "core/record/open_run_text.hpp"
#include "core/record/outcome.hpp"
#include "core/record/record_text.hpp"
#include "core/request/request.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

constexpr WallTime first_backfilled{Millis(1'767'268'800'000)};  // 2026-01-01T12:00:00Z
const char* const backfill_id = "01977777-7777-7777-8777-777777777777";

SlotRanges three_ranges() {
  return {{first_backfilled, first_backfilled + 2h},
          {first_backfilled + 24h, first_backfilled + 24h},
          {first_backfilled + 48h, first_backfilled + 49h}};
}

template <class T>
T read(std::string_view text, T (*reader)(Words&), bool is_right = true) {
  Words words{text};
  T value = reader(words);
  EXPECT_EQ(words.ok, is_right) << text;
  return value;
}

TEST(BackfillText, RangesAreSecondsAfterTheFirstInstant) {
  EXPECT_EQ(to_text(three_ranges()), "2026-01-01T12:00:00Z 0-7200,86400,172800-176400");
  EXPECT_EQ(read("2026-01-01T12:00:00Z 0-7200,86400,172800-176400", read_slot_ranges), three_ranges());
}

TEST(BackfillText, RangesThatNoNodeWritesAreRefused) {
  for (const char* text :
       {"2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z ", "2026-01-01T12:00:00Z 0,", "2026-01-01T12:00:00Z ,0",
        "2026-01-01T12:00:00Z 0-", "2026-01-01T12:00:00Z -5", "2026-01-01T12:00:00Z 5-2", "2026-01-01T12:00:00Z 0-9,7",
        "2026-01-01T12:00:00Z 1", "2026-01-01T12:00:00Z 0,x", "2026-01-01T12:00:00.500Z 0", "9999-12-31T23:59:59Z 0-9",
        "2026-01-01T12:00:00Z 0-99999999999999999999"})
    EXPECT_EQ(read(text, read_slot_ranges, false), SlotRanges()) << text;
}

TEST(BackfillText, MoreThanARegisterHasRoomForIsSaid) {
  SlotRanges scattered;
  for (int i = 0; i < 65; ++i) scattered.push_back({first_backfilled + i * 60s, first_backfilled + i * 60s});
  EXPECT_NE(fault_of(scattered), "");
  scattered.resize(40);
  EXPECT_EQ(fault_of(scattered), "");
  scattered.push_back({first_backfilled + 24h * 365, first_backfilled + 24h * 366});
  EXPECT_EQ(fault_of(scattered), "");
  EXPECT_EQ(fault_of(SlotRanges{{first_backfilled, first_backfilled + 24h * 36'500}}), "");
  EXPECT_EQ(fault_of(SlotRanges{{first_backfilled, first_backfilled + 24h * 36'500 + 1s}}),
            "its slots lie further apart than 100 years: ask for a shorter time");
  std::swap(scattered[0], scattered[1]);
  EXPECT_EQ(fault_of(scattered), "its slots are not in order");
  EXPECT_EQ(fault_of(SlotRanges()), "it names no slots");
}

TEST(BackfillText, ASlotThatIsBegunLeavesTheRanges) {
  Backfill backfill{*RunId::parse(backfill_id), first_backfilled + 72h, "n1 uid 0", 2, 0, three_ranges()};
  backfill.begin(first_backfilled + 1h);
  EXPECT_EQ(backfill.begun, 1u);
  EXPECT_EQ(backfill.left.front(), (SlotRange{first_backfilled + 1h + 1s, first_backfilled + 2h}));
  backfill.begin(first_backfilled + 24h);
  ASSERT_EQ(backfill.left.size(), 1u) << "those before have none";
  EXPECT_EQ(backfill.left.front().from, first_backfilled + 48h);
  backfill.begin(first_backfilled + 49h);
  EXPECT_TRUE(backfill.left.empty());
  EXPECT_EQ(read(to_text(backfill), read_backfill), backfill);
}

TEST(BackfillText, ALineOfARegisterIsReadAsItWasWritten) {
  const Backfill backfill{*RunId::parse(backfill_id), first_backfilled + 72h, "n1 uid 0", 2, 7, three_ranges()};
  EXPECT_EQ(to_text(backfill), std::string(backfill_id) +
                                   " 2026-01-04T12:00:00.000Z 2 7 2026-01-01T12:00:00Z "
                                   "0-7200,86400,172800-176400 n1 uid 0");
  EXPECT_EQ(read(to_text(backfill), read_backfill), backfill);
  Backfill of_anybody = backfill;
  of_anybody.by = std::string(200, 'x') + "\n";
  EXPECT_EQ(read(to_text(of_anybody), read_backfill).by, std::string(longest_backfill_author, 'x'));
  for (const char* parallel : {"0", "17", "x"})
    read(std::string(backfill_id) + " 2026-01-04T12:00:00.000Z " + parallel + " 7 -", read_backfill, false);
}

TEST(BackfillText, ARequestNamesItsSlots) {
  Request request;
  request.kind = Request::Kind::backfill;
  request.id = *RunId::parse(backfill_id);
  request.job = "load";
  EXPECT_EQ(fault_of(request), "it names no slots");
  request.slots = three_ranges();
  request.parallel = 3;
  EXPECT_EQ(fault_of(request), "");
  const auto read = parse_request(to_text(request));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, request);
  request.parallel = 17;
  EXPECT_EQ(fault_of(request), "parallel must be from 1 to 16");
  request.kind = Request::Kind::trigger;
  EXPECT_EQ(fault_of(request), "only a backfill has slots");
}

/// A word that it does not know would make the whole text unreadable.
TEST(BackfillText, OfItsRunsAReleaseBeforeReadsThatTheyAreByHand) {
  OpenRun run;
  run.id = *RunId::parse(backfill_id);
  run.slot = first_backfilled;
  run.node = "n1";
  run.trigger = Trigger::backfill;
  EXPECT_NE(to_text(run).find(" trigger=manual kind=backfill "), std::string::npos) << to_text(run);
  EXPECT_EQ(read(to_text(run), read_open_run).trigger, Trigger::backfill);
  Row row;
  row.run = run.id;
  row.job = "load";
  row.group = "etl";
  row.slot = first_backfilled;
  row.trigger = Trigger::backfill;
  row.attempt = 1;
  row.node = "n1";
  row.status = Status::succeeded;
  EXPECT_NE(outcome_text(row).find("\ntrigger manual\nkind backfill\n"), std::string::npos) << outcome_text(row);
  const auto outcome = parse_outcome(outcome_text(row));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->trigger, Trigger::backfill);
  const LastEnd end = last_end_of(row, {});
  EXPECT_NE(to_text(end).find(" manual "), std::string::npos) << to_text(end);
  EXPECT_TRUE(to_text(end).ends_with(" n1 backfill")) << to_text(end);
  EXPECT_EQ(read(to_text(end), read_last_end).trigger, Trigger::backfill);
}

TEST(Backfills, AreRefusedWhileANodeMayLiveThatDoesNotSayThatItKnowsThem) {
  Peers peers;
  NodeRecord old{"old", "s1", "", first_backfilled, {}};
  NodeRecord other{"other", "s2", "", first_backfilled, {}};
  other.knows_backfills = true;
  peers.learn({}, "n1", {{"n/other.1", to_texts(other)[0], 2}});
  EXPECT_EQ(peers.lacks_backfills(), "");
  peers.learn({}, "n1", {{"n/old.1", to_texts(old)[0], 1}, {"n/other.1", to_texts(other)[0], 2}});
  EXPECT_EQ(peers.lacks_backfills(), "old") << "whatever it leads";
}

}  // namespace
}  // namespace ballot::core
