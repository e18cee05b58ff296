// What a service manager, monitoring and the keys of ballot.toml are promised of a real daemon.
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "io/clocks.hpp"
#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

/// The end of $NOTIFY_SOCKET that systemd has.
class ServiceManager {
 public:
  explicit ServiceManager(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }

  /// The next message; "" where none comes in time.
  std::string receive(std::chrono::milliseconds limit) const {
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(limit.count())) <= 0) return "";
    char text[1024];
    const ssize_t size = ::recv(socket_.get(), text, sizeof text, 0);
    return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
  }

  /// Whether a message that begins so comes within ten seconds; others are passed over.
  bool receives(const std::string& beginning) const {
    std::string text;
    do text = receive(std::chrono::seconds(10));
    while (!text.empty() && !text.starts_with(beginning));
    return !text.empty();
  }

 private:
  UniqueFd socket_;
};

TEST(Service, IsReadyBeatsForItsWatchdogAndSaysThatItStops) {
  BallotDaemon daemon;
  const ServiceManager manager(daemon.folder / "notify");
  daemon.environment = {"NOTIFY_SOCKET=" + (daemon.folder / "notify"), "WATCHDOG_USEC=200000"};
  daemon.start();
  EXPECT_TRUE(manager.receives("READY=1\n"));
  EXPECT_EQ(daemon.ballot({"jobs"}).code, 0) << "whoever waited for it may use it";
  for (int beat = 0; beat < 3; ++beat) EXPECT_TRUE(manager.receives("WATCHDOG=1\n"));
  daemon.send(SIGTERM);
  EXPECT_TRUE(manager.receives("STOPPING=1\n"));
  EXPECT_EQ(daemon.wait(), 0);
}

TEST(Service, SaysInALineHowItIs) {
  BallotDaemon daemon;
  const ServiceManager manager(daemon.folder / "notify");
  daemon.environment = {"NOTIFY_SOCKET=" + (daemon.folder / "notify")};
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.start();
  EXPECT_TRUE(manager.receives("STATUS=healthy: leads 1 group, 1 job, 0 runs open\n"));
  daemon.send(SIGTERM);
  EXPECT_TRUE(manager.receives("STATUS=stopping\n"));
  EXPECT_EQ(daemon.wait(), 0);
  daemon.folder.write("state/local/ballot/registers.db", "no database");
  daemon.start();
  EXPECT_TRUE(manager.receives("STATUS=not scheduling: backend: no session"));
}

#ifdef BALLOT_FAILPOINTS
TEST(Service, GivesItsWatchdogNoMoreBeatsOnceItsLoopHangs) {
  BallotDaemon daemon;
  const ServiceManager manager(daemon.folder / "notify");
  daemon.environment = {"NOTIFY_SOCKET=" + (daemon.folder / "notify"), "WATCHDOG_USEC=100000",
                        "BALLOT_FAILPOINTS=io.launch=hang"};
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  ASSERT_TRUE(manager.receives("WATCHDOG=1\n"));
  const Running trigger({BALLOT_PROGRAM, "trigger", "job", "--config", daemon.folder / "ballot.toml"});
  bool silent = false;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!silent && std::chrono::steady_clock::now() < until) silent = manager.receive(std::chrono::seconds(1)).empty();
  EXPECT_TRUE(silent) << "a service manager would never restart it";
}
#endif

/// The folder above jobs.d may be written by others for a while: what changes meanwhile is not taken, and that it may
/// not any more is no change of jobs.d, so that nothing but HUP makes it known.
TEST(Service, ReadsTheJobFilesAgainOnHupAndNotItsConfiguration) {
  BallotDaemon daemon;
  const std::string above = daemon.folder / "above", jobs = above + "/jobs.d";
  std::filesystem::create_directories(jobs);
  const auto job = [&](const std::string& name) {
    daemon.folder.write("above/jobs.d/" + name + ".toml", "[job." + name + "]\ncommand = [\"/bin/true\"]\n");
  };
  const auto has = [&](const std::string& name) { return daemon.ballot({"jobs", name}).code == 0; };
  job("old");
  daemon.start({"--jobs-dir", jobs});
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  ::chmod(above.c_str(), 0777);
  job("late");
  ASSERT_TRUE(daemon.wait_for("above")) << daemon.log;
  EXPECT_TRUE(has("old")) << "what is in force stays";
  EXPECT_FALSE(has("late"));
  ::chmod(above.c_str(), 0755);
  daemon.configure("max_running = \"nonsense\"\n");
  daemon.send(SIGHUP);
  ASSERT_TRUE(daemon.wait_for("SIGHUP")) << daemon.log;
  daemon.configure("");  // for the commands, which read it
  EXPECT_TRUE(wait_until([&] { return has("late"); })) << daemon.log;
  EXPECT_TRUE(has("old"));
  EXPECT_EQ(daemon.ballot({"trigger", "late", "--wait"}).code, 0);
  EXPECT_EQ(daemon.log.find("nonsense"), std::string::npos) << "ballot.toml is read at start only";
  EXPECT_EQ(daemon.stop(), 0);
}

