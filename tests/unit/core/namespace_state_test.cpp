// What daemons make of the marks that `ballot store` leaves in a namespace.
#include "core/store/namespace_state.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "core/record/move_marks.hpp"

namespace ballot::core {
namespace {

using Use = NamespaceState::Use;

MoveMark mark_of_root() {
  return {*RunId::parse("01890000-0000-7000-8000-000000000001"),
          WallTime(Millis(1'782'907'200'000)),
          "root on db1",
          "etcd, namespace production",
          std::string(64, 'a'),
          57};
}

Register record(std::string_view name, const std::string& value) { return {std::string(name), value, 1}; }

TEST(MoveMarks, AreReadAsTheyWereWritten) {
  EXPECT_EQ(*parse_move_mark(to_text(mark_of_root())), mark_of_root());
  MoveMark fresh = mark_of_root();
  fresh.to = fresh.digest = "";
  fresh.epochs = 0;
  EXPECT_EQ(*parse_move_mark(to_text(fresh)), fresh);
  fresh.import = *RunId::parse("01890000-0000-7000-8000-000000000002");
  EXPECT_EQ(*parse_move_mark(to_text(fresh)), fresh);
  EXPECT_EQ(parse_epoch_mark(to_text(EpochMark{57}))->base, 57u);
}

TEST(MoveMarks, AHaltOfAMoveIsToldFromOthers) {
  EXPECT_EQ(move_word("by ballot store: this namespace was moved to etcd"), "moved");
  EXPECT_EQ(move_word("by ballot store: an import into this namespace has not ended"), "moving");
  EXPECT_EQ(move_word("the store has gone back: this namespace was moved to etcd"), "");
  EXPECT_EQ(move_word(""), "");
}

TEST(NamespaceStateTest, IsMovedWhereverItsCopyIs) {
  const std::string mark = to_text(mark_of_root());
  EXPECT_EQ(namespace_state({record(moved_mark, mark), record(imported_mark, mark)}).use, Use::moved);
  EXPECT_EQ(namespace_state({record(imported_mark, mark)}).use, Use::open);
}

TEST(MoveMarks, OfANewerFormatOrWithAnEpochOutOfReachAreRefused) {
  EXPECT_EQ(parse_move_mark("ballot 2\nid x\n").error().code, Errc::refused);
  EXPECT_EQ(parse_epoch_mark("ballot 1\nbase 4611686018427387904\n").error().code, Errc::corrupt);
  EXPECT_FALSE(
      parse_move_mark("ballot 1\nid 01890000-0000-7000-8000-000000000001\nat 2026-07-01T12:00:00.000Z\n"
                      "digest abc\n"));
}

TEST(NamespaceStateTest, IsOpenWhereThereIsNoMarkOrOnlyAnIdentity) {
  EXPECT_EQ(namespace_state({}), NamespaceState());
  EXPECT_EQ(namespace_state({record("s/identity", "ballot 1\nid x\n")}), NamespaceState());
}

TEST(NamespaceStateTest, IsHeldWhileItIsExportedOrImported) {
  for (const std::string_view name : {export_mark, import_mark}) {
    const NamespaceState state = namespace_state({record(name, to_text(mark_of_root()))});
    EXPECT_EQ(state.use, Use::held) << name;
    EXPECT_NE(state.why.find("root on db1"), std::string::npos) << state.why;
    EXPECT_NE(state.why.find("run"), std::string::npos) << state.why;
  }
}

TEST(NamespaceStateTest, SaysWhereItWasMovedToAlsoWhereTheExportHasNotEnded) {
  const NamespaceState state =
      namespace_state({record(export_mark, to_text(mark_of_root())), record(moved_mark, to_text(mark_of_root()))});
  EXPECT_EQ(state.use, Use::moved);
  EXPECT_NE(state.why.find("moved to etcd, namespace production"), std::string::npos) << state.why;
}

TEST(NamespaceStateTest, IsNotUsedByAMarkThatCannotBeRead) {
  EXPECT_EQ(namespace_state({record(export_mark, "?")}).use, Use::held);
  EXPECT_EQ(namespace_state({record(import_mark, "ballot 9\n")}).use, Use::held);
  EXPECT_EQ(namespace_state({record(moved_mark, "")}).use, Use::moved);
  EXPECT_EQ(namespace_state({record(epoch_mark, "ballot 1\nbase -1\n")}).use, Use::held);
}

TEST(NamespaceStateTest, HasTheBaseOfItsEpochs) {
  EXPECT_EQ(namespace_state({record(epoch_mark, to_text(EpochMark{57}))}).epoch_base, 57u);
}

}  // namespace
}  // namespace ballot::core
