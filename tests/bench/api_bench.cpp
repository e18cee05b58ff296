// The API beside launches: what 1,000 hostile clients, or a scrape each second, do to them; and how long pages and
// metrics of 100,000 jobs take.
#include <fstream>
#include <memory>
#include <thread>

#include "bench/bench_daemon.hpp"
#include "bench/benches.hpp"
#include "bench/burst.hpp"
#include "bench/job_files.hpp"
#include "bench/machine.hpp"
#include "support/process/process_facts.hpp"
#include "support/process/run_program.hpp"
#include "support/servers/hostile_clients.hpp"
#include "support/servers/reserved_port.hpp"
#include "support/servers/web_client.hpp"

namespace ballot::bench {
namespace {

using testing::WebClient;

constexpr std::chrono::seconds second{1};

/// An address, and tokens of the role viewer: of the bench, and of those who mean no good.
struct Api {
  const testing::ReservedPort port;
  const TempFolder folder;
  std::string token, hostile_token;

  Api() {
    folder.write("tokens", new_token("bench", token) + new_token("hostile", hostile_token));
    ::chmod((folder / "tokens").c_str(), 0600);
  }
  /// Returns its line in the file of tokens.
  static std::string new_token(const std::string& name, std::string& token) {
    const testing::Ran made = testing::run_program({BALLOT_PROGRAM, "token", "new", name, "--role", "viewer"});
    const std::size_t end = made.out.find('\n');
    if (made.code != 0 || end == std::string::npos) fail("no token: " + made.err);
    token = made.out.substr(0, end);
    return made.out.substr(end + 1);
  }
  std::string configuration() const {
    return "[http]\nlisten = \"127.0.0.1:" + std::to_string(port.number()) + "\"\ntokens = \"" + (folder / "tokens") +
           "\"\n";
  }
  WebClient::Answer get(WebClient& client, const std::string& target) const {
    WebClient::Answer answer = client.ask("GET " + target, {"Authorization: Bearer " + token});
    if (answer.status != 200) throw Disturbed(target + ": " + std::to_string(answer.status) + " " + answer.body);
    return answer;
  }
};

/// GET /metrics each second, until its end.
class Scraper {
 public:
  explicit Scraper(const Api& api)
      : thread_([&api](const std::stop_token& stop) {
          for (WallTime next = wall_now(); !stop.stop_requested(); sleep_until(next += second)) {
            try {
              WebClient client(api.port.number());
              api.get(client, "/metrics");
            } catch (const std::runtime_error& error) {
              std::fprintf(stderr, "  a scrape failed: %s\n", error.what());
            }
          }
        }) {}

 private:
  std::jthread thread_;
};

/// Jobs that are due at their share of each second.
void add_jobs(const BenchDaemon& daemon, int jobs) {
  for (int i = 0; i < jobs; ++i)
    daemon.job("each-" + std::to_string(i),
               "schedule = \"* * * * * *\"\njitter = \"1s\"\ncommand = [\"" BALLOT_BARE_STAMP "\", \"" +
                   (daemon.folder / "out") + "\"]");
}

/// How late the runs of these seconds started, in ms. Disturbed where many slots have no run.
double p99_of(const BenchDaemon& daemon, WallTime from, int seconds, int jobs) {
  const std::vector<double> late = daemon.lateness(from, seconds);
  if (std::ssize(late) < std::int64_t{jobs} * seconds * 9 / 10)
    throw Disturbed(std::to_string(late.size()) + " of " + std::to_string(jobs * seconds) + " slots have run");
  return quantile(late, 0.99);
}

/// In turns: seconds as they are, and seconds beside `begin()`'s object.
template <class Begin>
Pairs in_turns(const BenchDaemon& daemon, const Scale& scale, int jobs, const Begin& begin) {
  const int seconds = scale.count(10, 2);
  std::vector<WallTime> alone, beside;
  const auto pass = [&](std::vector<WallTime>& into) {
    into.push_back(next_multiple(second, wall_now() + second));
    sleep_until(into.back() + (seconds + 1) * second);
  };
  for (int i = 0; i < scale.pairs; ++i) {
    pass(alone);
    const auto there = begin();
    pass(beside);
  }
  sleep_until(wall_now() + 3 * second);  // what began last ends and is recorded
  Pairs pairs;
  for (std::size_t i = 0; i < alone.size(); ++i)
    pairs.add(p99_of(daemon, alone[i], seconds, jobs), p99_of(daemon, beside[i], seconds, jobs));
  return pairs;
}

/// The times in ms of one who asks as he may, a few times a second.
class GoodClient {
 public:
  explicit GoodClient(const Api& api)
      : thread_([this, &api](const std::stop_token& stop) {
          for (; !stop.stop_requested(); sleep_until(wall_now() + Millis(200))) try {
              took_.push_back(1e3 * seconds_of([&] {
                                WebClient client(api.port.number());
                                api.get(client, "/api/v1/status");
                              }));
            } catch (const std::runtime_error&) {
              ++refused_;
            }
        }) {}
  /// Adds to both what became of it, and ends.
  void add_to(std::vector<double>& took, double& refused) {
    thread_ = {};
    took.insert(took.end(), took_.begin(), took_.end());
    refused += refused_;
  }

