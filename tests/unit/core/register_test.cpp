#include "core/record/register.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/wall_text.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

WallTime at(const char* text) { return *parse_wall(text); }

JobRegister full() {
  JobRegister r;
  r.group = "nightly";
  r.definition = "9f3a";
  r.timing = {"Europe/Paris", {"0 2 * * *", "@every 90s"}, at("2025-01-01T00:00:00Z"), at("2026-01-01T00:00:00Z")};
  r.epoch = 7;
  r.since = at("2025-03-01T00:00:00Z");
  r.cursor = at("2025-03-09T07:00:00Z");
  r.claimed_until = r.cursor;
  r.passed_over = {{at("2025-03-02T07:00:00Z"), at("2025-03-03T07:00:00Z")},
                   {at("2025-03-08T07:00:00Z"), at("2025-03-09T06:00:00Z")}};
  r.paused = true;
  r.interventions.edit().paused_at = at("2025-03-09T06:30:00.001Z");
  r.interventions.edit().paused_by = "a uid 1000";
  r.interventions.edit().pause_terms = {at("2025-03-09T08:30:00.500Z"), "disks are \u00e9changed"};
  r.failing = true;
  r.missed = 3;
  r.fence = 12;
  r.last_end.edit() = {Random(2).run_id(r.since),
                       r.since,
                       Trigger::schedule,
                       2,
                       6,
                       11,
                       Status::failed,
                       Reason::exit_code,
                       at("2025-03-01T00:00:41.250Z"),
                       3,
                       "host-2.example",
                       at("2025-03-01T07:00:41.250Z")};
  r.dispositions = {{at("2025-03-08T07:00:00Z"), at("2025-03-09T06:00:00Z"), 3, Status::missed, Reason::no_leader}};
  OpenRun run;
  run.id = Random(1).run_id(r.cursor);
  run.slot = r.cursor;
  run.trigger = Trigger::catch_up;
  run.attempt = 2;
  run.fence = 12;
  run.epoch = 7;
  run.node = "host-1.example";
  run.on_leadership_lost = OnLeadershipLost::finish;
  run.kill_grace = 10s;
  run.success_codes = {0, 3};
  run.variables.edit() = {run.id.text() + "," + run.id.text(), "DAY=2026-01-01 NOTE=two%20words"};
  run.expect_within = 90s;
  run.begun_at = at("2025-03-09T07:00:01Z");
  run.late = run.slow = true;
  r.runs = {run};
  r.anchors = {{"@every 90s", r.since}};
  r.kept.edit().boots = {"boot-1", "boot-2"};
  r.kept.edit().ends = {
      {at("2025-03-07T07:00:00Z"), at("2025-03-08T07:00:00Z"), Status::skipped, at("2025-03-08T07:00:01.250Z"), {}},
      {at("2025-03-09T06:00:00Z"), at("2025-03-09T06:00:00Z"), Status::succeeded, at("2025-03-09T06:10:00.007Z"),
       run.id}};
  r.kept.edit().chained = {{Random(3).run_id(r.since), at("2025-03-09T06:00:00.125Z"), true, std::nullopt},
                           {Random(4).run_id(r.since), at("2025-03-09T06:00:01.125Z"), false, Status::skipped}};
  r.kept.edit().success.edit() = {at("2025-03-01T00:00:00Z"), at("2025-03-05T00:00:00.125Z")};
  return r;
}

TEST(JobRegister, ReadsBackWhatItWrote) {
  const auto read = parse_job_register(to_text(full()));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, full());
}

TEST(JobRegister, KeepsAReasonWithoutAnEndAndAnEndWithoutAReason) {
  for (const PauseTerms& terms : {PauseTerms{{}, "- is a reason too"}, PauseTerms{at("2025-03-09T08:30:00Z"), ""}}) {
    JobRegister r = full();
    r.interventions.edit().pause_terms = terms;
    const auto read = parse_job_register(to_text(r));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->interventions->pause_terms, terms);
  }
}

