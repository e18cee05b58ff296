// What only the local backend has: its files and what becomes of them, its group commit, its hand-over on one machine.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <thread>

#include "local_daemon.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;
using namespace ballot::conformance;
namespace fs = std::filesystem;

class Local : public ::testing::Test {
 protected:
  fs::path state() const { return folder_.path(); }
  fs::path file(const std::string& name) const { return state() / "local" / "ns" / name; }

  void sql(const char* text) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(file("registers.db").c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, text, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  static bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  /// The file of a daemon before records: one job's register, and a group's third term.
  void make_format_1(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(file("lock")) << "0123";
    sql("CREATE TABLE store (one INTEGER PRIMARY KEY, name TEXT NOT NULL, revision INTEGER NOT NULL) STRICT;"
        "INSERT INTO store VALUES (1, '0123', 7);"
        "CREATE TABLE session (id INTEGER PRIMARY KEY AUTOINCREMENT, node TEXT NOT NULL, boot_id TEXT NOT NULL,"
        " machine_id TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, version TEXT NOT NULL,"
        " deadline INTEGER NOT NULL, renewed INTEGER NOT NULL) STRICT;"
        "INSERT INTO session VALUES (1, 'a', 'old boot', 'machine', 'host', 9, '0.1.0', 1, 1);"
        "CREATE TABLE term (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL,"
        " session INTEGER NOT NULL, node TEXT NOT NULL, boot_id TEXT NOT NULL, elected_at INTEGER NOT NULL,"
        " ended INTEGER NOT NULL, ended_at INTEGER NOT NULL) STRICT;"
        "CREATE INDEX term_session ON term (session);"
        "INSERT INTO term VALUES (1, 'nightly', 3, 1, 'a', 'old boot', 1, 0, 0);"
        "CREATE TABLE register (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value TEXT NOT NULL,"
        " version INTEGER NOT NULL) STRICT;"
        "INSERT INTO register VALUES (1, 'j/backup', 'old', 7);"
        "PRAGMA application_id = 1650551916; PRAGMA user_version = 1;");
  }

  TemporaryFolder folder_;
};

#define EXPECT_SAYS(text, part) EXPECT_TRUE(says(text, part)) << (text)

TEST_F(Local, KeepsItsFilesInAFolderForItsNamespaceThatOnlyItsUserReads) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  EXPECT_TRUE(fs::exists(file("lock")));
  EXPECT_TRUE(fs::exists(file("registers.db")));
  EXPECT_EQ(fs::status(file(".")).permissions(), fs::perms::owner_all);
}

TEST_F(Local, IsBegunBySeveralAtOnce) {
  for (int round = 0; round < 5; ++round) {
    const fs::path fresh = state() / std::to_string(round);
    std::vector<std::unique_ptr<Daemon>> daemons;
    for (const char* node : {"a", "b", "c", "d", "e"}) daemons.push_back(std::make_unique<Daemon>(fresh, node));
    std::vector<std::string> refusals(daemons.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < daemons.size(); ++i) threads.emplace_back([&, i] { refusals[i] = daemons[i]->open(); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(refusals, std::vector<std::string>(daemons.size()));
  }
}

TEST_F(Local, GrantsATimeoutBetweenASecondAndAnHour) {
  const std::pair<Millis, Millis> cases[] = {{0ms, 15s}, {10ms, 1s}, {7s, 7s}, {24h, 1h}};
  for (const auto& [asked, granted] : cases) {
    Daemon a(state(), "a");
    ASSERT_EQ(a.open(asked), "");
    EXPECT_EQ(a.events.all<backend::SessionOpened>(1)[0].timeout, granted);
  }
}

TEST_F(Local, SaysSoWhereItGrantsAnotherTimeoutThanWasAsked) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(24h), "");
  ASSERT_EQ(a.events.logged().size(), 1u);
  EXPECT_SAYS(a.events.logged()[0], "session_timeout is 3600 s and not 86400000 ms");
  Daemon b(state(), "b");
  ASSERT_EQ(b.open(0ms), "");
  EXPECT_TRUE(b.events.logged().empty());
}