 private:
  std::vector<double> took_;
  int refused_ = 0;
  std::jthread thread_;
};

void beside_hostile_clients(const Scale& scale, Figures& figures) {
  const Api api;
  BenchDaemon daemon(Disk::real, api.configuration());
  const int jobs = scale.count(100, 10);
  const auto clients = static_cast<std::size_t>(scale.count(1'000, 100));
  add_jobs(daemon, jobs);
  daemon.start(-10);  // packaging/systemd/ballot.service
  sleep_until(wall_now() + 5 * second);
  std::ofstream("/proc/" + std::to_string(daemon.pid()) + "/clear_refs") << "5";  // the peak begins anew
  const double rest = resident_megabytes(daemon.pid());
  std::vector<double> answered;
  double refused = 0;
  const Pairs late = in_turns(daemon, scale, jobs, [&] {
    struct There {
      testing::HostileClients clients;
      GoodClient good;
      std::vector<double>& answered;
      double& refused;
      ~There() { good.add_to(answered, refused); }
    };
    return std::unique_ptr<There>(
        new There{{api.port.number(), clients, api.hostile_token}, GoodClient(api), answered, refused});
  });
  if (answered.empty()) throw Disturbed("no other client was answered");
  const std::string name = "beside " + std::to_string(clients) + " hostile clients: ";
  figures.add(late.figure(name + "lateness p99", "ms", at_most_of_floor(1.15)));
  figures.add({.name = name + "another client's answer, p50", .unit = "ms", .value = quantile(answered, 0.5)});
  figures.add({.name = name + "another client's answer, most", .unit = "ms", .value = quantile(answered, 1.0)});
  figures.add(
      {.name = name + "another client's questions not answered", .unit = "", .value = refused, .target = at_most(0)});
  const double peak = static_cast<double>(testing::peak_kib_of(daemon.pid())) / 1024;
  figures.add({.name = name + "memory over rest", .unit = "MB", .value = peak - rest, .target = at_most(160)});
}

void beside_a_scraper(const Scale& scale, Figures& figures) {
  const Api api;
  const int jobs = scale.count(1'000, 50);
  {
    Burst burst(jobs, std::chrono::seconds(scale.count(10, 5)), api.configuration());
    Pairs rate, late;
    const auto take_pair = [&] {
      const Launches alone = burst.next();
      const Scraper there(api);
      const Launches beside = burst.next();
      rate.add(alone.per_second(), beside.per_second());
      late.add(quantile(alone.late, 0.5), quantile(beside.late, 0.5));
    };
    for (int i = 0; i < scale.pairs; ++i) until_undisturbed(take_pair);
    const std::string name = "burst of " + std::to_string(jobs) + " beside a scrape each second: ";
    figures.add(rate.figure(name + "launches", "1/s", at_least_of_floor(0.95)));
    figures.add(late.figure(name + "lateness p50", "ms", at_most_of_floor(1.05)));
  }
  BenchDaemon daemon(Disk::real, api.configuration());
  add_jobs(daemon, jobs);
  daemon.start(-10);  // packaging/systemd/ballot.service
  sleep_until(wall_now() + 5 * second);
  const Pairs late = in_turns(daemon, scale, jobs, [&] { return std::make_unique<Scraper>(api); });
  figures.add(late.figure(std::to_string(jobs) + " runs a second beside a scrape each second: lateness p99", "ms",
                          at_most_of_floor(1.15)));
}

void of_many_jobs(const Scale& scale, Figures& figures) {
  const Api api;
  const int jobs = scale.count(100'000, 2'000);
  BenchDaemon daemon(Disk::in_memory, api.configuration());
  write_job_files(daemon.jobs_dir(), jobs);
  daemon.start();
  daemon.wait_until_quiet();
  WebClient client(api.port.number());
  std::vector<double> pages;
  constexpr int page_size = 100;
  for (int i = 0; i < scale.count(100, 10); ++i) {
    const std::string after = job_name(static_cast<int>(std::int64_t{jobs} * i / scale.count(100, 10)));
    pages.push_back(1e3 * seconds_of([&] {
                      api.get(client, "/api/v1/jobs?limit=" + std::to_string(page_size) + "&after=" + after);
                    }));
    sleep_until(wall_now() + Millis(50));  // so often at the most may one ask
  }
  const std::string of = " of " + std::to_string(jobs) + " jobs";
  figures.add({.name = "a page" + of + ", p50", .unit = "ms", .value = quantile(pages, 0.5), .target = at_most(50)});
  figures.add({.name = "a page" + of + ", most", .unit = "ms", .value = quantile(pages, 1.0)});
  sleep_until(wall_now() + 8 * second);  // caches have been given back
  const double rest = resident_megabytes(daemon.pid());
  std::ofstream("/proc/" + std::to_string(daemon.pid()) + "/clear_refs") << "5";
  std::vector<double> scrapes;
  for (int i = 0; i < scale.pairs; ++i) scrapes.push_back(seconds_of([&] { api.get(client, "/metrics"); }));
  figures.add({.name = "/metrics" + of + ", most", .unit = "s", .value = quantile(scrapes, 1.0), .target = at_most(1)});
  const double peak = static_cast<double>(testing::peak_kib_of(daemon.pid())) / 1024;
  figures.add({.name = "/metrics" + of + ", memory", .unit = "MB", .value = peak - rest, .target = at_most(64)});
}

}  // namespace

void measure_api(const Scale& scale, Figures& figures) {
  until_undisturbed([&] { beside_hostile_clients(scale, figures); });
  until_undisturbed([&] { beside_a_scraper(scale, figures); });
  until_undisturbed([&] { of_many_jobs(scale, figures); });
}

}  // namespace ballot::bench