/// A release before keeps the line when it resumes, and beside a later pause of its own.
TEST(JobRegister, TakesNoEndOfAnotherPauseForThatOfItsOwn) {
  std::string text = to_text(full());
  const std::string line = "pause_terms 2025-03-09T06:30:00.001Z 2025-03-09T08:30:00.500Z disks";
  ASSERT_NE(text.find(line), std::string::npos) << text;
  text.replace(text.find("paused_by 2025-03-09T06:30:00.001Z"), 34, "paused_by 2025-03-09T06:30:00.002Z");
  const auto later = parse_job_register(text);
  ASSERT_TRUE(later) << later.error().what;
  EXPECT_TRUE(later->interventions->pause_terms.empty());
  EXPECT_FALSE(later->pause_ends());
  text.erase(text.find("paused yes\n"), 11);
  const auto resumed = parse_job_register(text);
  ASSERT_TRUE(resumed) << resumed.error().what;
  EXPECT_TRUE(resumed->interventions->pause_terms.empty());
  EXPECT_EQ(to_text(*resumed).find("pause_terms"), std::string::npos) << "it goes with the next write";
}

TEST(JobRegister, SaysHowTheLastRunEndedAndNothingOfWhatHasNot) {
  JobRegister r = full();
  const std::string line = "last_end " + r.last_end->run->text() +
                           " 2025-03-01T00:00:00.000Z schedule 2 6 11 failed exit_code 2025-03-01T00:00:41.250Z 3 "
                           "host-2.example\n";
  EXPECT_NE(to_text(r).find(line), std::string::npos) << to_text(r);
  LastEnd& end = r.last_end.edit();
  end.status = Status::succeeded, end.reason = Reason::none, end.ended_at.reset(), end.exit_code.reset();
  const auto read = parse_job_register(to_text(r));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, r) << "what is not known is left open";
  end.status = Status::running;
  EXPECT_FALSE(parse_job_register(to_text(r)));
}

