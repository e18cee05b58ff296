// Conformance: records are created once, by anybody, and removed. Included by backend_conformance.hpp.
#pragma once

#include "conformance/backend_fixture.hpp"

namespace ballot::conformance {

TEST_P(BackendConformance, CreatesARecordOnceWhoeverAsks) {
  Candidate& a = join("a");
  Candidate& b = join("b");
  a.backend->create(500, {{"q/x", "of a"}});
  b.backend->create(500, {{"q/x", "of b"}});
  const auto of_a = await<backend::Wrote>(a, 500, 10s);
  const auto of_b = await<backend::Wrote>(b, 500, 10s);
  ASSERT_TRUE(of_a && of_b && of_a->answers.size() == 1 && of_b->answers.size() == 1);
  const bool a_won = of_a->answers[0].outcome == StoreResult::done;
  EXPECT_EQ(of_a->answers[0].outcome, a_won ? StoreResult::done : StoreResult::conflict);
  EXPECT_EQ(of_b->answers[0].outcome, a_won ? StoreResult::conflict : StoreResult::done);
  const auto found = read(b, {"q/x"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value, a_won ? "of a" : "of b");
}

TEST_P(BackendConformance, ARecordThatExistsIsAConflictWhateverItHolds) {
  Candidate& a = lead("a", "g");
  ASSERT_EQ(create(a, {"q/x", "1"}), StoreResult::done);
  EXPECT_EQ(create(a, {"q/x", "1"}), StoreResult::conflict);
  EXPECT_EQ(create(a, {"q/x", "2"}), StoreResult::conflict);
  ASSERT_EQ(write(a, {"g", *a.leads("g"), "j/x", "register", 0}).outcome, StoreResult::done);
  EXPECT_EQ(create(a, {"j/x", "record"}), StoreResult::conflict);
  EXPECT_EQ(read(a, {"q/x"}).front().value, "1");
  EXPECT_EQ(read(a, {"j/x"}).front().value, "register");
}

TEST_P(BackendConformance, RemovesRecordsAndThoseThatAreNotThere) {
  Candidate& a = join("a");
  Candidate& b = join("b");
  ASSERT_EQ(create(a, {"q/x", "1"}), StoreResult::done);
  EXPECT_EQ(remove(b, "q/x"), StoreResult::done);
  EXPECT_TRUE(read(a, {"q/x"}).empty());
  EXPECT_EQ(remove(a, "q/x"), StoreResult::done);
  EXPECT_EQ(create(a, {"q/x", "2"}), StoreResult::done);
  EXPECT_EQ(read(b, {"q/x"}).front().value, "2");
}

TEST_P(BackendConformance, DecidesEachRecordOfABatchOnItsOwn) {
  Candidate& a = join("a");
  ASSERT_EQ(create(a, {"q/2", "old"}), StoreResult::done);
  const auto answers = create_all(
      a, {{"q/1", "new"}, {"q/2", "new"}, {"q/3", std::string(9000, 'x')}, {"q/4", "new"}, {"q/1", "again"}});
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[0].outcome, StoreResult::done);
  EXPECT_EQ(answers[1].outcome, StoreResult::conflict);
  EXPECT_EQ(answers[2].outcome, StoreResult::failed);
  EXPECT_FALSE(answers[2].text.empty());
  EXPECT_EQ(answers[3].outcome, StoreResult::done);
  EXPECT_EQ(answers[4].outcome, StoreResult::conflict);
  EXPECT_EQ(list(a, "q/").size(), 3u);
}

TEST_P(BackendConformance, ListsRecordsAmongRegisters) {
  Candidate& a = lead("a", "g");
  ASSERT_EQ(write(a, {"g", *a.leads("g"), "j/x", "register", 0}).outcome, StoreResult::done);
  ASSERT_EQ(create(a, {"j/y", "record"}), StoreResult::done);
  ASSERT_EQ(create(a, {"q/x", "record"}), StoreResult::done);
  EXPECT_EQ(list(a, "j/").size(), 2u);
  EXPECT_EQ(list(a, "").size(), 3u);
  EXPECT_EQ(read(a, {"j/x", "j/y", "q/x", "q/y"}).size(), 3u);
}

TEST_P(BackendConformance, KeepsARecordWhenItsCreatorHasGone) {
  Candidate& a = join("a");
  ASSERT_EQ(create(a, {"q/x", "1"}), StoreResult::done);
  a.backend->close(false);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  EXPECT_EQ(read(join("b"), {"q/x"}).size(), 1u);
}

TEST_P(BackendConformance, CreatesAndRemovesAThousandRecordsInABatch) {
  Candidate& a = join("a");
  std::vector<Record> records;
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) {
    names.push_back("q/record-" + std::to_string(i));
    records.push_back({names.back(), std::string(200, 'x')});
  }
  const auto created = create_all(a, records);
  EXPECT_EQ(created.size(), records.size());
  for (const WriteAnswer& answer : created) ASSERT_EQ(answer.outcome, StoreResult::done) << answer.text;
  EXPECT_EQ(list(a, "q/").size(), records.size());
  a.backend->remove(5000, names);
  const auto removed = await<backend::Wrote>(a, 5000, 10s);
  ASSERT_TRUE(removed && removed->answers.size() == names.size());
  EXPECT_TRUE(list(a, "q/").empty());
}

TEST_P(BackendConformance, ACreateWithoutAnAnswerIsSettledByRepeatingIt) {
  BALLOT_NEEDS(Ability::cut);
  Candidate& a = join("a");
  cluster_->cut(*a.backend);
  EXPECT_EQ(create(a, {"q/x", "1"}), StoreResult::unknown);
  cluster_->heal(*a.backend);
  const StoreResult again = create(a, {"q/x", "1"});
  EXPECT_TRUE(again == StoreResult::done || again == StoreResult::conflict);
  EXPECT_EQ(list(a, "q/").size(), 1u);
  cluster_->cut(*a.backend);
  EXPECT_EQ(remove(a, "q/x"), StoreResult::unknown);
  cluster_->heal(*a.backend);
  EXPECT_EQ(remove(a, "q/x"), StoreResult::done);
  EXPECT_TRUE(list(a, "q/").empty());
}

}  // namespace ballot::conformance
