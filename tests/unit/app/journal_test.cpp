// What systemd's journal is sent, read from a socket of the test's own.
#include "app/log/journal.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "app/log/log_sink.hpp"
#include "support/temp_folder.hpp"

namespace ballot::app {
namespace {

using namespace std::chrono_literals;

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() { listen(); }
  ~JournalTest() override { ::unsetenv("JOURNAL_STREAM"); }

  void listen() {
    receiver_ = UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(receiver_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }

  /// The next entry, of the datagram or of the file that came with it; "" where there is none.
  std::string received() const {
    std::string text(1 << 20, '\0');
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    iovec part{text.data(), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(receiver_.get(), &message, 0);
    if (size < 0) return "";
    text.resize(static_cast<std::size_t>(size));
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
      const UniqueFd file(fd);
      struct stat info {};
      EXPECT_EQ(::fstat(fd, &info), 0);
      text.resize(static_cast<std::size_t>(info.st_size));
      EXPECT_EQ(::pread(fd, text.data(), text.size(), 0), info.st_size);
    }
    return text;
  }

  /// As systemd says that standard error is the journal.
  static void make_stderr_the_journal() {
    struct stat info {};
    ASSERT_EQ(::fstat(STDERR_FILENO, &info), 0);
    ::setenv("JOURNAL_STREAM", (std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino)).c_str(), 1);
  }

  TempFolder folder_;
  const std::string path_ = folder_ / "socket";
  UniqueFd receiver_;
};

TEST(JournalEntry, HasTheLevelAndTheFields) {
  const LogFields fields{
      {"job", "backup"}, {"group", "nightly"}, {"run", "01aa"}, {"exit-code", "7"}, {"node", "other"}};
  EXPECT_EQ(journal_entry(Level::warn, "failed", "host-1", fields),
            "MESSAGE=failed\nPRIORITY=4\nSYSLOG_IDENTIFIER=ballot\nBALLOT_NODE=host-1\nBALLOT_JOB=backup\n"
            "BALLOT_GROUP=nightly\nBALLOT_RUN_ID=01aa\nBALLOT_EXIT_CODE=7\n");
  const Level levels[] = {Level::trace, Level::debug, Level::info, Level::error, Level::fatal};
  std::string priorities;
  for (const Level level : levels) priorities += journal_entry(level, "", "", {}).substr(18, 1);
  EXPECT_EQ(priorities, "77632");
}

TEST(JournalEntry, CannotBeMadeAnotherOneByItsText) {
  const LogFields fields{{"error", std::string("a\nBALLOT_JOB=evil\n")}};
  const std::string head = "MESSAGE=x\nPRIORITY=6\nSYSLOG_IDENTIFIER=ballot\n", length("\x12\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(journal_entry(Level::info, "x", "", fields), head + "BALLOT_ERROR\n" + length + "a\nBALLOT_JOB=evil\n\n");
  EXPECT_EQ(journal_entry(Level::info, "x", "", {{std::string(99, 'k'), "v"}}),
            head + "BALLOT_" + std::string(57, 'K') + "=v\n");
}

TEST_F(JournalTest, TakesEntriesOfAnySize) {
  Journal journal(path_);
  EXPECT_TRUE(journal.send("MESSAGE=one\n"));
  EXPECT_EQ(received(), "MESSAGE=one\n");
  const std::string large = "MESSAGE=" + std::string(5 << 20, 'x') + "\n";
  EXPECT_TRUE(journal.send(large));
  EXPECT_TRUE(received() == large);
}

TEST_F(JournalTest, ThatDoesNotReadIsWaitedForOnce) {
  Journal journal(path_);
  int sent = 0;
  while (sent < 10'000 && journal.send("MESSAGE=x\n")) ++sent;
  ASSERT_LT(sent, 10'000);
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(journal.send("MESSAGE=lost\n"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s) << "100 ms each would be 100 s";
  while (!received().empty()) continue;
  EXPECT_TRUE(journal.send("MESSAGE=again\n"));
  EXPECT_EQ(received(), "MESSAGE=again\n");
}

TEST_F(JournalTest, ThatIsGoneTakesNothingUntilItIsBack) {
  Journal journal(path_);
  receiver_.reset();
  ::unlink(path_.c_str());
  EXPECT_FALSE(journal.send("MESSAGE=x\n"));
  listen();
  EXPECT_TRUE(journal.send("MESSAGE=x\n"));
  EXPECT_EQ(received(), "MESSAGE=x\n");
}

TEST_F(JournalTest, GetsTheLogWhereStandardErrorIsIt) {
  ::testing::internal::CaptureStderr();
  make_stderr_the_journal();
  const Log log = make_log({}, "host-1", path_);
  log(Level::debug, "too little", {});
  log(Level::info, "started", {{"job", "backup"}, {"why", "a b"}});
  const std::string first = received();
  receiver_.reset();
  log(Level::warn, "nobody listens", {});
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(first,
            "MESSAGE=started                                      job=backup why=\"a b\"\nPRIORITY=6\n"
            "SYSLOG_IDENTIFIER=ballot\nBALLOT_NODE=host-1\nBALLOT_JOB=backup\nBALLOT_WHY=a b\n");
  EXPECT_EQ(lines.find("started"), std::string::npos) << "not twice";
  EXPECT_NE(lines.find(" WARN  nobody listens\n"), std::string::npos) << lines;
}

TEST_F(JournalTest, GetsTheLineAsItIsWhereAnotherFormatIsAskedFor) {
  ::testing::internal::CaptureStderr();
  make_stderr_the_journal();
  make_log({.format = config::LogFormat::json}, "host-1", path_)(Level::info, "started", {{"job", "backup"}});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  const std::string entry = received();
  EXPECT_TRUE(entry.starts_with("MESSAGE={\"time\":\"")) << entry;
  EXPECT_NE(entry.find("\nBALLOT_JOB=backup\n"), std::string::npos) << entry;
}

TEST_F(JournalTest, GetsNothingWhereStandardErrorWasPutElsewhere) {
  make_stderr_the_journal();
  ::testing::internal::CaptureStderr();
  make_log({}, "host-1", path_)(Level::info, "started", {});
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("started"), std::string::npos);
  EXPECT_EQ(received(), "");
}

}  // namespace
}  // namespace ballot::app
