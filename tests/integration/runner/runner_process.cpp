#include "integration/runner/runner_process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace ballot::runner {
namespace {

/// The runner that is wrong in one place, of tests/mutants; null: this build's.
const char* const mutant = std::getenv("BALLOT_MUTANT");

// Long: a machine that is busy gives a run that counts its processor time little of it. What a mutant never does is not
// waited for as long.
const int patience_millis = mutant ? 5'000 : 60'000;

/// Ends the test, with all that its destructors clean up.
void require(bool condition, const char* otherwise) {
  if (!condition) throw std::runtime_error(otherwise);
}

UniqueFd open_process(pid_t pid) { return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

bool wait_readable(int fd) {
  pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&wanted, 1, patience_millis) == 1;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

UniqueFd listen_at(const std::string& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_of(path);
  require(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind fails");
  require(::listen(fd.get(), 16) == 0, "listen fails");
  std::filesystem::permissions(path, std::filesystem::perms::all);  // who may command is the runner's to check
  return fd;
}

void limit(int resource, const std::optional<rlim_t>& most) {
  const rlimit both{most.value_or(0), most.value_or(0)};
  if (most && ::setrlimit(static_cast<__rlimit_resource_t>(resource), &both) != 0) ::_exit(1);
}

void exec_runner(int listener, const RunnerOptions& options) {
  const int program = ::open(mutant ? mutant : BALLOT_RUNNER, O_PATH | O_CLOEXEC);
  const int inherited = ::dup(listener);
  const std::string procs = options.cgroup + "/cgroup.procs";
  if (!options.cgroup.empty() && ::write(::open(procs.c_str(), O_WRONLY | O_CLOEXEC), "0", 1) != 1) ::_exit(1);
  limit(RLIMIT_NPROC, options.processes);
  if (options.user && ::setresuid(*options.user, *options.user, *options.user) != 0) ::_exit(1);
  const std::string fd = std::to_string(inherited);
  const std::string linger = std::to_string(options.linger.value_or(Millis(60'000)).count());
  const char* argv[] = {"ballot-runner", "--listen-fd", fd.c_str(), "--linger-ms", linger.c_str(), nullptr};
  const std::string failpoints =
      std::string("BALLOT_FAILPOINTS=") + (without_cgroups() ? "runner.cgroup=fail(EACCES);" : "") + options.failpoints;
  const char* envp[] = {"SECRET_OF_THE_DAEMON=1", failpoints.c_str(), nullptr};
  limit(RLIMIT_NOFILE, options.open_files);
  ::fexecve(program, const_cast<char* const*>(argv), const_cast<char* const*>(envp));
  ::_exit(1);
}

}  // namespace

bool without_cgroups() { return std::getenv("BALLOT_TEST_WITHOUT_CGROUPS") != nullptr; }

RunnerProcess::RunnerProcess(RunnerOptions options) {
  char name[] = "/tmp/ballot-runner-test-XXXXXX";
  folder_ = ::mkdtemp(name);
  std::filesystem::permissions(folder_, std::filesystem::perms::all);
  try {
    start(options);
  } catch (...) {
    std::filesystem::remove_all(folder_);
    throw;
  }
}

void RunnerProcess::start(const RunnerOptions& options) {
  UniqueFd listener = listen_at(socket_path());
  const pid_t parent = ::fork();
  if (parent == 0) exec_runner(listener.get(), options);
  int status = 0;
  require(::waitpid(parent, &status, 0) == parent && status == 0, "the runner did not start");
  listener.reset();  // so that it is the runner who listens, or nobody
  require(dial(), "the runner did not start");
  const auto hello = next();
  require(hello && std::get_if<Hello>(&*hello), "the runner did not start");
  pid_ = static_cast<pid_t>(std::get<Hello>(*hello).pid);
  process_ = open_process(pid_);
}

RunnerProcess::~RunnerProcess() {
  ::syscall(SYS_pidfd_send_signal, process_.get(), SIGTERM, nullptr, 0);
  if (!wait_readable(process_.get())) ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  std::filesystem::remove_all(folder_);
}

bool RunnerProcess::dial() {
  passed_.clear();
  reader_ = {};
  connection_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_of(socket_path());
  if (::connect(connection_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return false;
  const std::string first = encode(ToRunner(role));
  return ::send(connection_.get(), first.data(), first.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(first.size());
}

/// Whoever listens anew has its socket's file a moment before it listens: it refuses until then.
void RunnerProcess::connect() {
  const SteadyTime limit = steady() + std::chrono::seconds(20);
  bool connected = dial();
  while (!connected && errno == ECONNREFUSED && steady() < limit) connected = dial();
  ASSERT_TRUE(connected);
  const Hello hello = wait<Hello>();
  EXPECT_EQ(hello.protocol, protocol);
  pid_ = static_cast<pid_t>(hello.pid);
}

void RunnerProcess::send(const ToRunner& message) { send_bytes(encode(message)); }

void RunnerProcess::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ASSERT_GT(n, 0);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::optional<FromRunner> RunnerProcess::next_if_there() {
  auto message = reader_.next_from_runner();
  require(static_cast<bool>(message), "the runner's frames cannot be read");
  return std::move(*message);
}

/// What it has said that nobody asked for.
std::string RunnerProcess::passed_by() const {
  std::string text;
  for (const FromRunner& message : passed_) {
    text += "; message of kind " + std::to_string(message.index());
    if (const auto* cannot = std::get_if<CannotStart>(&message))
      text += ": cannot start: " + cannot->stage + ", errno " + std::to_string(cannot->error);
  }
  return text;
}

std::optional<FromRunner> RunnerProcess::next() {
  while (true) {
    if (auto message = next_if_there()) return message;
    if (!wait_readable(connection_.get())) throw std::runtime_error("the runner does not answer" + passed_by());
    char bytes[65536];
    const ssize_t n = ::recv(connection_.get(), bytes, sizeof bytes, 0);
    if (n <= 0) return std::nullopt;
    reader_.feed({bytes, static_cast<std::size_t>(n)});
  }
}

std::string RunnerProcess::wait_printed(const AttemptId& id, std::string_view text) {
  std::string all;
  while (all.find(text) == std::string::npos && !::testing::Test::HasFailure()) all += wait<Printed>(id).bytes;
  return all;
}

Ended RunnerProcess::run(const Start& start) {
  send(start);
  EXPECT_GT(wait<Started>(start.id).pid, 0);
  return wait<Ended>(start.id);
}

void RunnerProcess::wait_gone() { require(wait_readable(process_.get()), "the runner does not go"); }

std::size_t RunnerProcess::descriptors() const {
  const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid_) + "/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::int64_t RunnerProcess::resident_kib() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::atoll(line.c_str() + 6);
  return -1;
}

Millis RunnerProcess::processor_time() const {
  std::ifstream stat("/proc/" + std::to_string(pid_) + "/schedstat");
  std::int64_t nanoseconds = 0;
  stat >> nanoseconds;
  return Millis(nanoseconds / 1'000'000);
}

std::vector<pid_t> RunnerProcess::children() const {
  const std::string pid = std::to_string(pid_);
  std::ifstream file("/proc/" + pid + "/task/" + pid + "/children");
  std::vector<pid_t> all;
  for (pid_t child = 0; file >> child;) all.push_back(child);
  return all;
}

/// Its environment names the run, as the daemon's does.
Start command(std::vector<std::string> argv) {
  static std::uint8_t count = 0, hundreds = 0;
  if (++count == 0) ++hundreds;
  Start start;
  const pid_t pid = ::getpid();  // the runs of another test have other ids: /proc shows us theirs too
  std::memcpy(start.id.run.bytes.data(), &pid, sizeof pid);
  start.id.run.bytes[14] = hundreds;
  start.id.run.bytes[15] = count;
  start.id.attempt = 1;
  start.job = "job";
  start.argv = std::move(argv);
  start.environment = {"BALLOT_ATTEMPT=1", "BALLOT_RUN_ID=" + start.id.run.text(), "PATH=/usr/bin:/bin"};
  start.working_dir = "/";
  start.output_limit = 64 * 1024;
  start.launch_not_after = steady() + std::chrono::minutes(1);
  start.kill_grace = std::chrono::seconds(10);
  start.terminate = false;  // else it needs a session with a deadline
  return start;
}

Start shell(const std::string& script) { return command({"/bin/sh", "-c", script}); }

Start ready(RunnerProcess& runner, Start start) {
  start.stream_output = true;
  runner.send(start);
  runner.wait_printed(start.id, "ready\n");
  return start;
}

std::string printed(const Ended& ended) { return ended.output.head + ended.output.tail; }

SteadyTime steady() {
  timespec t{};
  ::clock_gettime(CLOCK_BOOTTIME, &t);
  return SteadyTime(std::chrono::floor<Millis>(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec)));
}

void wait_process_gone(pid_t pid) {
  const UniqueFd process = open_process(pid);
  EXPECT_TRUE(!process || wait_readable(process.get())) << pid << " goes on";
}

bool process_exists(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return std::getline(stat, text) && text.substr(text.rfind(')') + 2, 1) != "Z";
}

}  // namespace ballot::runner
