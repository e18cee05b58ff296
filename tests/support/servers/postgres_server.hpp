// PostgresServer: a real server of PostgreSQL, a process of its own with a folder of its own, on a free port and on a
// socket in that folder, to be killed, stopped, started again and put back. Where the test is root's the server runs as
// the user `postgres`, since it refuses to be root's.
//
//   PostgresServer server;                                   // up and serving: superuser `postgres`, all are trusted
//   server.ask("CREATE ROLE ballot LOGIN");
//   server.url("ballot")                                     // "postgresql://ballot@127.0.0.1:12345/postgres"
//   server.freeze();  ...  server.thaw();
//   server.kill();    ...  server.start();
//   PostgresServer replica(server, {});                      // it follows, asynchronously
//   server.kill();  replica.promote();
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "support/servers/reserved_port.hpp"
#include "support/servers/tls_files.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {

class PostgresServer {
 public:
  struct Settings {
    bool synced = false;                 // what it acknowledges is on disk, as is its default
    const TlsFiles* tls = nullptr;       // with a certificate "server", which it serves beside plain text
    std::string rules = {};              // of pg_hba.conf, before those that trust everybody on this host
    std::vector<std::string> more = {};  // of postgresql.conf: "name = value"
    std::string parent = {};             // where its folder is made, which its user may enter; "": anywhere
  };

  /// Makes a database cluster and starts. Throws std::runtime_error where it does not serve.
  PostgresServer() : PostgresServer(Settings()) {}
  explicit PostgresServer(const Settings& settings);
  /// A copy of one that runs, which follows it and can be read.
  PostgresServer(const PostgresServer& primary, const Settings& settings);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Where it does not run; returns when it serves.
  void start();
  /// SIGKILL, to its children too; returns when they are gone.
  void kill();
  /// It ends as asked, and says goodbye to who is connected; returns when it is gone.
  void stop();
  /// Nobody is answered, nor refused; its children stop too.
  void freeze();
  void thaw();
  /// Keeps what it has stored, and goes back to it. Requires: it does not run.
  void save() const;
  void restore();
  /// Writes a database down, as pg_dump does; and makes it anew of that: whoever is connected to it is sent away.
  void dump(const std::string& database) const;
  void load_dump(const std::string& database) const;
  /// Of a copy: it is the primary from now on; and it gets nothing more from the one that it follows, which is none
  /// then.
  void promote();
  void leave_primary();
  /// Who connects from now on sees the certificate "server" as it is now.
  void renew_certificate();

  bool runs() const noexcept { return pid_ > 0; }
  int port() const noexcept { return port_.number(); }
  /// Of the socket, which is SOCKET/.s.PGSQL.PORT.
  const std::string& socket_folder() const noexcept { return folder_.path(); }
  std::string url(const std::string& user, const std::string& database = "postgres") const;
  std::string socket_url(const std::string& user, const std::string& database = "postgres") const;

  /// As the superuser: the first column of all rows, a line each. Throws std::runtime_error, with what it says.
  std::string ask(const std::string& sql, const std::string& database = "postgres") const;
  /// What it has logged.
  std::string log() const;

 private:
  void configure() const;
  void take_key() const;
  void reload() const;
  void ask_until(const std::string& sql, const std::function<bool(const std::string&)>& is_so) const;
  void await();
  std::vector<pid_t> children() const;
  pid_t run(const std::vector<std::string>& command) const;
  void run_to_its_end(const std::vector<std::string>& command) const;

  const Settings settings_;
  TempFolder folder_;
  const ReservedPort port_;
  pid_t pid_ = -1;
};

}  // namespace ballot::testing
