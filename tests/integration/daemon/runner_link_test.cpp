// The link between the daemon and its runner: what children print is never taken for the runner's word, and a link that
// breaks is taken up again without a run being lost, or started for it.
#include <sys/socket.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "integration/daemon/faulty_daemon.hpp"

namespace ballot::testing {
namespace {

/// Shuts the daemon's end of its connection with the runner: what is on the way, either way, is lost.
void cut_link(const FaultyDaemon& daemon) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, daemon.pid(), 0)));
  int cut = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(daemon.pid()) + "/fd")) {
    const int number = std::atoi(entry.path().filename().c_str());
    const UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), number, 0)));
    sockaddr_un peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd.get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.sun_family != AF_UNIX || daemon.folder / "run/runner.sock" != peer.sun_path) continue;
    EXPECT_EQ(::shutdown(fd.get(), SHUT_RDWR), 0);
    ++cut;
  }
  EXPECT_EQ(cut, 1);
}

/// Frames of the runner's wire, as whoever knows it may print them: one that empties the runner, and ends of runs.
std::string forged_frames(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) {
    runner::Ended ended;
    for (auto& byte : ended.id.run.bytes) byte = static_cast<std::uint8_t>(random());
    text += encode(runner::FromRunner(runner::Ready{true, "forged"}));
    text += encode(runner::FromRunner(ended));
    text += "plain text of " + std::to_string(random()) + "\n";
  }
  return text.substr(0, size);
}

/// Two processors' worth of work until it goes.
class Busy {
 public:
  ~Busy() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() const {
    while (!is_over_) continue;
  }

  std::atomic<bool> is_over_ = false;
  std::thread threads_[2] = {std::thread([this] { work(); }), std::thread([this] { work(); })};
};

