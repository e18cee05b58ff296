// The file of `ballot store export`: what is taken for a whole copy, and what comes back of it.
#include "app/store/store_copy.hpp"

#include <gtest/gtest.h>

#include "app/store/namespace_copy.hpp"
#include "core/record/register.hpp"

namespace ballot::app {
namespace {

using Kind = StoredEntry::Kind;

StoreCopy small_copy() {
  StoreCopy copy;
  copy.id = *RunId::parse("01890000-0000-7000-8000-000000000001");
  copy.at = WallTime(Millis(1'782'907'200'000));
  copy.by = "root on db1";
  copy.version = "1.0";
  copy.from = "backend local, namespace default";
  copy.to = "etcd \\ \"production\"";
  copy.highest_epoch = 57;
  copy.entries = {{Kind::of_register, "g/nightly", "ballot 1\nepoch 57\n"},
                  {Kind::of_register, "j/backup", "ballot 1\n\n  a \\ line\\\n"},
                  {Kind::of_register, "j/none", ""},
                  {Kind::of_record, "p/trim", "no end of line"},
                  {Kind::of_record, "q/x", std::string("\0\xff\t\r\n\n\xc3\xa9 \xe2\x80\xa8", 12)}};
  return copy;
}

TEST(StoreCopyText, GivesBackWhatWasCopiedWhateverBytesItHas) {
  const std::string text = to_text(small_copy());
  const auto read = parse_store_copy(text);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, small_copy());
  EXPECT_EQ(to_text(*read), text);
  EXPECT_EQ(digest_in(text).size(), 64u);
}

TEST(StoreCopyText, IsTextThatAnyEditorShows) {
  const std::string text = to_text(small_copy());
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
  EXPECT_NE(text.find("register j/backup\n ballot 1\n \n   a \\\\ line\\\\\n"), std::string::npos) << text;
  EXPECT_NE(text.find("record p/trim\n no end of line\\\n"), std::string::npos) << text;
  EXPECT_NE(text.find("record q/x\n \\x00\\xff\\x09\\x0d\n \n é \\xe2\\x80\\xa8\\\n"), std::string::npos) << text;
}

TEST(StoreCopyText, IsRefusedWhereverItIsCutOff) {
  const std::string text = to_text(small_copy());
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parse_store_copy(std::string_view(text).substr(0, size))) << size;
}

TEST(StoreCopyText, IsRefusedWhateverByteIsChangedOrAdded) {
  const std::string text = to_text(small_copy());
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_FALSE(parse_store_copy(other)) << at;
  }
  EXPECT_FALSE(parse_store_copy(text + "\n"));
  EXPECT_FALSE(parse_store_copy(text + text));
}

TEST(StoreCopyText, SaysWhatIsWrong) {
  const std::string text = to_text(small_copy());
  EXPECT_NE(parse_store_copy(text.substr(0, text.size() - 9)).error().what.find("cut off"), std::string::npos);
  std::string edited = text;
  edited.replace(edited.find("epoch 57"), 8, "epoch 58");
  EXPECT_NE(parse_store_copy(edited).error().what.find("edited"), std::string::npos);
  std::string newer = text;
  newer.replace(0, 14, "ballot-store 2");
  EXPECT_EQ(parse_store_copy(newer).error().code, Errc::refused);
  EXPECT_NE(parse_store_copy("hello\n").error().what.find("no copy of a store"), std::string::npos);
}

TEST(StoreCopyText, RefusesEntriesThatNoExportWrites) {
  for (const StoredEntry& entry :
       {StoredEntry{Kind::of_register, "p/trim", ""}, StoredEntry{Kind::of_record, "s/moved", ""},
        StoredEntry{Kind::of_record, "n/n1.1", ""}, StoredEntry{Kind::of_register, "z/new", ""},
        StoredEntry{Kind::of_register, "j/../x", ""}, StoredEntry{Kind::of_register, "j", ""}}) {
    StoreCopy copy = small_copy();
    copy.entries = {entry};
    EXPECT_FALSE(parse_store_copy(to_text(copy))) << entry.name;
  }
  StoreCopy twice = small_copy();
  twice.entries.push_back(twice.entries.back());
  EXPECT_FALSE(parse_store_copy(to_text(twice)));
}

