#include <atomic>
#include <thread>

#include "bench/bench_daemon.hpp"
#include "bench/benches.hpp"
#include "bench/job_files.hpp"
#include "bench/machine.hpp"
#include "io/control_client.hpp"

namespace ballot::bench {
namespace {

constexpr Millis patience{30'000};

io::Message question(const std::string& what) {
  io::Message message;
  message.set("do", what);
  return message;
}

/// Reads the whole answer, however many lines it has.
void ask(const std::string& socket, const io::Message& message) {
  auto client = io::ControlClient::ask(socket, message, patience);
  if (!client) fail(client.error().what);
  for (auto line = client->next(patience);; line = client->next(patience)) {
    if (!line) fail(line.error().what);
    if (!*line) return;
  }
}

/// The longest that a small question waited for its answer meanwhile: the loop answers it as soon as it can.
double longest_wait_ms(const std::string& socket, const std::function<void()>& meanwhile) {
  std::atomic<bool> goes_on = true;
  double longest = 0;
  std::thread asker([&] {
    const io::Message small = question("waiting");
    do longest = std::max(longest, seconds_of([&] { ask(socket, small); }) * 1e3);
    while (goes_on);
  });
  meanwhile();
  goes_on = false;
  asker.join();
  return longest;
}

}  // namespace

void measure_answers(const Scale& scale, Figures& figures) {
  const int jobs = scale.count(10'000, 500);
  BenchDaemon daemon(Disk::in_memory);
  write_job_files(daemon.jobs_dir(), jobs);
  daemon.start();
  daemon.wait_until_quiet();
  const std::string socket = daemon.folder / "run/ballot.sock";
  for (const char* const what : {"jobs", "status"}) {
    Pairs pairs;
    for (int i = 0; i < 4 * scale.pairs; ++i) {
      double taken = 0;
      const double value = longest_wait_ms(socket, [&] { taken = seconds_of([&] { ask(socket, question(what)); }); });
      const double floor = longest_wait_ms(
          socket, [&] { sleep_until(wall_now() + std::chrono::ceil<Millis>(std::chrono::duration<double>(taken))); });
      pairs.add(floor, value);
    }
    figures.add(pairs.figure(std::string("`ballot ") + what + "` of " + std::to_string(jobs) + " jobs: longest wait",
                             "ms", at_most(5)));
  }
}

}  // namespace ballot::bench
