// Processes that are stopped while they have a lock of the local backend's store, or wait for its disk.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "local_daemon.hpp"
#include "support/clock.hpp"
#include "support/failing_vfs.hpp"
#include "support/machine/write_lock.hpp"

namespace ballot {
namespace {

using namespace ballot::conformance;
using namespace ballot::support;
namespace fs = std::filesystem;

class LocalStopped : public ::testing::Test {
 protected:
  fs::path state() const { return folder_.path(); }
  std::string lock_path() const { return (state() / "local/ns/lock").string(); }
  LockFile lock() const {
    auto file = LockFile::find(lock_path());
    EXPECT_TRUE(file);
    return std::move(*file);
  }
  bool is_in_use() const { return lock().holder({LockFile::life(1), LockFile::writer(0).first - 1}).has_value(); }
  bool is_held() const { return WriteLock::holder(lock()).has_value(); }

  /// A process that stops while it holds the store; `lease`: of its session in slot 9, for "boot".
  pid_t stop_while_holding(const std::function<void(Lease&)>& lease) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto file = LockFile::find(lock_path());
      if (!file) ::_exit(1);
      Leases leases(*file);
      Lease own{99, boot_now() + 60s, {}, Leases::boot_mark("boot"), this_process()};
      if (lease) {
        lease(own);
        leases.put(9, own);
      }
      const WriteLock hold(*file, this_process(), [](int) { return ::usleep(1000) == 0; });
      ::raise(SIGSTOP);
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, WUNTRACED), child);
    EXPECT_TRUE(WIFSTOPPED(status) && is_held());
    return child;
  }
  static bool was_killed(pid_t child, Millis limit = 5s) {
    for (const SteadyTime end = boot_now() + limit; boot_now() < end; ::usleep(5000)) {
      int status = 0;
      if (::waitpid(child, &status, WNOHANG) == child) return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }
    return false;
  }
  static bool lives(pid_t child) { return ::waitpid(child, nullptr, WNOHANG) == 0; }
  static void end(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  static bool logged(const Daemon& daemon, const std::string& part) {
    for (const std::string& line : daemon.events.logged())
      if (line.find(part) != std::string::npos) return true;
    return false;
  }

  TemporaryFolder folder_;
};

TEST_F(LocalStopped, AHolderOfTheStoreIsKilledPastItsDeadlineAndAStandByLeads) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const SteadyTime deadline = boot_now() + 1500ms;
  const pid_t child = stop_while_holding([&](Lease& lease) { lease.deadline = deadline; });
  a.backend().campaign("g");
  a.wait([&] { return boot_now() >= deadline - 300ms; }, 1200ms);
  EXPECT_TRUE(lives(child)) << "until its deadline it may go on";
  EXPECT_TRUE(was_killed(child));
  EXPECT_TRUE(a.wait([&] { return a.events.leads(1, "g").has_value(); }, 5s));
  EXPECT_TRUE(logged(a, "pid " + std::to_string(child) + ", which is stopped, held the store past its deadline"));
}

TEST_F(LocalStopped, ADaemonThatComesKillsAHolderPastItsDeadlineToo) {
  { ASSERT_EQ(Daemon(state(), "a").open(), ""); }
  const pid_t child = stop_while_holding([](Lease& lease) { lease.deadline = boot_now() - 1s; });
  Daemon b(state(), "b");
  b.open();
  EXPECT_TRUE(was_killed(child));
  Daemon again(state(), "c");
  EXPECT_EQ(again.open(), "");
}

TEST_F(LocalStopped, AHolderWithoutASessionIsKilledWhenItHasStoppedForT) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(2s), "");
  const pid_t child = stop_while_holding({});
  const SteadyTime began = boot_now();
  a.backend().campaign("g");
  bool led = false;
  while (!led && boot_now() < began + 6s) {
    EXPECT_EQ(a.renew().outcome, StoreResult::done) << "it renews all the while";
    led = a.wait([&] { return a.events.leads(1, "g").has_value(); }, 200ms);
  }
  EXPECT_TRUE(led);
  EXPECT_GE(boot_now() - began, 2s);
  EXPECT_TRUE(was_killed(child));
}

TEST_F(LocalStopped, AProcessThatHasThePidOfAHolderIsNotKilled) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const pid_t bystander = ::fork();
  if (bystander == 0) {
    ::close_range(3, ~0U, 0);  // as a process that never had to do with it
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(bystander, nullptr, WUNTRACED), bystander);
  LockFile file = lock();
  Leases leases(file);
  const Process own = this_process();
  const Process other{bystander, own.space, status_of(bystander).started};
  ASSERT_EQ(leases.put(9, {99, boot_now() - 1s, {}, Leases::boot_mark("boot"), other}), 0);
  ASSERT_TRUE(file.take(LockFile::writer(own.space << 22 | bystander)));  // as one that has ended would leave it
  a.backend().campaign("g");
  EXPECT_TRUE(a.wait([&] { return logged(a, "cannot be seen to hold it"); }, 5s) ||
              logged(a, "cannot be seen to hold it"));
  EXPECT_TRUE(lives(bystander));
  end(bystander);
}

