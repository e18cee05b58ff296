#include "core/store/store_client.hpp"

#include <gtest/gtest.h>

#include "core/group/group_entry.hpp"
#include "core/jobs/job_table.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

/// At most three registers are written at once.
struct StoreClientOfThreeWrites : ::testing::Test {
  using For = StoreClient::Reading::For;
  using RecordOp = StoreClient::RecordOp;
  StoreClient store{3};
  Actions out;
  JobMachine job{"a"};
  GroupEntry group{"a", {}}, another{"b", {}};

  static SteadyTime at(Millis t) { return SteadyTime(t); }
  template <class Kind>
  const Kind& sent() const {
    return std::get<Kind>(out.back());
  }
  RequestId read(For what = For::jobs) {
    store.read(out, {.what = what}, {"j/a"});
    return store.last_request();
  }
  RequestId write(std::size_t registers) {
    std::vector<JobWrite> writes;
    for (std::size_t i = 0; i < registers; ++i) writes.push_back({&job, i + 1, {"g", 2, "j/a", "text", i}});
    store.write(out, std::move(writes));
    return store.last_request();
  }
  RequestId send(const std::string& record) {
    store.send(out, creation(record));
    return store.last_request();
  }
  static RecordOp creation(const std::string& record) {
    RecordOp recording;
    recording.records.push_back({record, "text"});
    return recording;
  }
  static std::string name(const RecordOp& recording) { return recording.records.at(0).name; }
};

TEST_F(StoreClientOfThreeWrites, NumbersWhatItAsksInOrderWhateverItIs) {
  EXPECT_EQ(store.last_request(), 0u);
  store.list(out, {.what = For::requests}, "q/");
  EXPECT_EQ(sent<List>().request, 1u);
  EXPECT_EQ(sent<List>().prefix, "q/");
  store.read(out, {.what = For::jobs}, {"j/a", "j/b"});
  EXPECT_EQ(sent<Read>().request, 2u);
  EXPECT_EQ(sent<Read>().names, (std::vector<std::string>{"j/a", "j/b"}));
  store.last_request() += 1;  // somebody who asks by himself
  write(1);
  EXPECT_EQ(sent<Write>().request, 4u);
  store.write(out, group, {"g", 2, "g/g", "text", 7});
  EXPECT_EQ(sent<Write>().request, 5u);
  EXPECT_EQ(sent<Write>().batch.at(0).name, "g/g");
  store.observe(out, group, "g");
  EXPECT_EQ(sent<Observe>().request, 6u);
  EXPECT_EQ(sent<Observe>().group, "g");
  store.remove(out, {"q/1"});
  EXPECT_EQ(sent<Remove>().request, 7u);
}

TEST_F(StoreClientOfThreeWrites, SaysOnceWhatAnAnswerAnswers) {
  const RequestId first = read(For::nodes), second = read(For::runs);
  EXPECT_FALSE(store.on_written(first)) << "it was no write";
  EXPECT_FALSE(store.on_recorded(first));
  ASSERT_TRUE(store.on_read(second));
  EXPECT_FALSE(store.on_read(second));
  const auto asked = store.on_read(first);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->what, For::nodes);
  EXPECT_FALSE(store.on_read(99));
}

TEST_F(StoreClientOfThreeWrites, KnowsTheJobsOfAWriteAndTheirSerialsInTheOrderOfTheBatch) {
  const RequestId request = write(2);
  EXPECT_EQ(sent<Write>().batch.at(0).version, 0u);
  EXPECT_EQ(sent<Write>().batch.at(1).version, 1u);
  EXPECT_EQ(store.writes_in(request), 2u);
  EXPECT_EQ(store.writes_in(request + 1), 0u);
  EXPECT_EQ(store.on_written(request), (StoreClient::JobWrites{{&job, 1}, {&job, 2}}));
  EXPECT_EQ(store.writes_in(request), 0u);
  EXPECT_FALSE(store.on_written(request));
}

TEST_F(StoreClientOfThreeWrites, HasRoomForAsManyRegistersAsAreNotOnTheirWay) {
  EXPECT_EQ(store.room(0), 3u);
  EXPECT_EQ(store.room(2), 1u);
  const RequestId first = write(2);
  EXPECT_EQ(store.room(0), 1u);
  EXPECT_EQ(store.room(1), 0u);
  const RequestId second = write(1);
  EXPECT_EQ(store.room(0), 0u);
  EXPECT_EQ(store.room(5), 0u) << "never less than none";
  store.on_written(second);
  EXPECT_EQ(store.room(0), 1u);
  store.on_written(second);
  EXPECT_EQ(store.room(0), 1u) << "an answer that comes twice makes no room";
  store.on_written(first);
  EXPECT_EQ(store.room(0), 3u);
}

