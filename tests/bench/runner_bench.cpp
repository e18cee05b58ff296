// runner_bench [PAIRS [N [AT_A_TIME]]]: launches a second of N children that do nothing, by a bare posix_spawn/wait
// loop and through ballot-runner, in turn; prints each pair and the median ratio. Not a test: its figures are for
// people.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "integration/runner/runner_process.hpp"

namespace ballot::runner {
namespace {

using Clock = std::chrono::steady_clock;

double per_second(int count, Clock::time_point begin) {
  return count / std::chrono::duration<double>(Clock::now() - begin).count();
}

double bare_loop(int count, int at_a_time) {
  const auto begin = Clock::now();
  char program[] = BALLOT_IDLE_CHILD, entry[] = "PATH=/usr/bin:/bin";
  char* argv[] = {program, nullptr};
  char* envp[] = {entry, nullptr};
  for (int live = 0, started = 0, done = 0; done < count; ++done, --live) {
    for (; live < at_a_time && started < count; ++live, ++started) {
      pid_t pid = 0;
      if (::posix_spawn(&pid, program, nullptr, nullptr, argv, envp) != 0) std::abort();
    }
    int status = 0;
    ::wait(&status);
  }
  return per_second(count, begin);
}

double through_runner(RunnerProcess& runner, int count, int at_a_time) {
  std::vector<Start> starts;
  for (int i = 0; i < count; ++i) starts.push_back(command({BALLOT_IDLE_CHILD}));
  const auto begin = Clock::now();
  std::string out;
  for (int live = 0, started = 0, done = 0; done < count;) {
    for (; live < at_a_time && started < count; ++live, ++started)
      out += encode(ToRunner(starts[static_cast<std::size_t>(started)]));
    runner.send_bytes(out);
    out.clear();
    for (auto message = runner.next(); message; message = runner.next_if_there()) {
      if (const auto* ended = std::get_if<Ended>(&*message)) {
        if (ended->exit_code != 0) std::abort();
        out += encode(ToRunner(Ack{ended->id}));
        ++done, --live;
      } else if (!std::holds_alternative<Started>(*message) && !std::holds_alternative<Ready>(*message)) {
        std::abort();
      }
    }
  }
  runner.send_bytes(out);
  return per_second(count, begin);
}

/// Of this process, what it waited for, and the runner with what that waited for; microseconds.
double cpu_used(pid_t runner) {
  double total = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime})
      total += 1e6 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec);
  }
  std::ifstream stat("/proc/" + std::to_string(runner) + "/stat");
  std::string word;
  for (int field = 1; stat >> word && field <= 17; ++field)
    if (field >= 14) total += 1e6 * std::atof(word.c_str()) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return total;
}

void run(int pairs, int count, int at_a_time) {
  RunnerProcess runner;
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    const double before = cpu_used(runner.pid());
    const double bare = bare_loop(count, at_a_time);
    const double between = cpu_used(runner.pid());
    const double ours = through_runner(runner, count, at_a_time);
    const double after = cpu_used(runner.pid());
    ratios.push_back(ours / bare);
    std::printf("posix_spawn loop %6.0f/s (%4.0f us of CPU each)   ballot-runner %6.0f/s (%4.0f us)   ratio %.2f\n",
                bare, (between - before) / count, ours, (after - between) / count, ours / bare);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("%d children, %d at a time: median ratio %.2f\n", count, at_a_time, ratios[ratios.size() / 2]);
}

}  // namespace
}  // namespace ballot::runner

int main(int argc, char** argv) {
  const auto number = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
  ballot::runner::run(number(1, 5), number(2, 1000), number(3, 16));
}
