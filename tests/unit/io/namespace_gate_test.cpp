// What a daemon sees of its store while its namespace moves to another one.
#include "io/namespace_gate.hpp"

#include <gtest/gtest.h>

#include "core/record/move_marks.hpp"

namespace ballot::io {
namespace {

/// Notes what it is asked.
struct AskedStore final : Backend {
  std::vector<RequestId> lists;
  std::vector<std::string> watched;
  std::vector<bool> closed;

  void open(const SessionRequest&) noexcept override {}
  void renew(RequestId) noexcept override {}
  void campaign(const std::string&) noexcept override {}
  void resign(const std::string&) noexcept override {}
  void write(RequestId, std::vector<RegisterWrite>) noexcept override {}
  void read(RequestId, std::vector<std::string>) noexcept override {}
  void create(RequestId, std::vector<Record>) noexcept override {}
  void remove(RequestId, std::vector<std::string>) noexcept override {}
  void watch(const std::string& prefix) noexcept override { watched.push_back(prefix); }
  void observe(RequestId, const std::string&) noexcept override {}
  void evict(RequestId, const std::string&) noexcept override {}
  void list(RequestId request, std::string) noexcept override { lists.push_back(request); }
  void close(bool keep) noexcept override { closed.push_back(keep); }
};

std::string mark() {
  return to_text(core::MoveMark{
      *RunId::parse("01890000-0000-7000-8000-000000000001"), WallTime(Millis(0)), "root", "etcd", {}, 0});
}

struct Gate : ::testing::Test {
  using Events = NamespaceGate::Events;

  static SessionRequest daemon(std::uint64_t generation = 1) {
    SessionRequest request;
    request.generation = generation;
    request.node = "n1";
    return request;
  }
  Events pass(decltype(BackendEvent::what) what, std::uint64_t generation = 1) {
    return gate.pass({{generation, std::move(what)}}, store);
  }
  Events opened(std::uint64_t generation = 1) {
    return pass(backend::SessionOpened{.timeout = Millis(5000)}, generation);
  }
  Events marks(std::vector<Register> records, std::uint64_t generation = 1) {
    return pass(backend::ReadDone{store.lists.back(), StoreResult::done, std::move(records), ""}, generation);
  }
  void open(std::vector<Register> records) {
    gate.on_open(daemon());
    (void)opened();
    (void)marks(std::move(records));
  }
  static Register record(std::string_view name, const std::string& value) { return {std::string(name), value, 1}; }
  static std::string why_unfit(const Events& events) {
    const auto* unfit = events.empty() ? nullptr : std::get_if<backend::Unfit>(&events.back().what);
    return unfit ? unfit->why : "no word";
  }

