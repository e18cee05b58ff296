#include "io/file_watch.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/temp_folder.hpp"
#include "unit/io/loop_until.hpp"

namespace ballot::io {
namespace {

namespace fs = std::filesystem;
using testing::run_for;
using testing::run_until;

struct Watch : ::testing::Test {
  Watch() { fs::create_directory(jobs); }

  std::unique_ptr<FileWatch> open(const std::string& path) {
    auto opened = FileWatch::open(loop, path,
                                  [this](const std::vector<std::string>& told) {
                                    ++changes;
                                    names = told;
                                  },
                                  {Millis(10), Millis(60)});
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }
  bool changed_once() {
    const bool changed = run_until(loop, [&] { return changes > 0; });
    run_for(loop, Millis(30));
    return changed && std::exchange(changes, 0) == 1;
  }

  TempFolder folder;
  const std::string jobs = folder / "etc.jobs.d";
  boost::asio::io_context loop;
  int changes = 0;
  std::vector<std::string> names;  // as last told
};

using Names = std::vector<std::string>;

TEST_F(Watch, IsSilentWhileNothingChanges) {
  const auto watch = open(jobs);
  run_for(loop, Millis(40));
  EXPECT_EQ(changes, 0);
  EXPECT_EQ(watch->problem(), "");
}

TEST_F(Watch, TellsFilesWrittenRenamedChangedAndRemoved) {
  const auto watch = open(jobs);
  const auto file = folder.write("etc.jobs.d/a.toml", "1");
  EXPECT_TRUE(changed_once());
  EXPECT_EQ(names, Names{"a.toml"});
  fs::rename(file, jobs + "/b.toml");
  EXPECT_TRUE(changed_once());
  EXPECT_EQ(names, (Names{"a.toml", "b.toml"}));
  ASSERT_EQ(::chmod((jobs + "/b.toml").c_str(), 0600), 0);
  EXPECT_TRUE(changed_once());
  fs::rename(folder.write("elsewhere", "2"), jobs + "/b.toml");
  EXPECT_TRUE(changed_once());
  fs::remove(jobs + "/b.toml");
  EXPECT_TRUE(changed_once());
  EXPECT_EQ(names, Names{"b.toml"});
}

TEST_F(Watch, MakesABurstOneChange) {
  const auto watch = open(jobs);
  for (int i = 0; i < 200; ++i) folder.write("etc.jobs.d/" + std::to_string(i), "1");
  EXPECT_TRUE(changed_once());
}

TEST_F(Watch, DoesNotWaitForeverForRest) {
  const auto watch = open(jobs);
  int writes = 0;
  EXPECT_TRUE(run_until(loop, [&] {
    folder.write("etc.jobs.d/busy", std::to_string(++writes));
    loop.poll();
    return changes > 0;
  }));
}

TEST_F(Watch, SeesADirectoryThatComesLater) {
  const auto watch = open(folder / "later/on/jobs.d");
  fs::create_directories(folder / "later/on");
  run_for(loop, Millis(40));
  changes = 0;
  fs::create_directory(folder / "later/on/jobs.d");
  EXPECT_TRUE(changed_once());
  folder.write("later/on/jobs.d/a.toml", "1");
  EXPECT_TRUE(changed_once());
}

TEST_F(Watch, FollowsADirectoryThatIsReplaced) {
  const auto watch = open(jobs);
  fs::create_directory(folder / "new");
  fs::rename(jobs, folder / "old");
  fs::rename(folder / "new", jobs);
  EXPECT_TRUE(changed_once());
  EXPECT_EQ(names, Names()) << "anything may have changed";
  folder.write("etc.jobs.d/a.toml", "1");
  EXPECT_TRUE(changed_once());
  folder.write("old/a.toml", "1");
  run_for(loop, Millis(40));
  EXPECT_EQ(changes, 0) << "the old directory is no longer the one";
}

TEST_F(Watch, FollowsADirectoryRenamedOverAnEmptyOne) {
  const auto watch = open(jobs);
  fs::create_directory(folder / "new");
  ASSERT_EQ(::rename((folder / "new").c_str(), jobs.c_str()), 0);
  EXPECT_TRUE(changed_once());
  folder.write("etc.jobs.d/a.toml", "1");
  EXPECT_TRUE(changed_once());
}

TEST_F(Watch, FollowsALinkThatIsTurned) {
  fs::create_directory(folder / "v1");
  fs::create_directory(folder / "v2");
  fs::create_directory_symlink(folder / "v1", folder / "link");
  const auto watch = open(folder / "link");
  fs::create_directory_symlink(folder / "v2", folder / "next");
  fs::rename(folder / "next", folder / "link");
  EXPECT_TRUE(changed_once());
  folder.write("v2/a.toml", "1");
  EXPECT_TRUE(changed_once());
}

TEST_F(Watch, SeesTheDirectorysOwnModeChange) {
  const auto watch = open(jobs);
  ASSERT_EQ(::chmod(jobs.c_str(), 0777), 0);
  EXPECT_TRUE(changed_once());
  EXPECT_EQ(names, Names());
}

TEST_F(Watch, SeesADirectoryGoAndComeBack) {
  const auto watch = open(jobs);
  fs::remove_all(jobs);
  EXPECT_TRUE(changed_once());
  fs::create_directory(jobs);
  EXPECT_TRUE(changed_once());
  folder.write("etc.jobs.d/a.toml", "1");
  EXPECT_TRUE(changed_once());
}

TEST_F(Watch, TakesALostEventForAChange) {
  std::ifstream limit("/proc/sys/fs/inotify/max_queued_events");
  int most = 0;
  ASSERT_TRUE(limit >> most);
  const auto watch = open(jobs);
  // Two alternating events do not collapse into one.
  const std::string a = folder.write("etc.jobs.d/a", ""), b = jobs + "/b";
  for (int i = 0; i < most / 2 + 10; ++i) {
    ASSERT_EQ(::rename(a.c_str(), b.c_str()), 0);
    ASSERT_EQ(::rename(b.c_str(), a.c_str()), 0);
  }
  // Where reading them takes longer than the rest that is waited for, the first of them are told before.
  EXPECT_TRUE(run_until(loop, [&] { return changes > 0 && names.empty(); })) << "anything may have changed";
  run_for(loop, Millis(100));
  changes = 0;
  folder.write("etc.jobs.d/c", "");
  EXPECT_TRUE(changed_once());
}

TEST_F(Watch, IsSilentOnceDestroyed) {
  auto watch = open(jobs);
  folder.write("etc.jobs.d/a", "");
  loop.poll();
  watch.reset();
  run_for(loop, Millis(40));
  EXPECT_EQ(changes, 0);
}

TEST_F(Watch, MayBeDestroyedByItsOwnCallback) {
  std::unique_ptr<FileWatch> watch;
  auto opened = FileWatch::open(loop, jobs, [&](const Names&) { watch.reset(), ++changes; }, {Millis(1), Millis(10)});
  ASSERT_TRUE(opened);
  watch = *std::move(opened);
  folder.write("etc.jobs.d/a", "");
  EXPECT_TRUE(changed_once());
}

}  // namespace
}  // namespace ballot::io
