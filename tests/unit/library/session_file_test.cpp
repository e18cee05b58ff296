// The file of a session that somebody may have to leave, and the lock beside it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "io/clocks.hpp"
#include "library/kept_session.hpp"
#include "support/temp_folder.hpp"

namespace ballot::library {
namespace {

using Taken = SessionLock::Taken;

TEST(SessionFile, GivesBackWhatWasWritten) {
  const TempFolder folder;
  SessionFile file;
  file.backend = "zookeeper";
  file.name_space = "prod";
  file.plugin_dir = "/p";
  file.state_dir = "/s";
  file.options = {{"flag", true}, {"number", std::int64_t{7}}, {"text", "a"}, {"list", std::vector<std::string>{"b"}}};
  file.timeout = Millis(6000);
  file.node = "n1";
  file.group = "g";
  file.handle = "n1 77 secret";
  file.runner_socket = "/run/runner.sock";
  file.left_until = SteadyTime(Millis(99));
  file.boot_id = "boot";
  ASSERT_TRUE(write_session_file(folder / "session", file));
  const auto read = read_session_file(folder / "session");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->options, file.options);
  EXPECT_EQ(read->timeout, file.timeout);
  EXPECT_EQ(read->group, file.group);
  EXPECT_EQ(read->handle, file.handle);
  EXPECT_EQ(read->runner_socket, file.runner_socket);
  EXPECT_EQ(read->left_until, file.left_until);
  const config::Config config = config_of(*read);
  EXPECT_EQ(config.coordination.backend, "zookeeper");
  EXPECT_EQ(config.coordination.name_space, "prod");
  EXPECT_EQ(config.coordination.session_timeout, file.timeout);
  EXPECT_EQ(config.plugin_dir, "/p");
  EXPECT_EQ(config.state_dir, "/s");
  EXPECT_EQ(config.backends.at("zookeeper").options, file.options);
}

TEST(SessionFile, IsNotReadWhereOthersMayReadIt) {
  const TempFolder folder;
  SessionFile file;
  file.backend = "local";
  ASSERT_TRUE(write_session_file(folder / "session", file));
  std::filesystem::permissions(folder / "session", std::filesystem::perms(0640));
  const auto read = read_session_file(folder / "session");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::refused);
}

/// A pipe would keep whoever opens it waiting for a writer; what a folder or a device says is no daemon's.
TEST(SessionFile, IsARegularFileAndNothingElseIsWaitedForOrRead) {
  const TempFolder folder;
  const std::string pipe = folder / "pipe", directory = folder / "directory", link = folder / "link";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_EQ(::mkdir(directory.c_str(), 0700), 0);
  SessionFile file;
  file.backend = "local";
  ASSERT_TRUE(write_session_file(folder / "session", file));
  ASSERT_EQ(::symlink((folder / "session").c_str(), link.c_str()), 0);
  ::alarm(20);  // what hangs fails
  for (const std::string& path : {pipe, directory, link}) {
    const auto read = read_session_file(path);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().code, Errc::refused) << read.error().what;
  }
  ::alarm(0);
}

/// The store is away: the dead program's session is in it still, and nobody else has its handle.
TEST(KeptSession, LeavesTheFileOfADeadProgramAloneUntilItHasHadASession) {
  const TempFolder folder;
  SessionFile file;
  file.backend = "local";
  {
    KeptSession dead(folder / "session", file);
    ASSERT_EQ(dead.begin(), Taken::yes);
    ASSERT_TRUE(dead.keep("dead"));
  }
  KeptSession next(folder / "session", file);
  ASSERT_EQ(next.begin(), Taken::yes);
  EXPECT_TRUE(next.keep(""));
  EXPECT_FALSE(next.is_over());
  EXPECT_TRUE(next.leave(SteadyTime(Millis(99)), "boot"));
  next.remove();
  next.remove_all();
  const auto left = read_session_file(folder / "session");
  ASSERT_TRUE(left) << left.error().what;
  EXPECT_EQ(left->handle, "dead");
  EXPECT_FALSE(left->left_until);
  ASSERT_TRUE(next.keep("own"));
  ASSERT_TRUE(next.keep(""));
  EXPECT_TRUE(next.is_over());
  next.remove();
  EXPECT_FALSE(std::filesystem::exists(folder / "session"));
}