TEST(NamespaceCopy, LeavesOutWhatBelongsToTheStoreAndToSessions) {
  const auto entries =
      entries_of({{"s/identity", "x", 1}, {"q/b", "y", 1}, {"n/n1.1", "x", 1}, {"j/a", "z", 1}, {"s/export", "x", 1}});
  ASSERT_TRUE(entries);
  EXPECT_EQ(*entries, (std::vector<StoredEntry>{{Kind::of_register, "j/a", "z"}, {Kind::of_record, "q/b", "y"}}));
  EXPECT_EQ(entries_of({{"z/of_a_newer_version", "x", 1}}).error().code, Errc::refused);
}

const std::string group_text =
    "ballot 1\nepoch 57\nnode n1\nelected_at 2026-07-01T12:00:00.000Z\nended_at 2026-07-01T12:01:00.000Z\n"
    "cause resigned\npaused yes\npaused_by 2026-07-01T12:00:30.000Z root\n";

TEST(NamespaceCopy, HaltsAGroupForDaemonsThatKnowNoMarksAndTakesItBack) {
  const std::string halted = halted_text(group_text, "this namespace was moved to etcd", WallTime(Millis(0)));
  const auto read = core::parse_group_register(halted);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->halted, "by ballot store: this namespace was moved to etcd");
  EXPECT_TRUE(read->paused);
  EXPECT_EQ(unhalted_text(halted), group_text);
  EXPECT_EQ(unhalted_text(core::to_text(*read)), core::to_text(*core::parse_group_register(group_text)));
  EXPECT_EQ(halted_text(halted, "again", WallTime(Millis(0))), halted);
}

TEST(NamespaceCopy, LeavesAHaltOfTheStoresAndWhatCannotBeReadAsTheyAre) {
  const std::string halted = group_text + "halted the store has gone back\n";
  EXPECT_EQ(halted_text(halted, "x", WallTime(Millis(0))), halted);
  EXPECT_EQ(unhalted_text(halted), halted);
  EXPECT_EQ(halted_text("?", "x", WallTime(Millis(0))), "?");
  EXPECT_EQ(unhalted_text("?"), "?");
}

TEST(NamespaceCopy, NamesTheGroupsInWhoseTermsRegistersAreWritten) {
  EXPECT_EQ(group_of({Kind::of_register, "g/etl@n1", ""}), "etl@n1");
  EXPECT_EQ(group_of({Kind::of_register, "t/ticks", ""}), "ticks");
  EXPECT_EQ(group_of({Kind::of_register, "j/a", "cannot be read"}), "default");
  EXPECT_EQ(group_of({Kind::of_record, "q/a", ""}), "");
  EXPECT_EQ(groups_in({{Kind::of_register, "g/b", ""}, {Kind::of_register, "t/a", ""}, {Kind::of_register, "t/b", ""}}),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(groups_in({}), std::vector<std::string>{"default"});
}

TEST(NamespaceCopy, SaysWhereTwoCopiesDiffer) {
  const Differences found = differences({{Kind::of_register, "j/a", "1"}, {Kind::of_register, "j/b", "1"}},
                                        {{Kind::of_register, "j/b", "2"}, {Kind::of_register, "j/c", "1"}});
  EXPECT_EQ(found.only_first, std::vector<std::string>{"j/a"});
  EXPECT_EQ(found.differing, std::vector<std::string>{"j/b"});
  EXPECT_EQ(found.only_second, std::vector<std::string>{"j/c"});
}

TEST(NamespaceCopy, KnowsTheHighestEpochThatARegisterNames) {
  EXPECT_EQ(highest_epoch_in({{Kind::of_register, "g/a", group_text}, {Kind::of_register, "j/x", "?"}}), 57u);
}

}  // namespace
}  // namespace ballot::app
