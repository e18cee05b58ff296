// Other schedulers on the work of `burst`: a script each in tests/bench/peers, of which those run whose programs are
// installed. Each instant of one is beside a burst of the floor; ballot is measured the same way.
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "bench/benches.hpp"
#include "bench/burst.hpp"
#include "bench/machine.hpp"
#include "support/temp_folder.hpp"

namespace ballot::bench {
namespace {

struct Peer {
  const char* name;
  const char* script;
  std::chrono::seconds period;  // of its schedule
};

constexpr Peer peers[] = {{"cron", "cron.sh", std::chrono::seconds(60)},
                          {"Quartz, in memory", "quartz.sh", std::chrono::seconds(30)},
                          {"BullMQ, on Redis", "bullmq.sh", std::chrono::seconds(30)}};

constexpr int not_installed = 77;

class Beside {
 public:
  Beside(std::string name, std::string floor_file) : name_(std::move(name)), floor_file_(std::move(floor_file)) {}

  void add(const Launches& launches) {
    const Launches floor = floor_burst(floor_file_, static_cast<int>(launches.late.size()));
    rate_.add(floor.per_second(), launches.per_second());
    late_.add(quantile(floor.late, 0.5), quantile(launches.late, 0.5));
    last_.add(floor.late.back(), launches.late.back());
  }

  void report(Figures& figures) const {
    figures.add(rate_.figure(name_ + ": launches", "1/s", std::nullopt));
    figures.add(late_.figure(name_ + ": lateness p50", "ms", std::nullopt));
    figures.add(last_.figure(name_ + ": lateness of the last", "ms", std::nullopt));
  }

 private:
  const std::string name_, floor_file_;
  Pairs rate_, late_, last_;
};

/// Nothing is said of a peer that is not installed, but why.
void measure_peer(const Peer& peer, int jobs, int instants, Figures& figures) {
  const TempFolder folder;
  const std::string out = folder / "out", script = BALLOT_PEERS "/" + std::string(peer.script);
  const std::string command =
      script + " " + std::to_string(jobs) + " " BALLOT_STAMP " " + out + " " + std::to_string(instants) + " >&2";
  std::fprintf(stderr, "  %s: ", peer.name);
  const int status = std::system(command.c_str());
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_installed) return;
  if (status != 0) fail(script + " failed");
  std::fprintf(stderr, "has run\n");
  Beside beside(peer.name, folder / "floor");
  int whole = 0;
  for (const Launches& launches : launches_by_instant(out, peer.period)) {
    if (std::ssize(launches.late) != jobs) continue;  // it began or ended in the middle of it
    beside.add(launches);
    ++whole;
  }
  if (whole == 0) throw Disturbed(std::string(peer.name) + " launched all jobs of no instant");
  beside.report(figures);
}

}  // namespace

void measure_peers(const Scale& scale, Figures& figures) {
  const int jobs = scale.count(1000, 100);
  const int instants = scale.small ? 1 : 3;
  {
    Burst burst(jobs, std::chrono::seconds(10));
    Beside beside("ballot, claimed and recorded", burst.floor_file());
    for (int i = 0; i < scale.pairs; ++i)
      until_undisturbed([&] {
        const Launches launches = burst.next();
        sleep_until(wall_now() + Millis(2000));  // the daemon closes what ended
        beside.add(launches);
      });
    beside.report(figures);
  }
  for (const Peer& peer : peers) measure_peer(peer, jobs, instants, figures);
}

}  // namespace ballot::bench