TEST_F(StoreClientOfThreeWrites, HasNoRoomWhereMoreAreOnTheirWayThanMayBe) {
  const RequestId request = write(5);
  EXPECT_EQ(store.room(0), 0u);
  store.on_written(request);
  EXPECT_EQ(store.room(0), 3u);
}

TEST_F(StoreClientOfThreeWrites, GivesGroupsWritesWithoutRegardToRoom) {
  write(3);
  store.write(out, group, {"g", 2, "g/g", "text", 7});
  const RequestId request = store.last_request();
  EXPECT_FALSE(store.on_written(request)) << "it is no job's";
  EXPECT_EQ(store.room(0), 0u);
  EXPECT_EQ(store.on_group_written(request), &group);
  EXPECT_EQ(store.on_group_written(request), nullptr);
  EXPECT_EQ(store.room(0), 0u);
}

TEST_F(StoreClientOfThreeWrites, LetsJobsThatWaitForRoomComeInTheirOrder) {
  JobTable table;
  JobEntry &a = table.entry("a"), &b = table.entry("b");
  EXPECT_EQ(store.next_throttled(), nullptr);
  store.throttle(b);
  store.throttle(a);
  EXPECT_EQ(store.next_throttled(), &b);
  store.throttle(b);
  EXPECT_EQ(store.next_throttled(), &a);
  EXPECT_EQ(store.next_throttled(), &b);
  EXPECT_EQ(store.next_throttled(), nullptr);
}

TEST_F(StoreClientOfThreeWrites, ObservesAGroupOnceAtATime) {
  store.observe(out, group, "g");
  const RequestId request = store.last_request();
  store.observe(out, group, "g");
  EXPECT_EQ(out.size(), 1u);
  store.observe(out, another, "h");
  EXPECT_EQ(out.size(), 2u) << "each by itself";
  EXPECT_EQ(store.on_observed(request), &group);
  EXPECT_EQ(store.on_observed(request), nullptr);
  store.observe(out, group, "g");
  EXPECT_EQ(out.size(), 3u);
}

TEST_F(StoreClientOfThreeWrites, CreatesRecordsOrRemovesThem) {
  const RequestId created = send("q/1");
  EXPECT_EQ(sent<Create>().request, created);
  EXPECT_EQ(sent<Create>().records.at(0).name, "q/1");
  RecordOp removal;
  removal.removals = {"q/1", "q/2"};
  store.send(out, removal);
  EXPECT_EQ(sent<Remove>().names, removal.removals);
  const auto recorded = store.on_recorded(created);
  ASSERT_TRUE(recorded);
  EXPECT_EQ(name(*recorded), "q/1") << "it can be sent again";
  EXPECT_EQ(store.on_recorded(store.last_request())->removals, removal.removals);
  EXPECT_FALSE(store.on_recorded(created));
}

