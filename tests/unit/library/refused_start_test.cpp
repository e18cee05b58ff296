// A start that is refused for what lies on the disk: at once, and nothing has been made.
#include "embedding_host.hpp"

namespace ballot {
namespace {

class RefusedStart : public EmbeddingHost {
 protected:
  /// Refused; what it says.
  std::string refusal(const RuntimeSettings& settings) {
    Runtime runtime(settings);
    const auto started = runtime.start();
    if (started) return "";
    EXPECT_EQ(started.error().code, Errc::refused) << started.error().what;
    return started.error().what;
  }
  std::string open_folder(const char* name) {
    std::filesystem::create_directories(folder_ / name);
    EXPECT_EQ(::chmod((folder_ / name).c_str(), 0777), 0);
    return folder_ / name;
  }
  bool has_made_state() const { return std::filesystem::exists(folder_ / "state"); }
};

TEST_F(RefusedStart, ForTheFolderOfItsSocketHasMadeNothing) {
  RuntimeSettings open = settings();
  open.control_socket = open_folder("sockets") + "/host.sock";
  EXPECT_NE(refusal(open).find("/sockets is writable by others"), std::string::npos);
  EXPECT_FALSE(has_made_state());
}

TEST_F(RefusedStart, ForTheFolderOfItsStoreHasMadeNothing) {
  RuntimeSettings open = settings();
  open.options["path"] = open_folder("store");
  EXPECT_NE(refusal(open).find("/store is writable by others"), std::string::npos);
  EXPECT_FALSE(has_made_state());
}

TEST_F(RefusedStart, ForAnotherUsersStoreIsNotTriedForEver) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  RuntimeSettings other = settings();
  other.options["path"] = folder_ / "store";
  std::filesystem::create_directories(folder_ / "store");
  ASSERT_EQ(::chown((folder_ / "store").c_str(), 4711, 4711), 0);
  EXPECT_NE(refusal(other).find("belongs to user 4711"), std::string::npos);
  EXPECT_FALSE(has_made_state());
}

TEST_F(RefusedStart, ForALockOfTheLedgerThatIsNoFileComesAtOnce) {
  std::filesystem::create_directories(folder_ / "state");
  ASSERT_EQ(::mkfifo((folder_ / "state/history.db.lock").c_str(), 0600), 0);
  EXPECT_NE(refusal(settings()).find("/history.db.lock is no regular file"), std::string::npos);
}

TEST_F(RefusedStart, IsNoneForALedgerThatIsNoFileButItIsDegraded) {
  std::filesystem::create_directories(folder_ / "state");
  ASSERT_EQ(::mkfifo((folder_ / "state/history.db").c_str(), 0600), 0);
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.start());
  EXPECT_TRUE(wait_until([&] { return says("history.db is no regular file: move it away"); }));
  EXPECT_TRUE(runtime.stop());
}

}  // namespace
}  // namespace ballot
