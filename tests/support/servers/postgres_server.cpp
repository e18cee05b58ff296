#include "support/servers/postgres_server.hpp"

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>

namespace ballot::testing {

using namespace std::chrono_literals;

namespace {

constexpr auto postgres_patience = 60s;  // a server that starts on a busy machine
constexpr const char *server_user = "postgres", *superuser = "postgres";

/// Stores are small, and need not outlive the machine; what is to be on disk is.
std::filesystem::path postgres_folder(const PostgresServer::Settings& settings) {
  if (!settings.parent.empty()) return settings.parent;
  const char* memory = "/dev/shm";
  return !settings.synced && ::access(memory, W_OK) == 0 ? std::filesystem::path(memory)
                                                         : std::filesystem::temp_directory_path();
}

/// Whom the server runs as; null: as this process.
const passwd* other_user() {
  if (::geteuid() != 0) return nullptr;
  const passwd* user = ::getpwnam(server_user);
  if (user == nullptr) throw std::runtime_error("there is no user postgres: is the package postgresql there?");
  return user;
}

void become(const passwd* user) {
  if (user == nullptr) return;
  if (::initgroups(user->pw_name, user->pw_gid) != 0 || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0)
    ::_exit(126);
}

void give_to_server(const std::string& path) {
  const passwd* user = other_user();
  if (user == nullptr) return;
  for (const auto& file : std::filesystem::recursive_directory_iterator(path))
    if (::lchown(file.path().c_str(), user->pw_uid, user->pw_gid) != 0)
      throw std::runtime_error("cannot give " + path + " to the server's user");
  if (::chown(path.c_str(), user->pw_uid, user->pw_gid) != 0) throw std::runtime_error("cannot give away " + path);
}

bool is_there(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string word, state;
  return static_cast<bool>(file >> word >> word >> state) && state != "Z";
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string program(const std::string& name) { return std::string(BALLOT_POSTGRES_BIN) + "/" + name; }

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;

}  // namespace

PostgresServer::PostgresServer(const Settings& settings) : settings_(settings), folder_(postgres_folder(settings)) {
  give_to_server(folder_.path());
  run_to_its_end({program("initdb"), "--no-sync", "--auth=trust", "--no-locale", "--encoding=UTF8",
                  std::string("--username=") + superuser, "--pgdata=" + (folder_ / "data")});
  configure();
  start();
}

PostgresServer::PostgresServer(const PostgresServer& primary, const Settings& settings)
    : settings_(settings), folder_(postgres_folder(settings)) {
  give_to_server(folder_.path());
  run_to_its_end({program("pg_basebackup"), "--host=" + primary.socket_folder(),
                  "--port=" + std::to_string(primary.port()), std::string("--username=") + superuser, "--no-sync",
                  "--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf",
                  "--pgdata=" + (folder_ / "data")});
  configure();
  start();
}

PostgresServer::~PostgresServer() { kill(); }

void PostgresServer::configure() const {
  std::string rules = settings_.rules;
  for (const char* rule : {"local all all trust", "local replication all trust", "host all all 127.0.0.1/32 trust"})
    rules += (rules.empty() ? "" : "\n") + std::string(rule);
  std::vector<std::string> lines{"listen_addresses = '127.0.0.1'",
                                 "port = " + std::to_string(port()),
                                 "unix_socket_directories = '" + socket_folder() + "'",
                                 "shared_buffers = '64MB'",
                                 "max_connections = 50",
                                 "wal_level = replica",
                                 "hot_standby = on"};
  if (!settings_.synced) lines.insert(lines.end(), {"fsync = off", "full_page_writes = off"});
  if (settings_.tls != nullptr) {
    take_key();
    lines.insert(lines.end(), {"ssl = on", "ssl_cert_file = '" + settings_.tls->cert("server") + "'",
                               "ssl_key_file = '" + (folder_ / "server.key") + "'"});
  }
  lines.insert(lines.end(), settings_.more.begin(), settings_.more.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  folder_.write("data/postgresql.conf", text);
  folder_.write("data/pg_hba.conf", rules + "\n");
  give_to_server(folder_.path());
}

/// It is to be the server's alone.
void PostgresServer::take_key() const {
  const std::string key = folder_ / "server.key";
  std::filesystem::copy(settings_.tls->key("server"), key, std::filesystem::copy_options::overwrite_existing);
  const passwd* user = other_user();
  if (::chmod(key.c_str(), 0600) != 0 || (user != nullptr && ::chown(key.c_str(), user->pw_uid, user->pw_gid) != 0))
    throw std::runtime_error("cannot give the key to the server's user");
}

/// No shell between: its process is the server's. It ends with the test.
pid_t PostgresServer::run(const std::vector<std::string>& command) const {
  const std::string output = folder_ / "output";
  std::vector<const char*> words;
  for (const std::string& one : command) words.push_back(one.c_str());
  words.push_back(nullptr);
  const passwd* user = other_user();
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) throw std::runtime_error("no process for PostgreSQL");
  if (child > 0) return child;
  become(user);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a change of the user would have undone it
  const int log = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(log, 1);
  ::dup2(log, 2);
  if (::chdir("/") == 0 && ::getppid() == parent) ::execv(words[0], const_cast<char**>(words.data()));
  ::_exit(127);
}

void PostgresServer::dump(const std::string& database) const {
  run_to_its_end({program("pg_dump"), "--host=" + folder_.path(), "--port=" + std::to_string(port()), "--username",
                  superuser, "--format=custom", "--file=" + folder_ / "dump", database});
}

void PostgresServer::load_dump(const std::string& database) const {
  run_to_its_end({program("dropdb"), "--host=" + folder_.path(), "--port=" + std::to_string(port()), "--username",
                  superuser, "--force", database});
  run_to_its_end({program("pg_restore"), "--host=" + folder_.path(), "--port=" + std::to_string(port()), "--username",
                  superuser, "--create", "--dbname=postgres", folder_ / "dump"});
}

void PostgresServer::run_to_its_end(const std::vector<std::string>& command) const {
  int status = 0;
  ::waitpid(run(command), &status, 0);
  if (status != 0) throw std::runtime_error(command[0] + " failed: " + log());
}

std::string PostgresServer::log() const { return text_of(folder_ / "output"); }

void PostgresServer::start() {
  if (runs()) return;
  pid_ = run({program("postgres"), "-D", folder_ / "data"});
  await();
}

void PostgresServer::await() {
  const auto end = std::chrono::steady_clock::now() + postgres_patience;
  while (PQping(socket_url(superuser).c_str()) != PQPING_OK) {
    const bool is_gone = ::waitpid(pid_, nullptr, WNOHANG) == pid_;
    if (is_gone) pid_ = -1;
    if (is_gone || std::chrono::steady_clock::now() > end)
      throw std::runtime_error("PostgreSQL does not serve: " + log());
    std::this_thread::sleep_for(10ms);  // there is nothing else to wait for
  }
}

std::vector<pid_t> PostgresServer::children() const {
  const std::string id = std::to_string(pid_);
  std::ifstream file("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> all;
  for (pid_t one = 0; file >> one;) all.push_back(one);
  return all;
}

void PostgresServer::kill() {
  if (!runs()) return;
  ::kill(pid_, SIGSTOP);  // it starts no more of them
  const std::vector<pid_t> all = children();
  ::kill(pid_, SIGKILL);
  for (const pid_t one : all) ::kill(one, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
  for (const pid_t one : all)
    while (is_there(one)) std::this_thread::sleep_for(1ms);
}

void PostgresServer::stop() {
  if (!runs()) return;
  thaw();
  ::kill(pid_, SIGINT);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void PostgresServer::freeze() {
  if (!runs()) return;
  ::kill(pid_, SIGSTOP);
  for (const pid_t one : children()) ::kill(one, SIGSTOP);
}

void PostgresServer::thaw() {
  if (!runs()) return;
  for (const pid_t one : children()) ::kill(one, SIGCONT);
  ::kill(pid_, SIGCONT);
}

void PostgresServer::save() const {
  std::filesystem::remove_all(folder_ / "saved");
  std::filesystem::copy(folder_ / "data", folder_ / "saved",
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
}

void PostgresServer::restore() {
  std::filesystem::remove_all(folder_ / "data");
  std::filesystem::copy(folder_ / "saved", folder_ / "data", std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder_ / "data/postmaster.pid");
  std::filesystem::permissions(folder_ / "data", std::filesystem::perms::owner_all);
  give_to_server(folder_ / "data");
}

void PostgresServer::promote() { ask("SELECT pg_promote()"); }

void PostgresServer::leave_primary() {
  ask("ALTER SYSTEM SET primary_conninfo = ''");
  reload();
  ask_until("SELECT count(*) FROM pg_stat_wal_receiver", [](const std::string& count) { return count == "0"; });
}

void PostgresServer::renew_certificate() {
  take_key();
  reload();
}

/// Returns when it has read its files.
void PostgresServer::reload() const {
  const std::string loaded = "SELECT pg_conf_load_time()", before = ask(loaded);
  ask("SELECT pg_reload_conf()");
  ask_until(loaded, [&](const std::string& at) { return at != before; });
}

/// Each question is a connection of its own, and takes its time: nothing else is waited for.
void PostgresServer::ask_until(const std::string& sql, const std::function<bool(const std::string&)>& is_so) const {
  const auto end = std::chrono::steady_clock::now() + postgres_patience;
  while (!is_so(ask(sql)))
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("PostgreSQL goes on to say so: " + sql);
}

std::string PostgresServer::url(const std::string& user, const std::string& database) const {
  return "postgresql://" + user + "@127.0.0.1:" + std::to_string(port()) + "/" + database;
}

std::string PostgresServer::socket_url(const std::string& user, const std::string& database) const {
  return "postgresql://" + user + "@/" + database + "?host=" + socket_folder() + "&port=" + std::to_string(port());
}

std::string PostgresServer::ask(const std::string& sql, const std::string& database) const {
  const Connection connection(PQconnectdb(socket_url(superuser, database).c_str()), PQfinish);
  PQsetNoticeReceiver(
      connection.get(), [](void*, const PGresult*) {}, nullptr);
  const Answer answer(PQexec(connection.get(), sql.c_str()), PQclear);
  const ExecStatusType status = PQresultStatus(answer.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    throw std::runtime_error(PQerrorMessage(connection.get()));
  std::string lines;
  for (int row = 0; row < PQntuples(answer.get()); ++row)
    lines += (row == 0 ? "" : "\n") + std::string(PQgetvalue(answer.get(), row, 0));
  return lines;
}

}  // namespace ballot::testing
