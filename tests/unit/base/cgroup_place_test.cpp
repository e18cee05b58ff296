#include "base/cgroup_place.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/temp_folder.hpp"

namespace ballot {
namespace {

constexpr char unified[] =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr char hybrid[] =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

TEST(CgroupPlace, IsFoundThroughTheMountTable) {
  EXPECT_EQ(find_cgroup(unified, "0::/system.slice/ballot.service\n"),
            (CgroupPlace{"/sys/fs/cgroup", "/sys/fs/cgroup/system.slice/ballot.service"}));
  EXPECT_EQ(find_cgroup(unified, "0::/\n"), (CgroupPlace{"/sys/fs/cgroup", "/sys/fs/cgroup"}));
}

TEST(CgroupPlace, IsInTheSecondVersionOfAHybridMount) {
  EXPECT_EQ(find_cgroup(hybrid, "9:name=systemd:/a\n4:memory:/b\n0::/c\n"),
            (CgroupPlace{"/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/c"}));
}

TEST(CgroupPlace, IsCountedFromWhatIsMountedOfTheHierarchy) {
  constexpr char part[] = "30 23 0:26 /docker/a\\040b /mnt/c\\134g ro - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(find_cgroup(part, "0::/docker/a b/c\n"), (CgroupPlace{"/mnt/c\\g", "/mnt/c\\g/c"}));
  EXPECT_EQ(find_cgroup(part, "0::/docker/a b\n"), (CgroupPlace{"/mnt/c\\g", "/mnt/c\\g"}));
  EXPECT_EQ(find_cgroup(part, "0::/docker/a bc\n"), std::nullopt) << "outside of it";
}

TEST(CgroupPlace, IsNoneWithoutSuchAHierarchy) {
  EXPECT_EQ(find_cgroup("35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "0::/a\n"), std::nullopt);
  EXPECT_EQ(find_cgroup(unified, "4:memory:/b\n"), std::nullopt);
  EXPECT_EQ(find_cgroup(unified, "0::/../other\n"), std::nullopt) << "of another namespace";
  EXPECT_EQ(find_cgroup("", ""), std::nullopt);
}

TEST(CgroupPlace, TellsWhatCanBeLimitedThere) {
  const TempFolder folder;
  EXPECT_TRUE(cgroup_controllers(folder.path()).empty());
  folder.write("cgroup.controllers", "cpu memory pids\n");
  EXPECT_EQ(cgroup_controllers(folder.path()), (std::vector<std::string>{"cpu", "memory", "pids"}));
}

TEST(CgroupPlace, OfThisProcessIsAFolderThatIsThere) {
  const auto place = find_cgroup();
  if (!place) GTEST_SKIP() << "there is no such hierarchy here";
  EXPECT_EQ(::access((place->own + "/cgroup.procs").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace ballot