TEST_F(StoreClientOfThreeWrites, SendsWhatWasDelayedOnceAndInItsOrder) {
  store.delay(creation("q/2"));
  store.delay(creation("q/1"));
  EXPECT_TRUE(out.empty());
  store.send_delayed(out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(std::get<Create>(out[0]).records.at(0).name, "q/2");
  EXPECT_EQ(std::get<Create>(out[1]).records.at(0).name, "q/1");
  store.send_delayed(out);
  EXPECT_EQ(out.size(), 2u);
}

TEST_F(StoreClientOfThreeWrites, TriesAgainAfterAPauseAndNotBefore) {
  EXPECT_TRUE(store.begin_retry(at(0s))) << "nothing failed";
  store.retry_later(at(5s));
  EXPECT_EQ(store.retry_at(), at(5200ms));
  EXPECT_FALSE(store.begin_retry(at(5199ms)));
  EXPECT_EQ(store.retry_at(), at(5200ms));
  EXPECT_TRUE(store.begin_retry(at(5200ms)));
  EXPECT_FALSE(store.retry_at());
}

TEST_F(StoreClientOfThreeWrites, KnowsNoAnswerOnceTheSessionIsLost) {
  const RequestId was_read = read(), written = write(2), sent = send("q/1");
  store.write(out, group, {});
  const RequestId group_written = store.last_request();
  store.observe(out, group, "g");
  const RequestId observed = store.last_request();
  store.retry_later(at(5s));
  store.on_lost();
  EXPECT_FALSE(store.on_read(was_read));
  EXPECT_FALSE(store.on_written(written));
  EXPECT_FALSE(store.on_recorded(sent));
  EXPECT_EQ(store.on_group_written(group_written), nullptr);
  EXPECT_EQ(store.on_observed(observed), nullptr);
  EXPECT_EQ(store.room(0), 3u);
  EXPECT_EQ(store.writes_in(written), 0u);
  EXPECT_FALSE(store.retry_at());
  store.observe(out, group, "g");
  EXPECT_EQ(this->sent<Observe>().request, observed + 1) << "and numbers go on";
}

TEST_F(StoreClientOfThreeWrites, GivesBackTheRecordsThatMayNotHaveArrivedWhenTheSessionIsLost) {
  send("q/2");
  const RequestId arrived = send("q/3");
  send("q/1");
  store.delay(creation("q/4"));
  store.on_recorded(arrived);
  const auto unknown = store.on_lost();
  ASSERT_EQ(unknown.size(), 2u);
  EXPECT_EQ(name(unknown[0]), "q/2");
  EXPECT_EQ(name(unknown[1]), "q/1");
  EXPECT_TRUE(store.on_lost().empty());
  store.send_delayed(out);
  EXPECT_EQ(this->sent<Create>().records.at(0).name, "q/4") << "what was not sent yet waits on";
}

TEST_F(StoreClientOfThreeWrites, IsOwedWhatAStepAskedFromItsEndOn) {
  store.end_step(at(1s));
  EXPECT_FALSE(store.owed_since());
  const RequestId a = read(), b = write(1);
  EXPECT_FALSE(store.owed_since());
  store.end_step(at(2s));
  EXPECT_EQ(store.owed_since(), at(2s));
  const RequestId c = send("q/1");
  store.end_step(at(3s));
  store.on_recorded(c);
  store.end_step(at(4s));
  EXPECT_EQ(store.owed_since(), at(2s)) << "answered out of order";
  EXPECT_EQ(store.oldest(), a);
  store.on_read(a);
  store.end_step(at(5s));
  EXPECT_EQ(store.owed_since(), at(2s)) << "not all that it asked is answered";
  EXPECT_EQ(store.oldest(), b);
  store.on_written(b);
  store.end_step(at(6s));
  EXPECT_FALSE(store.owed_since());
  EXPECT_FALSE(store.oldest());
}

TEST_F(StoreClientOfThreeWrites, IsOwedNoAnswerToARemovalThatNobodyWaitsFor) {
  store.remove(out, {"q/1"});
  store.end_step(at(1s));
  EXPECT_FALSE(store.oldest());
  EXPECT_FALSE(store.owed_since());
}

TEST_F(StoreClientOfThreeWrites, IsOwedAnAnswerForLongerTheMoreIsReadBeforeIt) {
  EXPECT_FALSE(store.overdue_at(10s));
  const RequestId written = write(1);
  store.end_step(at(1s));
  EXPECT_EQ(store.overdue_at(10s), at(11s));
  store.list(out, {.what = For::list, .entries = 5'000}, "j/");
  const RequestId all = store.last_request();
  store.end_step(at(2s));
  const RequestId one = read();
  store.end_step(at(3s));
  EXPECT_EQ(store.overdue_at(10s), at(11s)) << "what comes after it does not matter";
  store.on_written(written);
  store.end_step(at(4s));
  EXPECT_EQ(store.overdue_at(10s), at(12s + 5s));
  store.on_read(all);
  store.end_step(at(5s));
  EXPECT_EQ(store.overdue_at(10s), at(13s + 5'001ms));
  store.on_read(one);
  store.end_step(at(6s));
  EXPECT_FALSE(store.overdue_at(10s));
}

TEST_F(StoreClientOfThreeWrites, GivesUpWhatTheOldestStepAskedAndNoMore) {
  const RequestId a = read();
  store.observe(out, group, "g");
  const RequestId b = store.last_request();
  store.end_step(at(1s));
  const RequestId c = write(1);
  store.end_step(at(2s));
  EXPECT_EQ(store.give_up_oldest(), b);
  EXPECT_EQ(store.owed_since(), at(2s));
  EXPECT_EQ(store.oldest(), a);
  store.on_read(a);
  EXPECT_EQ(store.oldest(), b);
  store.on_observed(b);
  EXPECT_EQ(store.oldest(), c);
  store.end_step(at(3s));
  EXPECT_EQ(store.owed_since(), at(2s));
  EXPECT_FALSE(store.on_read(a)) << "should it be answered after all";
}

TEST_F(StoreClientOfThreeWrites, IsOwedNothingOfASessionThatIsLostButWhatWasAskedSince) {
  read();
  store.end_step(at(1s));
  store.on_lost();
  const RequestId since = read();
  store.end_step(at(2s));
  EXPECT_EQ(store.owed_since(), at(2s));
  EXPECT_EQ(store.oldest(), since);
  store.on_lost();
  store.end_step(at(3s));
  EXPECT_FALSE(store.owed_since());
}

}  // namespace
}  // namespace ballot::core