TEST_F(LocalStopped, OthersRenewWhileAStoppedOneHoldsTheStore) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(2s), "");
  const auto epoch = a.lead("g");
  const pid_t child = stop_while_holding([](Lease& lease) { lease.deadline = boot_now() + 60s; });
  const SteadyTime began = boot_now();
  while (boot_now() < began + 3s) {
    ASSERT_EQ(a.renew().outcome, StoreResult::done);
    a.wait([] { return false; }, 200ms);
  }
  EXPECT_EQ(a.events.leads(1, "g"), epoch);
  EXPECT_EQ(a.write({"g", *epoch, "j/x", "1", 0}).outcome, StoreResult::failed);
  a.backend().read(9999, {"j/x"});
  EXPECT_TRUE(a.wait([&] { return a.events.answer<backend::ReadDone>(1, 9999).has_value(); }, 5s))
      << "it reads too: " << (a.closed() ? a.closed()->text : "");
  end(child);
  EXPECT_EQ(a.write({"g", *epoch, "j/x", "1", 0}).outcome, StoreResult::done);
}

TEST_F(LocalStopped, AWriteThatCouldOnlyBeCommittedPastTheDeadlineIsNotAnsweredAsDone) {
  Daemon a(state(), "a");
  const SteadyTime began = boot_now();
  ASSERT_EQ(a.open(1s), "");
  const std::uint64_t epoch = *a.lead("g");
  LockFile file = lock();
  a.wait([&] { return boot_now() >= began + 800ms; }, 800ms);
  {
    const WriteLock held(file, this_process(), [](int) { return ::usleep(1000) == 0; });
    a.backend().write(77, {{"g", epoch, "j/x", "1", 0}});
    a.wait([&] { return boot_now() >= began + 1100ms; }, 300ms);
  }
  ASSERT_TRUE(a.wait([&] { return a.closed().has_value(); }, 5s));
  EXPECT_FALSE(a.events.answer<backend::Wrote>(1, 77)) << "nothing was committed";
}

/// A daemon that writes all the time is stopped while it is in a transaction, by trying.
TEST_F(LocalStopped, ADaemonThatIsStoppedInACommitIsKilledPastItsDeadline) {
  Signal signal;
  Recorder events(signal);
  Daemon b(state(), "b");
  ProcessBackend victim(BALLOT_CANDIDATE, BALLOT_LOCAL_PLUGIN, "ns", state().string(), events);
  victim.open({1, "victim", "boot", "machine", "host", 1, "test", "", 3s});
  victim.campaign("g");
  ASSERT_TRUE(signal.wait([&] { return events.leads(1, "g").has_value(); }, 10s));
  const std::uint64_t epoch = *events.leads(1, "g");
  ASSERT_EQ(b.open(), "");
  b.backend().campaign("g");
  bool in_commit = false;
  RequestId request = 0;
  for (int tries = 0; tries < 400 && !in_commit; ++tries) {
    victim.renew(++request);
    std::vector<RegisterWrite> batch;
    for (int i = 0; i < 200; ++i)
      batch.push_back({"g", epoch, "j/" + std::to_string(tries) + "-" + std::to_string(i), std::string(4000, 'x'), 0});
    victim.write(++request, std::move(batch));
    for (int check = 0; check < 200 && !in_commit; ++check) {
      if (!is_held()) continue;
      victim.freeze();
      ::usleep(20'000);  // every thread of it
      in_commit = is_held();
      if (!in_commit) victim.thaw();
      break;
    }
  }
  ASSERT_TRUE(in_commit) << "it was never met while it wrote";
  EXPECT_TRUE(b.wait([&] { return b.events.leads(1, "g").has_value(); }, 8s));
  EXPECT_GT(b.events.leads(1, "g").value_or(0), epoch);
  EXPECT_TRUE(logged(b, "held the store past its deadline: it was killed"));
  victim.crash();
}

TEST_F(LocalStopped, ADiskThatDoesNotAnswerDoesNotKeepTheOneWhoEnds) {
  ballot::testing::FailingVfs vfs;
  auto daemon = std::make_unique<Daemon>(state(), "a");
  ASSERT_EQ(daemon->open(), "");
  const std::uint64_t epoch = *daemon->lead("g");
  vfs.hang(ballot::testing::FileCall::sync);
  daemon->backend().write(1, {{"g", epoch, "j/x", "1", 0}});
  ASSERT_TRUE(vfs.wait_hanging(5s));
  const SteadyTime began = boot_now();
  daemon.reset();
  EXPECT_LT(boot_now() - began, 3s);
  vfs.go_on();
  for (const SteadyTime end = boot_now() + 5s; boot_now() < end && is_in_use(); ::usleep(5000)) continue;
  EXPECT_FALSE(is_in_use()) << "it ends when the disk answers";
}

}  // namespace
}  // namespace ballot
