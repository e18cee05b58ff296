// What the sessions of one folder know of each other: who lives, and what has changed.
#include <gtest/gtest.h>
#include <poll.h>

#include "support/clock.hpp"
#include "support/machine/liveness.hpp"
#include "support/machine/prefix_watches.hpp"
#include "support/machine/write_lock.hpp"
#include "support/temp_folder.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;

class TheLiveness : public ::testing::Test {
 protected:
  struct Daemon {
    Daemon(const std::string& path, std::int64_t id, SteadyTime deadline)
        : lock(*LockFile::open(path)), liveness(lock, "boot") {
      session.id = id;
      session.boot_id = "boot";
      session.deadline = deadline;
      session.slot = liveness.find_slot().slot;
      EXPECT_TRUE(liveness.enter(session, this_process()));
    }
    LockFile lock;
    Liveness liveness;
    FolderSession session;
  };
  std::string path() const { return folder_ / "lock"; }
  static std::vector<std::int64_t> ids(const std::vector<FolderSession>& sessions) {
    std::vector<std::int64_t> found;
    for (const FolderSession& one : sessions) found.push_back(one.id);
    return found;
  }

  TempFolder folder_;
};

TEST_F(TheLiveness, ASessionThatRenewsItselfLives) {
  Daemon a(path(), 1, boot_now() + 60s), b(path(), 2, boot_now() - 1s);
  EXPECT_TRUE(b.liveness.is_past());
  EXPECT_EQ(ids(a.liveness.others({a.session, b.session})), std::vector<std::int64_t>{}) << "it is past its deadline";
  EXPECT_EQ(ids(b.liveness.others({a.session, b.session})), std::vector<std::int64_t>{1});
  const SteadyTime later = boot_now() + 90s;
  EXPECT_EQ(a.liveness.renew(later), 0);
  EXPECT_EQ(a.liveness.deadline(), later);
  EXPECT_EQ(b.liveness.current(a.session).deadline, later) << "the others read it";
}

TEST_F(TheLiveness, ARenewalPastTheDeadlineExtendsNothing) {
  Daemon a(path(), 1, boot_now() - 1s);
  EXPECT_EQ(a.liveness.renew(boot_now() + 60s), 0);
  EXPECT_TRUE(a.liveness.is_past());
}

TEST_F(TheLiveness, WhoeverWasFoundOverdueCannotGoOn) {
  Daemon a(path(), 1, boot_now() + 60s), b(path(), 2, boot_now() + 60s);
  b.liveness.leases().bar(a.session.slot, a.session.id);
  EXPECT_TRUE(a.liveness.is_past());
  EXPECT_FALSE(b.liveness.is_past());
}

TEST_F(TheLiveness, WhoeverIsFoundOverdueIsBarred) {
  Daemon a(path(), 1, boot_now() - 1s), b(path(), 2, boot_now() + 60s);
  EXPECT_TRUE(b.liveness.others({a.session}).empty());
  EXPECT_TRUE(b.liveness.leases().barred(a.session.slot, a.session.id)) << "or it would renew, and lead beside another";
}

TEST_F(TheLiveness, ADeadDaemonsSlotIsUsedAgainOnceItsLeaseIsOver) {
  std::int64_t slot = 0;
  {
    Daemon past(path(), 1, boot_now() - 1s);
    slot = past.session.slot;
  }
  { Daemon(path(), 2, boot_now() + 60s); }
  Daemon next(path(), 3, boot_now() + 60s);
  EXPECT_EQ(slot, 1);
  EXPECT_EQ(next.session.slot, 2) << "the second one's lease still lasts";
}

TEST_F(TheLiveness, AnObserverEndsNobody) {
  Daemon a(path(), 1, boot_now() - 1s);
  LockFile lock = *LockFile::find(path());
  Liveness observer(lock, "boot");
  EXPECT_FALSE(observer.is_past());
  EXPECT_TRUE(observer.others({a.session}).empty());
  EXPECT_FALSE(observer.leases().barred(a.session.slot, a.session.id));
}

class ThePrefixWatches : public ::testing::Test {
 protected:
  static std::vector<std::string> changed(PrefixWatches& watches, bool& elections) {
    pollfd ready{watches.descriptor(), POLLIN, 0};
    ::poll(&ready, 1, 5000);
    Events events;
    elections = watches.take_changes([](int) { return false; }, events);
    return prefixes(events);
  }
  static std::vector<std::string> prefixes(const Events& events) {
    std::vector<std::string> found;
    for (const Event& event : events) found.push_back(std::get<backend::Changed>(event).prefix);
    return found;
  }

  TempFolder folder_;
  std::string path_ = folder_.path();
  LockFile lock_ = *LockFile::open(path_ + "/lock");
};

TEST_F(ThePrefixWatches, EchoThePrefixesThatWereAskedFor) {
  PrefixWatches watches(path_, lock_), others(path_, lock_);
  bool elections = true;
  ASSERT_TRUE(watches.add("j/"));
  ASSERT_TRUE(watches.add("j/backup"));
  ASSERT_TRUE(watches.add("g/"));
  others.notify({'j', 'x'});
  EXPECT_EQ(changed(watches, elections), (std::vector<std::string>{"j/", "j/backup"}));
  EXPECT_FALSE(elections);
}

TEST_F(ThePrefixWatches, NotifyOfElections) {
  PrefixWatches watches(path_, lock_), others(path_, lock_);
  bool elections = false;
  ASSERT_TRUE(watches.add_elections());
  others.notify_elections();
  EXPECT_TRUE(changed(watches, elections).empty());
  EXPECT_TRUE(elections);
}

/// A watcher that is notified before the commit, and does not wait for it, would see nothing.
TEST_F(ThePrefixWatches, NotifyOfAChangeAgainWhenItIsCommitted) {
  PrefixWatches watches(path_, lock_), others(path_, lock_);
  ASSERT_TRUE(watches.add("j/"));
  LockFile writer = *LockFile::open(path_ + "/lock");
  bool elections = false;
  {
    const WriteLock writing(writer, this_process(), [](int) { return false; });
    ASSERT_TRUE(writing);
    others.notify({'j'});
    EXPECT_EQ(changed(watches, elections), std::vector<std::string>{"j/"});
    EXPECT_TRUE(watches.unsettled());
    Events early;
    watches.settle(early);
    EXPECT_TRUE(early.empty());
  }
  Events events;
  watches.settle(events);
  EXPECT_EQ(prefixes(events), std::vector<std::string>{"j/"});
  EXPECT_FALSE(watches.unsettled());
}

}  // namespace
}  // namespace ballot::support
