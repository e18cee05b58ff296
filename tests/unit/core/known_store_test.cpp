#include "core/store/known_store.hpp"

#include <gtest/gtest.h>

#include "core/store/store_guard.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;
using Of = KnownRow::Of;

struct Identity : ::testing::Test {
  Random random{7};
  RunId first = random.run_id(WallTime(1s)), second = random.run_id(WallTime(2s));
  KnownStore known{"here"};

  static std::vector<Register> record(const RunId& id) {
    return {{std::string(identity_record), "ballot 1\nid " + id.text() + "\n", 1}};
  }
  void load(std::vector<KnownRow> rows) { known.on_load(std::move(rows)); }
};

TEST_F(Identity, IsReadFromTheStore) {
  load({{first, Of::store, "here", 0, 10, 0}, {first, Of::job, "a", 0, 3, 0}, {second, Of::job, "a", 0, 9, 0}});
  EXPECT_FALSE(known.is_identified());
  EXPECT_TRUE(known.identify(record(first)));
  EXPECT_EQ(known.identity(), first);
  EXPECT_FALSE(known.is_another());
  EXPECT_EQ(known.take_rows().size(), 2u) << "those of this store";
  EXPECT_TRUE(known.take_rows().empty());
}

TEST_F(Identity, OfANewStoreIsMade) {
  load({});
  EXPECT_FALSE(known.identify({}));
  EXPECT_TRUE(known.identify({{std::string(identity_record), known.identity_text(WallTime(3s), random), 1}}));
  EXPECT_TRUE(known.identity());
}

TEST_F(Identity, OfAnEmptiedStoreIsThatOfTheStoreThatWasLastInItsPlace) {
  load({{second, Of::store, "here", 0, 5, 0},
        {first, Of::store, "here", 0, 10, 0},
        {second, Of::store, "there", 0, 5, 0}});
  EXPECT_FALSE(known.identify({}));
  EXPECT_EQ(known.identity_text(WallTime(3s), random), record(first)[0].value);
}

TEST_F(Identity, ThatIsNotTheOneOfBeforeIsOfAnotherStore) {
  load({{first, Of::store, "here", 0, 10, 0}, {first, Of::job, "a", 0, 3, 0}});
  EXPECT_TRUE(known.identify(record(second)));
  EXPECT_TRUE(known.is_another());
  EXPECT_TRUE(known.take_rows().empty());
}

TEST_F(Identity, ThatCannotBeReadIsTakenForThatOfTheStoreOfBefore) {
  load({{first, Of::store, "here", 0, 10, 0}});
  EXPECT_TRUE(known.identify({{std::string(identity_record), "ballot 9\nwhatever", 1}}));
  EXPECT_EQ(known.identity(), first);
}

TEST_F(Identity, ThatCannotBeReadOfAStoreThatIsNotKnownLetsNothingBeRecorded) {
  load({});
  EXPECT_TRUE(known.identify({{std::string(identity_record), "?", 1}}));
  EXPECT_FALSE(known.identity());
  StoreGuard guard;
  guard.on_opened(5);
  EXPECT_FALSE(known.due_row(guard, SteadyTime(1s)));
}

TEST_F(Identity, TheStoresRowIsDueOnceAMinuteWhileItChangesAndWheneverItHasGoneBack) {
  load({});
  known.identify(record(first));
  StoreGuard guard;
  guard.on_opened(5);
  EXPECT_EQ(known.due_row(guard, SteadyTime(10s)), (KnownRow{first, Of::store, "here", 0, 5, 0}));
  guard.on_renewal_sent();
  guard.on_renewed(6);
  EXPECT_FALSE(known.due_row(guard, SteadyTime(69s)));
  EXPECT_EQ(known.due_row(guard, SteadyTime(70s)), (KnownRow{first, Of::store, "here", 0, 6, 0}));
  EXPECT_FALSE(known.due_row(guard, SteadyTime(200s))) << "it is the same";
  guard.on_renewal_sent();
  ASSERT_TRUE(guard.on_renewed(2));
  EXPECT_EQ(known.due_row(guard, SteadyTime(201s)), (KnownRow{first, Of::store, "here", 0, 2, 1}));
  guard.on_renewed(3);
  EXPECT_EQ(known.last_row(guard), (KnownRow{first, Of::store, "here", 0, 3, 1})) << "at the stop";
  EXPECT_FALSE(known.last_row(guard));
}

}  // namespace
}  // namespace ballot::core