/// An hour that the old rules are far from, and the new ones are in for the next hour at least.
TEST(Service, TakesUpAnUpdateOfTheTimeZonesOnHup) {
  BallotDaemon daemon;
  const std::string zones = daemon.folder / "zones";
  std::filesystem::create_directory(zones);
  const auto install = [&](const std::string& rules) {
    std::filesystem::copy_file("/usr/share/zoneinfo/" + rules, zones + "/new");
    std::filesystem::rename(zones + "/new", zones + "/Moved");
  };
  install("Etc/GMT+8");
  daemon.environment = {"TZDIR=" + zones};
  const auto since_midnight = io::read_clocks().wall.time_since_epoch() % std::chrono::hours(24);
  const auto hour = std::chrono::floor<std::chrono::hours>(since_midnight).count();
  daemon.job("job", "schedule = \"* * " + std::to_string(hour) + "," + std::to_string((hour + 1) % 24) +
                        " * * *\"\ntimezone = \"Moved\"\ncommand = [\"/bin/true\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  install("Etc/UTC");
  daemon.send(SIGHUP);
  ASSERT_TRUE(daemon.wait_for("why=SIGHUP jobs=1 added=0 changed=1 removed=0")) << daemon.log;
  EXPECT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  for (const Row& row : daemon.rows("job")) EXPECT_EQ(row.status, Status::succeeded) << "nothing is due that was past";
}

TEST(Service, ThatHasNoSessionIsNotSchedulingAndItsStatusIs2) {
  BallotDaemon daemon;
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  EXPECT_EQ(daemon.ballot({"status"}).code, 0);
  EXPECT_EQ(daemon.stop(), 0);
  daemon.folder.write("state/local/ballot/registers.db", "no database");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("registers.db")) << daemon.log;
  const Ran status = daemon.ballot({"status"});
  EXPECT_EQ(status.code, 2) << status.out;
  EXPECT_NE(status.out.find("backend: no session"), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("not scheduling"), std::string::npos) << status.out;
  const Ran json = daemon.ballot({"status", "--format", "json"});
  EXPECT_EQ(json.code, 2) << json.out;
  EXPECT_EQ(daemon.stop(), 0);
}

/// Retention works at the start and once a minute.
TEST(Service, KeepsOfItsLedgerWhatItsKeysSay) {
  BallotDaemon daemon;
  daemon.job("few", "shell = \"head -c 30000 /dev/urandom\"");
  daemon.job("once", "command = [\"/bin/true\"]");
  const auto run = [&](const std::string& job, int times) {
    for (int i = 0; i < times; ++i) EXPECT_EQ(daemon.ballot({"trigger", job, "--wait"}).code, 0) << daemon.log;
  };
  const auto restart = [&](const std::string& keys) {
    if (daemon.pid() > 0) {
      EXPECT_EQ(daemon.stop(), 0);
    }
    daemon.configure("[history]\n" + keys);
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  };
  const auto has = [&](const std::string& job, std::size_t rows) {
    return wait_until([&] { return daemon.rows(job).size() == rows; }, std::chrono::seconds(10));
  };
  restart("");
  run("few", 6), run("once", 1);
  const std::vector<Row> all = daemon.rows("few");
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(daemon.stop(), 0);
  restart("max_size = " + std::to_string(std::filesystem::file_size(daemon.history) - 75'000) + "\n");
  EXPECT_TRUE(wait_until([&] { return daemon.rows("few").size() < 6; }));
  ASSERT_FALSE(daemon.rows("few").empty());
  EXPECT_EQ(daemon.rows("few").back().slot, all.back().slot) << "the oldest go";
  run("few", 3);
  const WallTime newest = daemon.rows("few").back().slot;
  restart("keep_runs_per_job = 2\n");
  EXPECT_TRUE(has("few", 2)) << daemon.rows("few").size();
  EXPECT_EQ(daemon.rows("few").back().slot, newest) << "the newest are kept";
  EXPECT_EQ(daemon.rows("once").size(), 1u);
  const auto finished = daemon.rows("few").back().ended_at;
  ASSERT_TRUE(finished.has_value());
  ASSERT_TRUE(wait_until([&] { return io::read_clocks().wall > *finished + std::chrono::milliseconds(1100); }));
  restart("keep = \"1s\"\n");
  EXPECT_TRUE(has("few", 0));
  EXPECT_TRUE(has("once", 0));
  run("once", 1);
  EXPECT_EQ(daemon.rows("once").size(), 1u) << "what is new is written";
}

}  // namespace
}  // namespace ballot::testing