TEST(JobRegister, CountsMissedSlotsUpToWhatItCanSay) {
  JobRegister r;
  r.count_missed(3);
  r.count_missed(1);
  EXPECT_EQ(r.missed, 4u);
  r.count_missed(std::int64_t{1} << 40);
  r.count_missed(1);
  EXPECT_EQ(r.missed, 4'000'000'000u);
}

TEST(JobRegister, SaysWhichSlotsAreClaimed) {
  JobRegister r = full();
  EXPECT_TRUE(r.is_claimed(r.claimed_until));
  EXPECT_FALSE(r.is_claimed(r.claimed_until + 1s));
  EXPECT_FALSE(r.is_claimed(at("2025-03-09T06:00:00Z")));
  EXPECT_TRUE(r.is_claimed(at("2025-03-09T06:00:01Z")));
  EXPECT_TRUE(r.is_claimed(at("2025-03-05T00:00:00Z")));
  r.passed_over = {};
  EXPECT_TRUE(r.is_claimed(at("2025-03-09T06:00:00Z"))) << "what is not known to be unclaimed is";
  r.passed_over = {{at("2025-03-09T06:00:00Z"), at("2025-03-09T05:00:00Z")}};
  EXPECT_FALSE(parse_job_register(to_text(r)));
}

/// By a clock that is behind: else the ends of the slots that are decided anew overlap, and nobody can read it.
TEST(JobRegister, WhoseCursorIsBroughtBackKeepsNoEndsOfSlotsThatAreDecidedAnew) {
  const auto minute = [](int n) { return at("2025-03-09T07:00:00Z") + std::chrono::minutes(n); };
  const auto missed = [&](int from, int to) {
    return SlotEnd{minute(from), minute(to), Status::missed, minute(9), {}};
  };
  const SlotEnd claimed{minute(8), minute(8), Status::succeeded, minute(9), Random(4).run_id(minute(8))};
  JobRegister r = full();
  r.kept.edit().ends = {missed(1, 4), missed(6, 7), claimed};
  r.go_on_from(minute(3));
  const RareList<SlotEnd> left{missed(1, 3), claimed};
  EXPECT_EQ(r.kept->ends, left);
  add(r.kept.edit().ends, missed(4, 7));
  const auto again = parse_job_register(to_text(r));
  ASSERT_TRUE(again) << again.error().what;
}

TEST(JobRegister, KeepsWhatANewerVersionAdded) {
  std::string text = to_text(full()) + "colour blue and green\n";
  const std::size_t run = text.find(" state=claimed");
  text.insert(run, " mood=good");
  const auto read = parse_job_register(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->unknown, std::vector<std::string>{"colour blue and green"});
  EXPECT_EQ(read->runs[0].unknown, "mood=good");
  EXPECT_NE(to_text(*read).find("mood=good"), std::string::npos);
  EXPECT_NE(to_text(*read).find("colour blue and green\n"), std::string::npos);
}

TEST(JobRegister, KeepsTheStatusesAndReasonsOfANewerVersion) {
  for (const char* words : {"missed solar_flare", "missed 57", "deferred overlap", "12 57", "deferred solar_flare"}) {
    std::string text = to_text(full());
    const std::size_t begin = text.find("settled "), end = text.find('\n', begin);
    const std::size_t status = text.rfind(' ', text.rfind(' ', end) - 1) + 1;
    text.replace(status, end - status, words);
    const auto read = parse_job_register(text);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(to_text(*read), text);
    EXPECT_EQ(to_text(salvage_job_register(text)), text) << "in a repair too";
  }
}

/// What a repair makes of a pause whose lines with these keys cannot be read.
JobRegister salvaged_without(const std::vector<std::string>& keys) {
  JobRegister r = full();
  r.paused = true;
  Interventions& of = r.interventions.edit();
  of.paused_at = at("2025-03-09T06:30:00.001Z"), of.paused_by = "ann";
  of.pause_terms = {at("2025-03-09T08:30:00.500Z"), "disks"};
  std::string text = to_text(r);
  for (const std::string& key : keys) text.insert(text.find("\n" + key + " ") + key.size() + 2, "\x01");
  return salvage_job_register(text);
}

TEST(JobRegister, IsPausedYetWhereALineOfItsPauseCanBeRead) {
  using Keys = std::vector<std::string>;
  for (const Keys& lost : {Keys{"paused"}, Keys{"paused_by"}, Keys{"paused", "paused_by"}}) {
    const JobRegister r = salvaged_without(lost);
    EXPECT_EQ(r.pause_ends(), at("2025-03-09T08:30:00.500Z")) << lost.front();
    EXPECT_EQ(r.interventions->pause_terms.reason, "disks");
    EXPECT_EQ(r.interventions->paused_at, at("2025-03-09T06:30:00.001Z"));
    EXPECT_TRUE(parse_job_register(to_text(r)));
  }
  EXPECT_TRUE(salvaged_without({"paused", "pause_terms"}).paused);
  EXPECT_TRUE(salvaged_without({"paused_by", "pause_terms"}).paused);
  EXPECT_FALSE(salvaged_without({"paused", "paused_by", "pause_terms"}).paused);
}

/// A release before has left them.
TEST(JobRegister, OfAPauseThatIsOverStaysActiveWhereOtherLinesAreLost) {
  JobRegister r = full();
  r.paused = false;
  std::string text = to_text(r);
  text.insert(text.find("\nfence ") + 1, "paused_by 2025-03-09T06:30:00.001Z ann\n");
  text.replace(text.find("\nfence "), 7, "\nfence x");
  EXPECT_FALSE(salvage_job_register(text).paused);
}

TEST(JobRegister, OfWhichARequiredLineIsGoneSaysSoToARepair) {
  std::string text = to_text(full());
  const std::size_t cursor = text.find("cursor ");
  text.erase(cursor, text.find('\n', cursor) + 1 - cursor);
  std::vector<std::string> lost;
  salvage_job_register(text, &lost);
  EXPECT_EQ(lost, std::vector<std::string>{"cursor"});
}

TEST(JobRegister, RefusesANewerFormatAndSaysSo) {
  const auto read = parse_job_register("ballot 2\ngroup nightly\n");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::refused);
}

/// What nobody has written may be written anew by a repair; a newer format may not.
TEST(JobRegister, OfAFormatThatIsNoNumberIsUnreadableAndNotNewer) {
  for (const char* const format : {"0", "-1", "1.5", "01", "2x", "99999999999999999999999", "", "\x1b[31m", "2 2"}) {
    const auto read = parse_job_register("ballot " + std::string(format) + "\ngroup nightly\n");
    ASSERT_FALSE(read) << format;
    EXPECT_EQ(read.error().code, Errc::corrupt) << format;
  }
  for (const char* const format : {"2", "10", "999999"})
    EXPECT_EQ(parse_job_register("ballot " + std::string(format) + "\n").error().code, Errc::refused) << format;
}

