// Job files that are links: as Kubernetes mounts a ConfigMap, as Nix makes /etc, and as an attacker would like them.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/jobs_dir.hpp"
#include "diagnostics_text.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

namespace fs = std::filesystem;

constexpr const char* mend_link = "; mend the link or remove it";

class LinkedFiles : public ::testing::Test {
 protected:
  LinkedFiles() {
    for (const char* name : {"jobs.d", "store", "store/one"}) fs::create_directory(folder_ / name);
  }

  void write(const std::string& name, const std::string& job, const std::string& shell = "true") const {
    folder_.write(name, "[job." + job + "]\nshell = \"" + shell + "\"\n");
  }
  void link(const std::string& target, const std::string& name) const { fs::create_symlink(target, folder_ / name); }
  /// In one step, as who replaces a link does.
  void relink(const std::string& target, const std::string& name) const {
    link(target, name + ".new");
    fs::rename(folder_ / (name + ".new"), folder_ / name);
  }
  void set_mode(const std::string& name, mode_t mode) const { ASSERT_EQ(::chmod((folder_ / name).c_str(), mode), 0); }

  static std::string text_of_changes(const Changes& changes) {
    std::string text;
    for (const auto& each : changes.added) text += '+' + each->job.name;
    for (const auto& each : changes.changed) text += '~' + each->job.name;
    for (const auto& each : changes.removed) text += '-' + each->job.name;
    return text;
  }
  std::string reload() { return text_of_changes(jobs_.reload()); }
  std::string seen(const std::string& name) {
    const std::string names[] = {name};
    return text_of_changes(jobs_.reload(names));
  }
  /// Without the file's name.
  std::string finding(const std::string& file = "a.toml") const {
    const std::string all = text_of(jobs_.set().diagnostics), start = folder_ / ("jobs.d/" + file) + ":1:1: error: ";
    return all.starts_with(start) ? all.substr(start.size(), all.find('\n') - start.size()) : "?" + all;
  }

  TempFolder folder_;
  JobsDir jobs_{folder_ / "jobs.d", {}};
};

TEST_F(LinkedFiles, AreReadWhereverTheyLead) {
  write("store/one/a.toml", "a");
  link("../store/one/a.toml", "jobs.d/relative.toml");
  EXPECT_EQ(reload(), "+a");
  fs::remove(folder_ / "jobs.d/relative.toml");
  link("./one//", "store/current");
  link(folder_ / "store/current/../current/./a.toml", "jobs.d/absolute.toml");
  EXPECT_EQ(reload(), "");  // another file has the same job
  EXPECT_EQ(text_of(jobs_.set().diagnostics), "");
  EXPECT_EQ(reload(), "");
  fs::remove(folder_ / "jobs.d/absolute.toml");
  EXPECT_EQ(reload(), "-a");
}

TEST_F(LinkedFiles, OfAConfigMapAreReadAgainWhenItsFolderIsSwapped) {
  for (const char* version : {"jobs.d/..2026_11_23", "jobs.d/..2026_11_24"}) fs::create_directory(folder_ / version);
  write("jobs.d/..2026_11_23/a.toml", "a");
  write("jobs.d/..2026_11_23/b.toml", "b");
  link("..2026_11_23", "jobs.d/..data");
  for (const char* name : {"a.toml", "b.toml"}) link(std::string("..data/") + name, std::string("jobs.d/") + name);
  EXPECT_EQ(reload(), "+a+b");
  write("jobs.d/..2026_11_24/a.toml", "a", "false");
  write("jobs.d/..2026_11_24/b.toml", "b");
  EXPECT_EQ(seen("..2026_11_24"), "");
  relink("..2026_11_24", "jobs.d/..data");
  EXPECT_EQ(seen("..data"), "~a");
  EXPECT_EQ(seen("..data"), "");
  fs::remove_all(folder_ / "jobs.d/..2026_11_24");
  EXPECT_EQ(seen("..2026_11_24"), "") << "what was good stays in force";
  EXPECT_EQ(finding(), "this is a link, and there is no '..2026_11_24' in " + folder_ / "jobs.d" + mend_link);
  relink("..2026_11_23", "jobs.d/..data");
  EXPECT_EQ(seen("..data"), "~a");
  EXPECT_EQ(text_of(jobs_.set().diagnostics), "");
}