TEST_F(Local, WhoeverWaitsSaysForWhomEachTimeThatThisChanges) {
  Daemon a(state(), "a"), b(state(), "b");
  ASSERT_EQ(a.open() + b.open(), "");
  ASSERT_TRUE(a.lead("g"));
  const auto waits = [](Daemon& one, const std::string& leader) {
    const std::vector<std::string> lines{"group g: waits for " + leader + ", the leader"};
    return one.wait([&] { return one.events.logged() == lines; }, 5s);
  };
  b.backend().campaign("g");
  EXPECT_TRUE(waits(b, "a"));
  a.backend().resign("g");
  ASSERT_TRUE(b.wait([&] { return b.elected().has_value(); }, 5s));
  a.backend().campaign("g");
  EXPECT_TRUE(waits(a, "b"));
  EXPECT_EQ(b.events.logged().size(), 1u);
}

TEST_F(Local, TheRevisionGrowsWithEveryWriteAndStaysOverARestart) {
  std::uint64_t version = 0;
  {
    Daemon a(state(), "a");
    ASSERT_EQ(a.open(), "");
    version = a.write({"g", *a.lead("g"), "j/x", "1", 0}).version;
  }
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  EXPECT_EQ(a.events.all<backend::SessionOpened>(1)[0].revision, version);
  EXPECT_GT(a.write({"g", *a.lead("g"), "j/y", "1", 0}).version, version);
}

TEST_F(Local, ReportsWhenTheTermBeforeWasLastAlive) {
  const auto wall = [] { return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()); };
  const WallTime before = wall();
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  ASSERT_TRUE(a.lead("g"));
  ASSERT_EQ(a.renew().outcome, StoreResult::done);
  const WallTime after = wall();
  a.close(true);
  Daemon b(state(), "b");
  ASSERT_EQ(b.open(), "");
  ASSERT_TRUE(b.lead("g")) << "kept terms do not delay another daemon of this machine";
  ASSERT_TRUE(b.elected()->last_alive.has_value());
  EXPECT_GE(*b.elected()->last_alive, before);
  EXPECT_LE(*b.elected()->last_alive, after);
  ASSERT_TRUE(b.elected()->old_deadline.has_value());
}

TEST_F(Local, DoesNotResumeATermAfterSomebodyElseLed) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const auto first = a.lead("g");
  a.close(true);
  {
    Daemon b(state(), "b");
    ASSERT_EQ(b.open(), "");
    ASSERT_GT(b.lead("g"), first);
  }
  Daemon back(state(), "a");
  ASSERT_EQ(back.open(), "");
  EXPECT_EQ(back.lead("g"), *first + 2);
  EXPECT_FALSE(back.elected()->resumed);
}

TEST_F(Local, AKeptTermThatIsEvictedIsNotGoneOnWith) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const auto first = a.lead("g");
  a.close(true);
  Daemon observer(state(), "o");
  ASSERT_EQ(observer.observe(), "");
  observer.backend().evict(1, "g");
  ASSERT_TRUE(observer.wait([&] { return observer.events.answer<backend::Wrote>(1, 1).has_value(); }, 5s));
  EXPECT_EQ(observer.events.answer<backend::Wrote>(1, 1)->answers.at(0).outcome, StoreResult::done);
  ASSERT_EQ(a.open(), "");
  EXPECT_EQ(a.lead("g"), *first + 1);
  EXPECT_FALSE(a.elected()->resumed);
  EXPECT_TRUE(a.elected()->old_deadline.has_value()) << "what was kept runs until then";
}

TEST_F(Local, CommitsAThousandWritesOfManyCallsInFewCommits) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const std::uint64_t epoch = *a.lead("g");
  const auto began = std::chrono::steady_clock::now();
  for (RequestId i = 1; i <= 1000; ++i)
    a.backend().write(1000 + i, {{"g", epoch, "j/job-" + std::to_string(i), std::string(600, 'x'), 0}});
  ASSERT_TRUE(a.wait([&] { return a.events.all<backend::Wrote>(1).size() == 1000; }, 30s));
  RecordProperty("ms", static_cast<int>((std::chrono::steady_clock::now() - began) / 1ms));
  for (const auto& wrote : a.events.all<backend::Wrote>(1)) EXPECT_EQ(wrote.answers[0].outcome, StoreResult::done);
}