/// A release takes the definition out: only somebody by hand, or a lost write, can have made such a one.
TEST(JobRegister, ThatIsReleasedAndHasADefinitionIsUnreadable) {
  JobRegister r = full();
  r.released = true;
  const auto read = parse_job_register(to_text(r));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::corrupt) << read.error().what;
  r.definition = {};
  EXPECT_TRUE(parse_job_register(to_text(r)));
}

TEST(JobRegister, NamesTheLineThatIsUnreadable) {
  for (const char* text :
       {"", "hello\n", "ballot 1\ncursor yesterday\n", "ballot 1\nfence -1\n", "ballot 1\nfence 1x\n",
        "ballot 1\nrun nobody\n", "ballot 1\nsettled 2025-03-08T07:00:00Z\n", "ballot 1\ngroup\n"}) {
    const auto read = parse_job_register(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Errc::corrupt) << text;
  }
  EXPECT_NE(parse_job_register("ballot 1\ncursor yesterday\n").error().what.find("line 2"), std::string::npos);
}

TEST(JobRegister, StaysWithinItsSizeWhenFull) {
  JobRegister r = full();
  while (r.runs.size() < open_run_limit) r.runs.push_back(r.runs[0]);
  for (auto& run : r.runs) {
    run.node = std::string(64, 'n');
    run.variables.edit().env.clear();  // a trigger asks for room, and so does a run that is expected to end in time
    if (&run != &r.runs.front()) run.expect_within = Millis(0), run.begun_at = {}, run.late = run.slow = false;
  }
  r.dispositions.clear();
  while (r.triggered.size() < triggered_limit) r.triggered.push_back(r.runs[0].id);
  EXPECT_LT(to_text(r).size(), register_limit);
  r.runs.erase(r.runs.begin() + 1, r.runs.end());
  while (r.dispositions.size() < disposition_limit) r.dispositions.push_back(full().dispositions[0]);
  EXPECT_LT(to_text(r).size(), register_limit);
  for (Disposition& d : r.dispositions) {
    d.status = Named<Status>::parse(std::string(32, 's')).value();
    d.reason = Named<Reason>::parse(std::string(32, 'r')).value();
  }
  EXPECT_LT(to_text(r).size(), register_limit);
}

TEST(GroupRegister, ReadsBackWhatItWrote) {
  GroupRegister r;
  r.epoch = 7;
  r.node = "a";
  r.elected_at = at("2025-03-09T07:00:00.250Z");
  r.ended_at = at("2025-03-09T08:00:00Z");
  r.cause = Cause::shutdown;
  r.led_before = {{at("2025-03-09T05:00:00Z"), at("2025-03-09T06:00:00.250Z")},
                  {at("2025-03-09T06:30:00Z"), r.elected_at}};
  r.paused = true;
  r.paused_at = at("2025-03-09T06:30:00.001Z");
  r.paused_by = "a uid 1000";
  r.pause_terms = {at("2025-03-09T08:30:00.500Z"), "disks"};
  r.halted = "a reason";
  r.halted_at = WallTime(Millis(1'741'500'000'123));
  r.repaired_at = at("2025-03-09T06:00:00.125Z");
  r.repaired_by = "a uid 0";
  r.repair = 1'741'241'600'000;
  r.hand_over_to = "b.example";
  r.forwards = 2;
  r.last_handover_at = at("2025-03-09T08:00:00.001Z");
  r.failed_handovers = 3;
  const auto read = parse_group_register(to_text(r));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->epoch, 7u);
  EXPECT_EQ(read->led_before, r.led_before);
  EXPECT_EQ(read->pause_terms, r.pause_terms);
  EXPECT_EQ(read->elected_at, r.elected_at);
  EXPECT_EQ(read->ended_at, r.ended_at);
  EXPECT_EQ(*read, r);
}

}  // namespace
}  // namespace ballot::core
