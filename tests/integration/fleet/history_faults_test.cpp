// What comes over the database that daemons hand their ledgers on to, under load: it is slow, its disk is full, it
// knows another password, its certificate expires, a replica that lacks the last second takes its place. Each is said,
// and afterwards all is there once, as it is in the ledgers.
#include <sys/stat.h>

#include "integration/fleet/kept_history.hpp"
#include "support/process/small_disk.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/servers/tls_files.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;
using Way = TcpRelay::Way;

/// Between daemon and server.
class KeptHistoryAfar : public KeptHistory {
 protected:
  KeptHistoryAfar() {
    fleet["n1"].configure(configuration("postgresql://ballot@127.0.0.1:" + std::to_string(relay.port()) + "/ballot"));
  }
  /// How old the last slot is of which there is a row.
  std::int64_t lag() const {
    const std::int64_t last = std::stoll(ask("SELECT max(slot) FROM ballot.rows"));
    return Instant::now().wall.time_since_epoch().count() - last;
  }

  TcpRelay relay{server.port()};
};

TEST_F(KeptHistoryAfar, KeepsUpWithLoadWhereEachWayTakesTwoHundredMilliseconds) {
  start();
  for (const Way way : {Way::to_server, Way::to_client}) relay.delay(way, 200ms);
  const auto keeps_up = [&](int seconds_long) {
    std::int64_t longest = 0;
    const auto until = Instant::now().wall + std::chrono::seconds(seconds_long);
    EXPECT_TRUE(wait_until([&] {
      longest = std::max(longest, lag());
      return Instant::now().wall >= until && lag() < 5'000;
    }));
    EXPECT_EQ(status().find("history:"), std::string::npos) << status();
    std::cout << "the history was at most " << longest << " ms behind the slots\n";
  };
  keeps_up(12);  // that it fails is said after ten
  relay.break_connections();
  keeps_up(6);
  stop_and_expect_all_kept();
}

/// Its server has a disk of its own.
struct Disk {
  Disk() { allow(folder.path()), allow(disk_path()); }
  std::string disk_path() const { return folder / "disk"; }
  static void allow(const std::string& path) { ::chmod(path.c_str(), 0755); }  // the server is another user

  TempFolder folder;
  SmallDisk disk{disk_path(), "128m"};
};
class KeptHistoryOnASmallDisk : Disk, public KeptHistory {
 protected:
  KeptHistoryOnASmallDisk()
      : KeptHistory({"n1"}, {.more = {"min_wal_size = 32MB", "max_wal_size = 32MB"}, .parent = disk_path()}) {}
  void SetUp() override {
    if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small disk";
  }
  /// What is printed soon needs more pages than there are.
  void start_printing() {
    start();
    fleet.job("loud", "schedule = \"* * * * * *\"\nshell = \"head -c 6000 /dev/urandom | od -An -tx1\"");
    ASSERT_TRUE(wait_until([&] { return fleet["n1"].ballot({"output", "loud"}).code == 0; }));
  }
  using Disk::disk;
};

TEST_F(KeptHistoryOnASmallDisk, CatchesUpWithAServerThatHadNoRoomForRows) {
  start_printing();
  disk.fill();
  await_trouble("could not extend file");
  disk.make_room();
  stop_and_expect_all_kept();
}

/// It ends where there is no room for its log, and does not come up before there is.
TEST_F(KeptHistoryOnASmallDisk, CatchesUpWithAServerThatEndedAsItsDiskWasFull) {
  start_printing();
  disk.fill();
  const auto ends = [&] {
    try {
      server.ask("SELECT pg_switch_wal()");
      server.ask("CREATE TABLE IF NOT EXISTS one_page_more (number bigint)");
      return false;
    } catch (const std::runtime_error&) {
      return server.log().find("PANIC") != std::string::npos;
    }
  };
  ASSERT_TRUE(wait_until(ends)) << server.log();
  await_trouble("");
  disk.make_room();
  server.kill();
  server.start();
  stop_and_expect_all_kept();
}