TEST_F(Local, RefusesADamagedFileAndSaysWhatToDo) {
  { ASSERT_EQ(Daemon(state(), "a").open(), ""); }
  {
    std::fstream db(file("registers.db"), std::ios::in | std::ios::out | std::ios::binary);
    db.seekp(0);
    db << "this is not SQLite any more";
  }
  Daemon a(state(), "a");
  const std::string text = a.open();
  EXPECT_SAYS(text, "is damaged");
  EXPECT_SAYS(text, "restore it from a backup");
  EXPECT_EQ(a.closed()->cause, Cause::unreachable);
  std::ifstream db(file("registers.db"));
  std::string start(12, '\0');
  db.read(start.data(), 12);
  EXPECT_EQ(start, "this is not ") << "nothing was begun anew";
}

TEST_F(Local, FindsADamagedPageAtTheStart) {
  {
    Daemon a(state(), "a");
    ASSERT_EQ(a.open(), "");
    const std::uint64_t epoch = *a.lead("g");
    std::vector<RegisterWrite> batch;
    for (int i = 0; i < 50; ++i) batch.push_back({"g", epoch, "j/" + std::to_string(i), std::string(4000, 'x'), 0});
    a.write(std::move(batch));
  }
  std::fstream db(file("registers.db"), std::ios::in | std::ios::out | std::ios::binary);
  const auto size = fs::file_size(file("registers.db"));
  for (std::uintmax_t page = 4096; page < size; page += 4096) {
    db.seekp(static_cast<std::streamoff>(page));
    db << "garbage garbage garbage";
  }
  db.close();
  EXPECT_SAYS(Daemon(state(), "a").open(), "is damaged");
}

TEST_F(Local, NeverBeginsANewFileBesideAnOldLockFile) {
  { ASSERT_EQ(Daemon(state(), "a").open(), ""); }
  fs::remove(file("registers.db"));
  EXPECT_SAYS(Daemon(state(), "a").open(), "is gone: restore it");
  EXPECT_FALSE(fs::exists(file("registers.db")));
  { std::ofstream empty(file("registers.db")); }
  EXPECT_SAYS(Daemon(state(), "a").open(), "is empty or was removed");
}

TEST_F(Local, RefusesTheFileOfAnotherFolder) {
  { ASSERT_EQ(Daemon(state(), "a").open(), ""); }
  const TemporaryFolder other;
  { ASSERT_EQ(Daemon(other.path(), "a").open(), ""); }
  fs::copy_file(other.path() / "local/ns/registers.db", file("registers.db"), fs::copy_options::overwrite_existing);
  EXPECT_SAYS(Daemon(state(), "a").open(), "belongs to another folder");
}

TEST_F(Local, RefusesANewerFormatAndAnotherProgramsFile) {
  { ASSERT_EQ(Daemon(state(), "a").open(), ""); }
  sql("PRAGMA user_version = 5");
  EXPECT_SAYS(Daemon(state(), "a").open(), "has format 5, newer than this version's 4");
  sql("PRAGMA user_version = 4; PRAGMA application_id = 7");
  EXPECT_SAYS(Daemon(state(), "a").open(), "another program's");
}

TEST_F(Local, ClosesWhenItsLockFileIsReplaced) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  fs::remove(file("lock"));
  a.renew();
  ASSERT_TRUE(a.closed().has_value());
  EXPECT_SAYS(a.closed()->text, "lock file");
}

TEST_F(Local, ClosesWhenItsDatabaseIsReplaced) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const std::uint64_t epoch = *a.lead("g");
  fs::rename(file("registers.db"), file("aside"));
  EXPECT_NE(a.write({"g", epoch, "j/x", "1", 0}).outcome, StoreResult::done);
  ASSERT_TRUE(a.closed().has_value());
  EXPECT_SAYS(a.closed()->text, "was removed or replaced");
}

