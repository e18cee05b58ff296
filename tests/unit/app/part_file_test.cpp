// The file of a copy of a store, while it is written.
#include "app/store/part_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/process/run_program.hpp"
#include "support/temp_folder.hpp"

namespace ballot::app {
namespace {

using testing::text_of;

TEST(PartFile, HasItsNameOnlyOnceItIsWhole) {
  const TempFolder folder;
  const PartFile file(folder / "move.txt");
  ASSERT_TRUE(file.require_free());
  ASSERT_TRUE(file.write("one"));
  ASSERT_TRUE(file.write("two")) << "over what an earlier attempt has left";
  EXPECT_FALSE(std::filesystem::exists(folder / "move.txt"));
  ASSERT_TRUE(file.publish());
  EXPECT_EQ(text_of(folder / "move.txt"), "two");
  EXPECT_EQ(std::filesystem::status(folder / "move.txt").permissions(), std::filesystem::perms(0600));
  EXPECT_EQ(file.require_free().error().code, Errc::refused);
  ASSERT_TRUE(file.write("three"));
  EXPECT_EQ(file.publish().error().code, Errc::refused);
  EXPECT_EQ(text_of(folder / "move.txt"), "two");
}

/// In a folder that others may write to.
TEST(PartFile, WritesIntoNoFileThatSomebodyElseHasPutThere) {
  const TempFolder folder;
  const std::string theirs = folder.write("theirs", "keep"), part = folder / "move.txt.part";
  for (const bool is_link : {false, true}) {
    ASSERT_EQ(is_link ? ::symlink(theirs.c_str(), part.c_str()) : ::link(theirs.c_str(), part.c_str()), 0);
    ASSERT_TRUE(PartFile(folder / "move.txt").write("secret"));
    EXPECT_EQ(text_of(theirs), "keep");
    EXPECT_EQ(text_of(part), "secret");
    std::filesystem::remove(part);
  }
}

}  // namespace
}  // namespace ballot::app