class KeptHistoryWithAPassword : public KeptHistory {
 protected:
  KeptHistoryWithAPassword() : KeptHistory({"n1"}, {.rules = "host all ballot 127.0.0.1/32 scram-sha-256"}) {
    set_password("first");
    write_password("first");
    fleet["n1"].configure(
        configuration(server.url("ballot", "ballot"), "password_file = \"" + folder / "password" + "\"\n"));
  }
  void set_password(const std::string& password) { server.ask("ALTER ROLE ballot PASSWORD '" + password + "'"); }
  void write_password(const std::string& password) const {
    ::chmod(folder.write("new", password + "\n").c_str(), 0600);
    std::filesystem::rename(folder / "new", folder / "password");
  }

  TempFolder folder;
};

/// Without a reload, and nobody has started anything again.
TEST_F(KeptHistoryWithAPassword, IsHandedOnAgainOnceTheNewPasswordIsInItsFile) {
  start();
  set_password("second");
  end_connections();
  await_trouble("password authentication failed");
  EXPECT_EQ(status().find("second"), std::string::npos);
  write_password("second");
  stop_and_expect_all_kept();
}

struct Certificates {
  Certificates() {
    ::chmod(folder.path().c_str(), 0755);
    make(3600);
  }
  void make(long life) const {
    files.make("server", "IP:127.0.0.1", life, -7200);
    ::chmod(files.cert("server").c_str(), 0644);  // the server is another user
  }

  TempFolder folder;
  TlsFiles files{folder.path()};
};
class KeptHistoryOverTls : Certificates, public KeptHistory {
 protected:
  KeptHistoryOverTls() : KeptHistory({"n1"}, {.tls = &files, .rules = "hostnossl all ballot 127.0.0.1/32 reject"}) {
    fleet["n1"].configure(configuration(server.url("ballot", "ballot"), "tls_ca = \"" + files.ca() + "\"\n"));
  }
  void show_certificate_of(long life) {
    make(life);
    server.renew_certificate();
    end_connections();
  }
};

TEST_F(KeptHistoryOverTls, IsHandedOnAgainOnceAnExpiredCertificateIsRenewed) {
  start();
  show_certificate_of(-60);
  await_trouble("certificate");
  EXPECT_NE(status().find("expired"), std::string::npos) << status();
  show_certificate_of(3600);
  stop_and_expect_all_kept();
}

/// Two nodes, whose URL names both servers.
class KeptHistoryOfTwoServers : public KeptHistory {
 protected:
  KeptHistoryOfTwoServers() : KeptHistory({"n1", "n2"}) {
    const std::string url = "postgresql://ballot@127.0.0.1:" + std::to_string(server.port()) +
                            ",127.0.0.1:" + std::to_string(replica.port()) + "/ballot?target_session_attrs=read-write";
    for (const char* node : {"n1", "n2"}) fleet[node].configure(configuration(url));
    fleet.job("own", "run_on = \"each\"\nschedule = \"* * * * * *\"\nshell = \"echo of each node\"");
  }
  const PostgresServer& primary() const override { return server.runs() ? server : replica; }

  PostgresServer replica{server, {}};
};

TEST_F(KeptHistoryOfTwoServers, IsSentAgainWhatAReplicaThatTakesOverHasNotGot) {
  start();
  const auto is_there = [&](const PostgresServer& of, const std::string& node) {
    return std::stoll("0" + of.ask("SELECT max(change) FROM ballot.ledger WHERE node = '" + node + "'", "ballot"));
  };
  for (const char* node : {"n1", "n2"}) ASSERT_TRUE(wait_until([&] { return is_there(replica, node) > 0; })) << node;
  replica.leave_primary();
  const std::int64_t left_at = is_there(replica, "n1");
  ASSERT_TRUE(wait_until([&] { return is_there(server, "n1") >= left_at + 30; }));
  const std::int64_t acknowledged = is_there(server, "n1");
  server.kill();
  await_trouble("read-only");  // by the last host of the URL
  replica.promote();
  std::cout << "the replica has " << left_at << " of " << acknowledged << " changes\n";
  EXPECT_GE(acknowledged - left_at, 30);
  ASSERT_TRUE(wait_until([&] { return is_there(replica, "n1") > acknowledged; }, 60s));
  stop_and_expect_all_kept({"n1", "n2"});
}

}  // namespace
}  // namespace ballot::testing
