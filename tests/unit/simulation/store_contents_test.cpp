// What lies in a store of the simulation: a register by its version, a record once.
#include "simulation/store_contents.hpp"

#include <gtest/gtest.h>

namespace ballot::simulation {
namespace {

TEST(StoreContents, ARegisterIsWrittenOverTheVersionThatItHas) {
  StoreContents store;
  const WriteAnswer first = store.write({"g", 1, "j/a", "one", 0});
  EXPECT_EQ(first.outcome, StoreResult::done);
  const WriteAnswer again = store.write({"g", 1, "j/a", "two", 0});
  EXPECT_EQ(again.outcome, StoreResult::conflict);
  EXPECT_EQ(again.version, first.version);
  const WriteAnswer next = store.write({"g", 1, "j/a", "two", first.version});
  EXPECT_EQ(next.outcome, StoreResult::done);
  EXPECT_GT(next.version, first.version);
  EXPECT_EQ(store.read({"j/a", "j/none"}).at(0).value, "two");
  EXPECT_EQ(store.version_of("j/none"), 0u);
}

TEST(StoreContents, ARecordIsCreatedOnceAndIsNoRegister) {
  StoreContents store;
  EXPECT_EQ(store.create({"q/1", "asked"}).outcome, StoreResult::done);
  EXPECT_EQ(store.create({"q/1", "other"}).outcome, StoreResult::conflict);
  EXPECT_EQ(store.write({"g", 1, "q/1", "x", 0}).outcome, StoreResult::failed);
  EXPECT_EQ(store.write({"g", 1, "j/long", std::string(9000, 'x'), 0}).outcome, StoreResult::failed);
  EXPECT_EQ(store.write({"g", 1, "j/a", "x", 0}).outcome, StoreResult::done);
  EXPECT_EQ(store.create({"j/a", "x"}).outcome, StoreResult::conflict);
  EXPECT_TRUE(store.remove("q/1"));
  EXPECT_FALSE(store.remove("q/1"));
  EXPECT_EQ(store.list("q/").size(), 0u);
  EXPECT_EQ(store.list("j/").size(), 1u);
}

}  // namespace
}  // namespace ballot::simulation
