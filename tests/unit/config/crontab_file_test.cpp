// Files of crontabs: which of them are read.
#include "config/crontab/crontab_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

constexpr std::uint32_t root_id = 0, nobody_id = 65534, stranger_id = 4242;

/// The invoker is root, whoever runs the test.
struct CrontabFiles : ::testing::Test {
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of other users";
    ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  }

  std::string file(const char* name, std::uint32_t owner, mode_t mode) {
    const std::string path = folder.write(name, "@daily x\n");
    EXPECT_EQ(::chown(path.c_str(), owner, owner), 0);
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  /// "": it was read.
  std::string refusal(const CrontabSource& source, std::uint32_t invoker = root_id) {
    std::string text;
    const auto read = read_crontab_file(source, invoker, identities, text);
    EXPECT_EQ(text, read ? "@daily x\n" : "");
    if (read) return "";
    EXPECT_EQ(read.error().code, Errc::refused) << read.error().what;
    return read.error().what;
  }

  TempFolder folder;
  Identities identities;
};

constexpr const char* ignored_by_cron = "; cron ignores such a crontab. Look at its lines before you change that";

CrontabSource of_nobody(const std::string& path, CrontabSpool spool) {
  CrontabSource source = user_crontab(path, "nobody");
  source.spool = spool;
  return source;
}

TEST_F(CrontabFiles, OfTheSystemBelongToRootAndAreWritableByNobodyElse) {
  EXPECT_EQ(refusal(system_crontab(file("good", root_id, 0644))), "");
  EXPECT_EQ(refusal(system_crontab(file("executable", root_id, 0755))), "");
  EXPECT_EQ(
      refusal(system_crontab(file("foreign", nobody_id, 0644))),
      std::string("the file belongs to user 65534; it must belong to root or to the daemon's user") + ignored_by_cron);
  EXPECT_EQ(
      refusal(system_crontab(file("group", root_id, 0664))),
      std::string("the file is writable by others (mode 0664); take that away with chmod go-w") + ignored_by_cron);
  EXPECT_NE(refusal(system_crontab(file("others", root_id, 0646))), "");
}

TEST_F(CrontabFiles, OfTheSystemMayBeLinksOfRootToFilesOfRoot) {
  const std::string good = file("good", root_id, 0644), foreign = file("foreign", nobody_id, 0644);
  std::filesystem::create_symlink(good, folder / "link");
  EXPECT_EQ(refusal(system_crontab(folder / "link")), "");
  std::filesystem::create_symlink(good, folder / "foreign_link");
  ASSERT_EQ(::lchown((folder / "foreign_link").c_str(), nobody_id, nobody_id), 0);
  EXPECT_NE(refusal(system_crontab(folder / "foreign_link")), "");
  std::filesystem::create_symlink(foreign, folder / "link_to_foreign");
  EXPECT_NE(refusal(system_crontab(folder / "link_to_foreign")), "");
}

TEST_F(CrontabFiles, WithHardLinksAreRefused) {
  const std::string linked = file("linked", root_id, 0644);
  std::filesystem::create_hard_link(linked, folder / "second");
  EXPECT_TRUE(refusal(system_crontab(linked)).starts_with("the file has 2 hard links"));
  EXPECT_TRUE(refusal(user_crontab(linked, "root")).starts_with("the file has 2 hard links"));
}

TEST_F(CrontabFiles, OfAUserBelongToThatUserOrRoot) {
  EXPECT_EQ(refusal(user_crontab(file("own", nobody_id, 0644), "nobody")), "");
  EXPECT_EQ(refusal(user_crontab(file("roots", root_id, 0644), "nobody")), "");
  EXPECT_EQ(refusal(user_crontab(file("nobodys", nobody_id, 0600), "root")),
            std::string("the file belongs to nobody, and its jobs would run as root; if it is the crontab of nobody, "
                        "say --user nobody") +
                ignored_by_cron);
  EXPECT_NE(refusal(user_crontab(file("strangers", stranger_id, 0600), "nobody")), "");
  EXPECT_NE(refusal(user_crontab(file("group", nobody_id, 0660), "nobody")), "");
  EXPECT_NE(refusal(user_crontab(file("unknown", nobody_id, 0600), "no-such-user")), "");
}

TEST_F(CrontabFiles, OfWhoeverImportsAreRead) {
  EXPECT_EQ(refusal(system_crontab(file("system", stranger_id, 0644)), stranger_id), "");
  EXPECT_EQ(refusal(user_crontab(file("user", stranger_id, 0644), "nobody"), stranger_id), "");
}

TEST_F(CrontabFiles, OfASpoolHaveItsMode) {
  const std::string wanted = "in its spool cron wants 0600: chmod 0600 it";
  const std::string readable = file("readable", nobody_id, 0644), own = file("own", nobody_id, 0600),
                    executable = file("executable", nobody_id, 0700);
  EXPECT_EQ(refusal(of_nobody(own, CrontabSpool::debian)), "");
  EXPECT_EQ(refusal(of_nobody(readable, CrontabSpool::debian)),
            "the file has the mode 0644; " + wanted + ignored_by_cron);
  EXPECT_EQ(refusal(of_nobody(own, CrontabSpool::cronie)), "");
  EXPECT_EQ(refusal(of_nobody(readable, CrontabSpool::cronie)), "");
  EXPECT_EQ(refusal(of_nobody(executable, CrontabSpool::cronie)),
            "the file has the mode 0700; " + wanted + ignored_by_cron);
}

TEST_F(CrontabFiles, OfAUserAreNoLinks) {
  std::filesystem::create_symlink(file("own", nobody_id, 0600), folder / "link");
  ASSERT_EQ(::lchown((folder / "link").c_str(), nobody_id, nobody_id), 0);
  EXPECT_EQ(refusal(user_crontab(folder / "link", "nobody")),
            std::string("this is a link; name the file that it leads to") + ignored_by_cron);
}

TEST_F(CrontabFiles, ThatAreNoneKeepNobodyWaiting) {
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_NE(refusal(system_crontab(folder / "fifo")), "");
  EXPECT_NE(refusal(user_crontab(folder / "fifo", "root")), "");
  std::string text;
  EXPECT_EQ(read_crontab_file(user_crontab(folder / "none", "root"), root_id, identities, text).error().code,
            Errc::not_found);
  EXPECT_EQ(read_crontab_file(system_crontab(folder / "no/file"), root_id, identities, text).error().code,
            Errc::not_found);
}

}  // namespace
}  // namespace ballot::config