  AskedStore store;
  NamespaceGate gate;
};

TEST_F(Gate, ReportsASessionOnceTheMarksAreReadAndThenWhatCameMeanwhile) {
  gate.on_open(daemon());
  EXPECT_TRUE(opened().empty());
  EXPECT_EQ(store.watched, std::vector<std::string>{"s/"});
  EXPECT_TRUE(pass(backend::Vacancy{"db", true}).empty());
  const Events events = marks({});
  ASSERT_EQ(events.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<backend::SessionOpened>(events[0].what));
  EXPECT_TRUE(std::holds_alternative<backend::Vacancy>(events[1].what));
}

TEST_F(Gate, SaysThatAHeldNamespaceMayNotBeLedAndWhenItMay) {
  gate.on_open(daemon());
  (void)opened();
  const Events events = marks({record(core::export_mark, mark())});
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NE(why_unfit(events).find("is being moved"), std::string::npos) << why_unfit(events);
  EXPECT_TRUE(pass(backend::Changed{"s/"}).empty());
  EXPECT_EQ(why_unfit(marks({})), "");
}

TEST_F(Gate, KeepsWhatTheBackendSaysOfTheNodeApart) {
  open({record(core::export_mark, mark())});
  EXPECT_NE(why_unfit(pass(backend::Unfit{"", "a check is critical"})).find("is being moved"), std::string::npos);
  (void)pass(backend::Changed{"s/"});
  EXPECT_EQ(why_unfit(marks({})), "a check is critical");
  EXPECT_EQ(why_unfit(pass(backend::Unfit{"", ""})), "");
}

TEST_F(Gate, EndsTheFirstSessionInANamespaceThatWasMoved) {
  gate.on_open(daemon());
  (void)opened();
  EXPECT_TRUE(marks({record(core::moved_mark, mark())}).empty());
  EXPECT_EQ(store.closed, std::vector<bool>{false});
  const Events events = pass(backend::SessionClosed{Cause::shutdown, ""});
  ASSERT_EQ(events.size(), 1u);
  const auto& closed = std::get<backend::SessionClosed>(events[0].what);
  EXPECT_EQ(closed.cause, Cause::superseded);
  EXPECT_NE(closed.text.find("moved to etcd"), std::string::npos) << closed.text;
}

TEST_F(Gate, LeavesADaemonThatHasHadASessionWithoutGroups) {
  open({});
  (void)pass(backend::Changed{"s/"});
  EXPECT_NE(why_unfit(marks({record(core::moved_mark, mark())})).find("was moved"), std::string::npos);
  (void)pass(backend::SessionClosed{Cause::expired, ""});
  gate.on_open(daemon(2));
  (void)opened(2);
  EXPECT_NE(why_unfit(marks({record(core::moved_mark, mark())}, 2)).find("was moved"), std::string::npos);
  EXPECT_TRUE(store.closed.empty());
}

TEST_F(Gate, LetsWhoOnlyReadsInAndTellsHimNothing) {
  SessionRequest observer;
  observer.generation = 1;
  observer.observer = true;
  gate.on_open(observer);
  (void)opened();
  EXPECT_EQ(marks({record(core::moved_mark, mark())}).size(), 1u);
  EXPECT_TRUE(store.watched.empty());
}

TEST_F(Gate, CountsEpochsOnFromThoseOfTheStoreBefore) {
  open({record(core::epoch_mark, core::to_text(core::EpochMark{57}))});
  EXPECT_EQ(std::get<backend::Elected>(pass(backend::Elected{.group = "db", .epoch = 2}).at(0).what).epoch, 59u);
  EXPECT_EQ(std::get<backend::Deposed>(pass(backend::Deposed{"db", 2}).at(0).what).epoch, 59u);
  backend::Observed seen;
  seen.elections = {{"db", 2, {}}, {"never", 0, {}}};
  const Events events = pass(seen);
  const auto& observed = std::get<backend::Observed>(events.at(0).what);
  EXPECT_EQ(observed.elections[0].epoch, 59u);
  EXPECT_EQ(observed.elections[1].epoch, 0u);
  std::vector<RegisterWrite> batch{{"db", 59, "j/a", "", 0}, {"db", 50, "j/a", "", 0}};
  gate.translate(batch);
  EXPECT_EQ(batch[0].epoch, 2u);
  EXPECT_EQ(batch[1].epoch, 0u);
}

TEST_F(Gate, LeavesASessionWhoseMarksCannotBeRead) {
  gate.on_open(daemon());
  (void)opened();
  for (int tries = 0; tries < 2; ++tries) {
    EXPECT_TRUE(store.closed.empty());
    EXPECT_TRUE(pass(backend::ReadDone{store.lists.back(), StoreResult::unknown, {}, "no answer"}).empty());
  }
  EXPECT_EQ(store.lists.size(), 2u);
  EXPECT_EQ(store.closed, std::vector<bool>{true});
  const Events events = pass(backend::SessionClosed{Cause::shutdown, ""});
  EXPECT_EQ(std::get<backend::SessionClosed>(events.at(0).what).cause, Cause::unreachable);
}

TEST_F(Gate, ReadsMarksAgainWithTheNextRenewalWhereTheStoreDidNotAnswer) {
  open({});
  (void)pass(backend::Changed{"s/"});
  (void)pass(backend::ReadDone{store.lists.back(), StoreResult::unknown, {}, "no answer"});
  ASSERT_EQ(store.lists.size(), 2u);
  gate.on_renew(store);
  ASSERT_EQ(store.lists.size(), 3u);
  EXPECT_NE(why_unfit(marks({record(core::import_mark, mark())})).find("an import"), std::string::npos);
  gate.on_renew(store);
  EXPECT_EQ(store.lists.size(), 3u);
}

TEST_F(Gate, ReadsMarksThatChangeWhileTheyAreReadOnceMore) {
  gate.on_open(daemon());
  (void)opened();
  (void)pass(backend::Changed{"s/"});
  ASSERT_EQ(store.lists.size(), 1u);
  (void)marks({});
  ASSERT_EQ(store.lists.size(), 2u);
  EXPECT_NE(why_unfit(marks({record(core::export_mark, mark())})).find("is being moved"), std::string::npos);
}

TEST_F(Gate, PassesAnswersToReadsOfOthers) {
  open({});
  EXPECT_EQ(pass(backend::ReadDone{7, StoreResult::done, {}, ""}).size(), 1u);
  EXPECT_EQ(pass(backend::ReadDone{(RequestId{3} << 62) + 1, StoreResult::done, {}, ""}).size(), 1u);
  EXPECT_EQ(pass(backend::Changed{"q/"}).size(), 1u);
}

}  // namespace
}  // namespace ballot::io
