// probe: a job's command that reports to an oracle that it started and how it ended, and otherwise does as ordered.
//
//   probe SOCKET [--for DURATION] [--exit CODE] [--say TEXT] [--wait] [--ignore-term]
//
// It runs for the duration (default: not at all), or with --wait until the oracle sends "exit CODE", or hangs up: then
// code 121. TERM is reported as its END before it ends by it. Without an oracle it does nothing: code 120. Whatever
// becomes of it, the oracle sees its socket close with it.
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/duration.hpp"
#include "support/judge/report.hpp"

namespace ballot::testing {
namespace {

constexpr int misused = 2, no_oracle = 120, oracle_gone = 121;

struct Orders {
  std::string socket, say;
  Millis runs_for{0};
  int exit_code = 0;
  bool waits = false, ignores_term = false;
};

Orders read_orders(int argc, char** argv) {
  Orders orders;
  const auto fail = [](std::string_view word) {
    std::fprintf(stderr, "probe: what is %s?\n", std::string(word).c_str());
    std::exit(misused);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : (fail(word), ""); };
    if (word == "--for")
      orders.runs_for = parse_duration(value()).value_or(Millis(0));
    else if (word == "--exit")
      orders.exit_code = std::atoi(value());
    else if (word == "--say")
      orders.say = std::string(value()) + "\n";
    else if (word == "--wait")
      orders.waits = true;
    else if (word == "--ignore-term")
      orders.ignores_term = true;
    else if (word.starts_with("--") || !orders.socket.empty())
      fail(word);
    else
      orders.socket = word;
  }
  return orders;
}

int reach(const std::string& path) {
  const int oracle = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(oracle, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    std::perror(("probe: no oracle at " + path).c_str());
    std::exit(no_oracle);
  }
  return oracle;
}

void report(int oracle, const std::string& message) {
  (void)::send(oracle, message.data(), message.size(), MSG_NOSIGNAL);
}

/// Blocked from now on, to be read.
int watch_term() {
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &term, nullptr);
  return ::signalfd(-1, &term, SFD_CLOEXEC);
}

[[noreturn]] void end_by_term(int oracle) {
  report(oracle, end_message("signal " + std::to_string(SIGTERM)));
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::raise(SIGTERM);
  ::sigprocmask(SIG_UNBLOCK, &term, nullptr);
  ::_exit(misused);
}

/// What it exits with.
int carry_out(const Orders& orders, int oracle, int term) {
  const auto until = Instant::now().boot + orders.runs_for;
  while (true) {
    const auto left = std::chrono::ceil<Millis>(until - Instant::now().boot);
    if (!orders.waits && left <= Millis(0)) return orders.exit_code;
    pollfd ready[] = {{term, POLLIN, 0}, {oracle, POLLIN, 0}};
    ::poll(ready, orders.waits ? 2 : 1, orders.waits ? -1 : static_cast<int>(left.count()));
    if (ready[0].revents) end_by_term(oracle);
    if (!ready[1].revents) continue;
    char message[64] = {};
    if (::recv(oracle, message, sizeof message - 1, 0) <= 0) return oracle_gone;
    return std::atoi(message + std::string_view("exit ").size());
  }
}

int run(const Orders& orders) {
  if (orders.ignores_term) ::signal(SIGTERM, SIG_IGN);
  const int oracle = reach(orders.socket);
  const int term = orders.ignores_term ? -1 : watch_term();
  report(oracle, start_message());
  if (!orders.say.empty()) (void)!::write(STDOUT_FILENO, orders.say.data(), orders.say.size());
  const int code = carry_out(orders, oracle, term);
  report(oracle, end_message("exit " + std::to_string(code)));
  return code;
}

}  // namespace
}  // namespace ballot::testing

int main(int argc, char** argv) { return ballot::testing::run(ballot::testing::read_orders(argc, argv)); }