TEST_F(Local, ALogThatIsRemovedInUseEndsTheSession) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const std::uint64_t epoch = *a.lead("g");
  fs::remove(file("registers.db-wal"));
  EXPECT_NE(a.write({"g", epoch, "j/x", "1", 0}).outcome, StoreResult::done);
  ASSERT_TRUE(a.closed().has_value());
  EXPECT_SAYS(a.closed()->text, "was removed or replaced");
}

TEST_F(Local, ANewLockFileWaitsForTheDaemonsThatMayHoldTheOldOne) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(60s), "");
  ASSERT_TRUE(a.lead("g"));
  fs::remove(file("lock"));
  EXPECT_SAYS(Daemon(state(), "b").open(), "may still lead: try again in");
}

TEST_F(Local, SaysThatTheFileIsHeldByAnotherProcessAndGoesOnAfterwards) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const std::uint64_t epoch = *a.lead("g");
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file("registers.db").c_str(), &other), SQLITE_OK);
  sqlite3_busy_timeout(other, 10'000);  // the daemon may be writing
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const WriteAnswer refused = a.write({"g", epoch, "j/x", "1", 0});
  EXPECT_EQ(refused.outcome, StoreResult::failed);
  EXPECT_SAYS(refused.text, "held by another process");
  EXPECT_EQ(a.renew().outcome, StoreResult::done) << "a renewal waits for nobody who writes";
  a.backend().campaign("later");
  ASSERT_EQ(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(a.write({"g", epoch, "j/x", "1", 0}).outcome, StoreResult::done);
  EXPECT_TRUE(a.wait([&] { return a.events.leads(1, "later").has_value(); }, 5s)) << "a campaign is not forgotten";
}

/// Else who only stands by would not notice that the store was put back, and would run again what a leader has run.
TEST_F(Local, ARenewalTellsHowFarOthersHaveWritten) {
  Daemon a(state(), "a"), b(state(), "b");
  ASSERT_EQ(a.open(), "");
  ASSERT_EQ(b.open(), "");
  const std::uint64_t epoch = *a.lead("g");
  const std::uint64_t before = b.renew().revision;
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(a.write({"g", epoch, "j/" + std::to_string(i), "1", 0}).outcome, StoreResult::done);
  EXPECT_GE(b.renew().revision, before + 5);
}

TEST_F(Local, WithoutDescriptorsWritesAndCampaignsAsEver) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const std::uint64_t epoch = *a.lead("g");
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{3, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  const WriteAnswer wrote = a.write({"g", epoch, "j/x", "1", 0});
  const backend::Renewed renewed = a.renew();
  const auto later = a.lead("later");
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(wrote.outcome, StoreResult::done) << wrote.text;
  EXPECT_EQ(renewed.outcome, StoreResult::done) << renewed.text;
  EXPECT_TRUE(later.has_value());
  EXPECT_FALSE(a.closed().has_value()) << a.closed()->text;
}

TEST_F(Local, WithoutDescriptorsWhoResignsIsLetGo) {
  Daemon a(state(), "a"), b(state(), "b");
  ASSERT_EQ(a.open(), "");
  ASSERT_EQ(b.open(), "");
  ASSERT_TRUE(a.lead("g"));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{3, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  a.backend().resign("g");
  const bool let_go = a.wait([&] { return !a.events.leads(1, "g"); }, 5s);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(let_go);
  EXPECT_TRUE(b.lead("g"));
}

TEST_F(Local, RefusesToHoldInAnOutage) {
  Signal signal;
  Recorder events(signal);
  try {
    make_backend(BALLOT_LOCAL_PLUGIN, {"ns", state().string(), true, {}}, events);
    FAIL() << "made";
  } catch (const std::runtime_error& refused) {
    EXPECT_SAYS(refused.what(), "on_outage = \"hold\"");
    EXPECT_SAYS(refused.what(), "choose a networked backend");
  }
  EXPECT_FALSE(fs::exists(state() / "local"));
}

TEST_F(Local, AnObserverMakesNothing) {
  Daemon observer(state(), "o");
  ASSERT_EQ(observer.observe(), "");
  observer.backend().list(1, "");
  ASSERT_TRUE(observer.wait([&] { return observer.events.answer<backend::ReadDone>(1, 1).has_value(); }, 5s));
  observer.backend().create(2, {{"q/x", "1"}});
  ASSERT_TRUE(observer.wait([&] { return observer.events.answer<backend::Wrote>(1, 2).has_value(); }, 5s));
  const WriteAnswer refused = observer.events.answer<backend::Wrote>(1, 2)->answers.at(0);
  EXPECT_EQ(refused.outcome, StoreResult::failed);
  EXPECT_SAYS(refused.text, "there is no store at");
  observer.close(false);
  EXPECT_FALSE(fs::exists(state() / "local"));
}

TEST_F(Local, AnObserverIsRefusedWhereTheFileIsDamaged) {
  { ASSERT_EQ(Daemon(state(), "a").open(), ""); }
  {
    std::fstream db(file("registers.db"), std::ios::in | std::ios::out | std::ios::binary);
    db << "this is not SQLite any more";
  }
  EXPECT_SAYS(Daemon(state(), "o").observe(), "is damaged");
}

TEST_F(Local, AnObserverLeavesAnOlderFormatToADaemon) {
  make_format_1(file("registers.db"));
  Daemon observer(state(), "o");
  EXPECT_SAYS(observer.observe(), "has format 1, older than this version's 4: restart its daemons");
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  EXPECT_EQ(observer.observe(), "");
}

TEST_F(Local, BringsAnOlderFormatUpToDateAndKeepsWhatIsInIt) {
  make_format_1(file("registers.db"));
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  EXPECT_EQ(a.events.all<backend::SessionOpened>(1)[0].revision, 7u);
  EXPECT_EQ(a.lead("nightly"), 4u) << "the term after the old one";
  const WriteAnswer wrote = a.write({"nightly", 4, "j/backup", "new", 7});
  EXPECT_EQ(wrote.outcome, StoreResult::done) << wrote.text;
  a.backend().create(900, {{"q/x", "1"}});
  ASSERT_TRUE(a.wait([&] { return a.events.answer<backend::Wrote>(1, 900).has_value(); }, 5s));
  EXPECT_EQ(a.events.answer<backend::Wrote>(1, 900)->answers.at(0).outcome, StoreResult::done);
}

TEST_F(Local, ARegisterIsNoRecordAndARecordNoRegister) {
  Daemon a(state(), "a");
  ASSERT_EQ(a.open(), "");
  const std::uint64_t epoch = *a.lead("g");
  const WriteAnswer wrote = a.write({"g", epoch, "j/x", "register", 0});
  a.backend().create(900, {{"q/x", "record"}, {"no name", ""}});
  a.backend().remove(901, {"j/x"});
  ASSERT_TRUE(a.wait([&] { return a.events.answer<backend::Wrote>(1, 901).has_value(); }, 5s));
  EXPECT_EQ(a.events.answer<backend::Wrote>(1, 900)->answers.at(1).outcome, StoreResult::failed);
  EXPECT_EQ(a.write({"g", epoch, "j/x", "still there", wrote.version}).outcome, StoreResult::done);
  const WriteAnswer refused = a.write({"g", epoch, "q/x", "register", 0});
  EXPECT_EQ(refused.outcome, StoreResult::failed);
  EXPECT_SAYS(refused.text, "a record bears the name q/x");
}

TEST_F(Local, RefusesANamespaceThatIsNoFolderName) {
  Signal signal;
  Recorder events(signal);
  for (const char* name : {"", "..", "a/b", ".hidden"})
    EXPECT_THROW(make_backend(BALLOT_LOCAL_PLUGIN, {name, state().string(), false, {}}, events), std::runtime_error)
        << name;
}

}  // namespace
}  // namespace ballot