TEST_F(LinkedFiles, AreRefusedWhereOthersMayWriteOnTheWay) {
  write("store/one/a.toml", "a");
  link("../store/one/a.toml", "jobs.d/a.toml");
  set_mode("store", 0777);
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(finding(), "this is a link, and " + folder_ / "store" +
                           " is writable by others (mode 0777); take that away with chmod go-w");
  set_mode("store", 01777);
  EXPECT_EQ(reload(), "+a") << "in a sticky folder nobody moves what is another's";
  set_mode("store/one/a.toml", 0664);
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(finding(), "this is a link, and " + folder_ / "store/one/a.toml" +
                           " is writable by others (mode 0664); take that away with chmod go-w");
  set_mode("store/one/a.toml", 0644);
  set_mode("store/one", 0775);
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(finding(), "this is a link, and " + folder_ / "store/one" +
                           " is writable by others (mode 0775); take that away with chmod go-w");
}

TEST_F(LinkedFiles, AreLookedAtAgainAlsoWhereTheFileItselfIsUnchanged) {
  write("store/one/a.toml", "a");
  link("../store/one/a.toml", "jobs.d/a.toml");
  EXPECT_EQ(reload(), "+a");
  EXPECT_EQ(reload(), "");
  set_mode("store", 0777);
  EXPECT_EQ(reload(), "") << "it stays in force";
  EXPECT_NE(finding().find("is writable by others"), std::string::npos) << finding();
  set_mode("store", 0755);
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(text_of(jobs_.set().diagnostics), "");
}

TEST_F(LinkedFiles, OfSomebodyElseAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  write("store/one/a.toml", "a");
  link("one", "store/current");
  link("../store/current/a.toml", "jobs.d/a.toml");
  const auto owner = [&](const std::string& name, uid_t user) {
    ASSERT_EQ(::lchown((folder_ / name).c_str(), user, user), 0);
  };
  for (const char* name : {"jobs.d/a.toml", "store/current", "store/one", "store/one/a.toml"}) {
    owner(name, 12'345);
    EXPECT_EQ(reload(), "");
    EXPECT_EQ(finding(), "this is a link, and " + folder_ / name +
                             " belongs to user 12345; it must belong to root or to the daemon's user");
    owner(name, 0);
  }
  EXPECT_EQ(reload(), "+a");
}

TEST_F(LinkedFiles, ThatLeadNowhereSayWhere) {
  link("a.toml", "jobs.d/a.toml");
  reload();
  EXPECT_EQ(finding(), "this is a link that leads in circles");
  relink("../store/none/a.toml", "jobs.d/a.toml");
  reload();
  EXPECT_EQ(finding(), "this is a link, and there is no 'none' in " + folder_ / "store" + mend_link);
  relink("../store/one", "jobs.d/a.toml");
  reload();
  EXPECT_EQ(finding(), "this is a link to no regular file; put a regular file in its place");
  relink("..", "jobs.d/a.toml");
  reload();
  EXPECT_EQ(finding(), "this is a link to no regular file; put a regular file in its place");
  relink("/", "jobs.d/a.toml");
  reload();
  EXPECT_EQ(finding(), "this is a link to a folder; put a regular file in its place");
  ASSERT_EQ(::mkfifo((folder_ / "store/fifo").c_str(), 0644), 0);
  relink("../store/fifo", "jobs.d/a.toml");
  reload();
  EXPECT_EQ(finding(), "this is a link to no regular file; put a regular file in its place");
  write("store/one/file", "a");
  relink("../store/one/file/a.toml", "jobs.d/a.toml");
  reload();
  EXPECT_EQ(finding(), "this is a link, and " + folder_ / "store/one/file" + " is no folder");
}

/// Kubernetes makes the folder of a ConfigMap with the mode 0777, and mounts it read-only.
TEST_F(LinkedFiles, MayLieInAFolderThatNobodyCanWriteAsItIsMountedReadOnly) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
  write("store/one/a.toml", "a");
  link("one", "store/..data");
  link("..data/a.toml", "store/a.toml");
  set_mode("store", 0777);
  const std::string jobs = folder_ / "jobs.d";
  const pid_t child = ::fork();  // with mounts of its own
  if (child == 0) {
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount((folder_ / "store").c_str(), jobs.c_str(), nullptr, MS_BIND, nullptr) == 0;
    if (!mounted || !reload().empty() || text_of(jobs_.set().diagnostics).find("mode 0777") == std::string::npos)
      ::_exit(1);
    if (::mount(nullptr, jobs.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) ::_exit(2);
    ::_exit(reload() == "+a" ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ballot::config