TEST(SessionLock, SaysWhoHasIt) {
  const TempFolder folder;
  SessionLock program(folder / "lock"), resign(folder / "lock"), third(folder / "lock");
  EXPECT_EQ(program.take(SessionLock::program), Taken::yes);
  EXPECT_EQ(resign.take("resign"), Taken::in_use);
  program.release();
  EXPECT_EQ(resign.take("resign"), Taken::yes);
  EXPECT_EQ(third.take(SessionLock::program), Taken::by_other);
  const SteadyTime before = io::read_clocks().steady;  // by the clock of the wait, in whole milliseconds
  EXPECT_EQ(third.take(SessionLock::program, Millis(150)), Taken::by_other);
  EXPECT_GE(io::read_clocks().steady - before, Millis(150)) << "whoever resigns is waited for";
  resign.release();
  EXPECT_EQ(third.take(SessionLock::program), Taken::yes);
}

TEST(SessionLock, IsNotWaitedForWhereItsProgramLives) {
  const TempFolder folder;
  SessionLock program(folder / "lock"), other(folder / "lock");
  ASSERT_EQ(program.take(SessionLock::program), Taken::yes);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(other.take(SessionLock::program, Millis(60'000)), Taken::in_use);
  EXPECT_LT(std::chrono::steady_clock::now() - before, Millis(30'000));
}

/// Whoever resigns has the lock a moment before the file says so, and not the dead program of which it speaks.
TEST(SessionLock, IsOfAProgramOnceItHasBeenSaidForAMoment) {
  const TempFolder folder;
  SessionLock program(folder / "lock"), other(folder / "lock");
  ASSERT_EQ(program.take(SessionLock::program), Taken::yes);
  const SteadyTime before = io::read_clocks().steady;
  EXPECT_EQ(other.take(SessionLock::program, Millis(60'000)), Taken::in_use);
  EXPECT_GE(io::read_clocks().steady - before, Millis(50));
}

TEST(SessionLock, ThatCannotSayWhoHasItIsNotTaken) {
  const TempFolder folder;
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit unlimited{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  const rlimit nothing{0, unlimited.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &nothing), 0);
  SessionLock lock(folder / "lock"), other(folder / "lock");
  const Taken taken = lock.take("resign");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &unlimited), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(taken, Taken::no_file);
  EXPECT_EQ(other.take("resign"), Taken::yes) << "it is nobody's";
}

TEST(SessionLock, IsSharedWithAForkUntilBothHaveLetItGo) {
  const TempFolder folder;
  SessionLock lock(folder / "lock"), other(folder / "lock");
  ASSERT_EQ(lock.take(SessionLock::program), Taken::yes);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t guard = ::fork();
  if (guard == 0) {
    char byte = 0;
    ::close(ends[1]);
    ::_exit(static_cast<int>(::read(ends[0], &byte, 1)));
  }
  ::close(ends[0]);
  lock.release();
  EXPECT_EQ(other.take("resign"), Taken::in_use);
  ::close(ends[1]);
  ASSERT_EQ(::waitpid(guard, nullptr, 0), guard);
  EXPECT_EQ(other.take("resign"), Taken::yes);
}

TEST(SessionLock, ThatIsRemovedIsNobodysAndMadeAnew) {
  const TempFolder folder;
  SessionLock first(folder / "lock"), second(folder / "lock");
  ASSERT_EQ(first.take(SessionLock::program), Taken::yes);
  first.remove();
  EXPECT_FALSE(std::filesystem::exists(folder / "lock"));
  EXPECT_EQ(second.take(SessionLock::program), Taken::yes);
  EXPECT_EQ(first.take(SessionLock::program), Taken::in_use);
}

TEST(SessionLock, CannotBeTakenWhereNoFileCanBeMade) {
  EXPECT_EQ(SessionLock("/nowhere/lock").take("resign"), Taken::no_file);
}

TEST(KeptSession, IsAFileOnlyWhileThereIsSomethingToLeave) {
  const TempFolder folder;
  SessionFile about;
  about.backend = "local";
  KeptSession session(folder / "session", about);
  ASSERT_EQ(session.begin(), Taken::yes);
  ASSERT_TRUE(session.keep("1 secret"));
  EXPECT_EQ(read_session_file(folder / "session")->handle, "1 secret");
  ASSERT_TRUE(session.leave(SteadyTime(Millis(5)), "boot"));
  EXPECT_EQ(read_session_file(folder / "session")->left_until, SteadyTime(Millis(5)));
  ASSERT_TRUE(session.keep("2 secret"));
  EXPECT_FALSE(read_session_file(folder / "session")->left_until);
  session.remove();
  EXPECT_FALSE(std::filesystem::exists(folder / "session"));
}

}  // namespace
}  // namespace ballot::library