std::size_t count_lines(const std::string& path) {
  const std::string text = text_of(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// `BALLOT_OUTPUTS` is how many outputs children write; by default so few that they take seconds.
TEST(RunnerLink, StaysWholeWhateverChildrenPrintUnderLoad) {
  const char* const wanted = std::getenv("BALLOT_OUTPUTS");
  constexpr int jobs = 6, outputs_a_run = 50;
  const int rounds = std::max(1, (wanted ? std::atoi(wanted) : 600) / (jobs * outputs_a_run));
  const std::size_t sizes[jobs] = {701, 4'096, 9'001, 20'011, 65'536, 70'001};
  FaultyDaemon daemon;
  daemon.job("stays", "guarantee = \"at-least-once\"\nshell = \"echo started >> " + (daemon.folder / "starts") +
                          "; until [ -e " + (daemon.folder / "go") + " ]; do sleep 0.1; done\"");
  for (int i = 0; i < jobs; ++i) {
    const std::string name = "print" + std::to_string(i), file = daemon.folder / (name + ".bytes");
    daemon.folder.write(name + ".bytes", forged_frames(sizes[i], static_cast<unsigned>(i)));
    daemon.job(name, "shell = \"i=0; while [ $i -lt " + std::to_string(outputs_a_run) + " ]; do cat " + file +
                         "; i=$((i+1)); done; exit " + std::to_string(i) +
                         "\"\noutput_limit = \"1MiB\"\nlog_output = " + (i < 3 ? "true" : "false"));
  }
  daemon.lead();
  ASSERT_EQ(daemon.ballot({"trigger", "stays"}).code, 0);
  ASSERT_TRUE(daemon.wait_for("started")) << daemon.log;
  const pid_t runner = daemon.runner();
  {
    const Busy busy;
    for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
      std::vector<std::unique_ptr<Running>> asking;
      for (int i = 0; i < jobs; ++i)
        asking.push_back(std::make_unique<Running>(
            std::vector<std::string>{BALLOT_PROGRAM, "trigger", "print" + std::to_string(i), "--wait", "--timeout",
                                     "5m", "--config", daemon.folder / "ballot.toml"}));
      for (int i = 0; i < jobs; ++i) EXPECT_EQ(asking[static_cast<std::size_t>(i)]->wait(), i);
    }
  }
  daemon.read_log();
  EXPECT_EQ(daemon.log.find("link to the runner"), std::string::npos) << "it broke";
  EXPECT_EQ(daemon.runner(), runner);
  for (int i = 0; i < jobs; ++i) {
    const std::vector<Row> rows = daemon.rows("print" + std::to_string(i));
    EXPECT_EQ(rows.size(), static_cast<std::size_t>(rounds));
    for (const Row& row : rows) {
      EXPECT_EQ(row.exit_code, i) << status_of(row);
      EXPECT_EQ(row.output_bytes, static_cast<std::int64_t>(sizes[i]) * outputs_a_run);
    }
  }
  std::string all;
  for (int i = 0; i < outputs_a_run; ++i) all += text_of(daemon.folder / "print1.bytes");
  EXPECT_TRUE(daemon.ballot({"output", "print1"}).out == all);
  ASSERT_EQ(daemon.rows("stays").size(), 1u);
  EXPECT_EQ(daemon.rows("stays")[0].status, Status::running);
  EXPECT_EQ(count_lines(daemon.folder / "starts"), 1u);
  daemon.folder.write("go", "");
}

TEST(RunnerLink, ThatIsCutIsTakenUpWhileRunsGoOnAndNoneIsLostOrStartedTwice) {
  constexpr int runs = 5, cuts = 8;
  FaultyDaemon daemon;
  const auto name_of = [](int i) { return "long" + std::to_string(i); };
  for (int i = 0; i < runs; ++i)
    daemon.job(name_of(i), std::string(i % 2 == 0 ? "" : "guarantee = \"at-least-once\"\n") + "shell = \"echo " +
                               name_of(i) + " >> " + (daemon.folder / "starts") + "; i=0; until [ -e " +
                               (daemon.folder / "go") + " ]; do echo at work; sleep 0.05; done; echo I am " +
                               name_of(i) + "; exit " + std::to_string(100 + i) + "\"\nlog_output = true");
  daemon.job("tick", "schedule = \"* * * * * *\"\nmisfire = \"all\"\nshell = \"echo $BALLOT_SLOT >> " +
                         (daemon.folder / "slots") + "\"");
  daemon.lead();
  for (int i = 0; i < runs; ++i) ASSERT_EQ(daemon.ballot({"trigger", name_of(i)}).code, 0);
  ASSERT_TRUE(wait_until([&] { return count_lines(daemon.folder / "starts") == runs; }));
  const pid_t runner = daemon.runner();
  for (int i = 0; i < cuts; ++i) {
    ASSERT_TRUE(daemon.wait_for("job=tick")) << daemon.log;  // the cut comes as a slot is begun, or has ended
    cut_link(daemon);
    ASSERT_TRUE(daemon.wait_for("the link to the runner is taken up again")) << daemon.log;
  }
  daemon.folder.write("go", "");
  for (int i = 0; i < runs; ++i) {
    ASSERT_TRUE(wait_until([&] { return is_final(daemon.rows(name_of(i))[0].status); })) << daemon.log;
    const std::vector<Row> rows = daemon.rows(name_of(i));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(status_of(rows[0]), "failed: exit_code");
    EXPECT_EQ(rows[0].exit_code, 100 + i);
    const std::string out = daemon.ballot({"output", rows[0].run->text()}).out;
    EXPECT_TRUE(out.starts_with("at work\n") && out.ends_with("at work\nI am " + name_of(i) + "\n")) << out;
    EXPECT_EQ(static_cast<std::int64_t>(out.size()), rows[0].output_bytes);
  }
  EXPECT_EQ(daemon.runner(), runner);
  EXPECT_EQ(count_lines(daemon.folder / "starts"), static_cast<std::size_t>(runs));
  EXPECT_EQ(daemon.stop(), 0);
  daemon.expect_accounted("tick");
  for (const Row& row : daemon.rows()) EXPECT_NE(row.status, Status::lost) << row.job;
  std::istringstream text(text_of(daemon.folder / "slots"));
  std::multiset<std::string> slots;
  for (std::string slot; text >> slot;) slots.insert(slot);
  for (const std::string& slot : slots) EXPECT_EQ(slots.count(slot), 1u) << slot;
}

}  // namespace
}  // namespace ballot::testing
