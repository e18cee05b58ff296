// What a host asks of its runtime while it runs: pauses, kills, jobs, outputs; and how it is told what is wrong.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "unit/library/embedding_host.hpp"

namespace ballot {
namespace {

class Calls : public EmbeddingHost {
 protected:
  std::string why(Runtime& runtime, const JobSpec& job) {
    const auto added = runtime.add(job);
    return added ? "added" : added.error().what;
  }
  static std::optional<JobInfo> job(const Runtime& runtime, const std::string& name) {
    const auto all = runtime.jobs();
    EXPECT_TRUE(all) << all.error().what;
    for (const JobInfo& one : *all)
      if (one.name == name) return one;
    return std::nullopt;
  }
};

TEST_F(Calls, AJobIsPausedAndResumedByNameAndByGroup) {
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add({.name = "each-minute", .schedule = {"* * * * *"}, .function = just_works}));
  ASSERT_TRUE(runtime.add({.name = "by-hand", .group = "other", .function = just_works}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(leads(runtime));
  ASSERT_TRUE(wait_until([&] { return job(runtime, "each-minute")->state == "active"; }));
  EXPECT_EQ(job(runtime, "each-minute")->leader, "n1");
  EXPECT_TRUE(job(runtime, "each-minute")->next);
  EXPECT_FALSE(job(runtime, "by-hand")->next);
  ASSERT_TRUE(runtime.pause("each-minute"));
  EXPECT_EQ(job(runtime, "each-minute")->state, "paused");
  EXPECT_EQ(job(runtime, "each-minute")->paused_by, "n1 by its program");
  EXPECT_TRUE(job(runtime, "each-minute")->paused_at);
  ASSERT_TRUE(runtime.resume("each-minute"));
  EXPECT_EQ(job(runtime, "each-minute")->state, "active");
  ASSERT_TRUE(runtime.pause_group("default"));
  EXPECT_EQ(job(runtime, "each-minute")->state, "paused");
  ASSERT_TRUE(runtime.resume_group("default"));
  EXPECT_EQ(job(runtime, "each-minute")->state, "active");
  EXPECT_EQ(runtime.pause("nosuch").error().code, Errc::not_found);
  EXPECT_EQ(runtime.pause("no such").error().code, Errc::not_found);
  EXPECT_EQ(runtime.pause_group("nosuch").error().code, Errc::not_found);
  EXPECT_TRUE(runtime.stop());
  EXPECT_EQ(runtime.jobs().error().code, Errc::unavailable);
}

TEST_F(Calls, APauseHasAnEndAndAReason) {
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add({.name = "job", .schedule = {"* * * * *"}, .function = just_works}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(leads(runtime));
  const WallTime ends = std::chrono::floor<Millis>(std::chrono::system_clock::now()) + std::chrono::hours(2);
  ASSERT_TRUE(runtime.pause("job", PauseTerms{ends, "disks"}));
  EXPECT_EQ(job(runtime, "job")->paused_until, ends);
  EXPECT_EQ(job(runtime, "job")->pause_reason, "disks");
  ASSERT_TRUE(runtime.pause_group("default", PauseTerms{{}, "all disks"}));
  EXPECT_EQ(runtime.pause("job", PauseTerms{ends - std::chrono::hours(3), ""}).error().code, Errc::invalid);
  EXPECT_TRUE(runtime.stop());
}

/// Also of before the job was there.
TEST_F(Calls, PastSlotsAreRunOldestFirst) {
  Runtime runtime(settings());
  std::vector<WallTime> slots;  // of one run after the other
  const auto note = [&](const RunFacts& run, std::stop_token) {
    EXPECT_EQ(run.trigger, Trigger::backfill);
    slots.push_back(run.slot);
    return JobResult::success();
  };
  ASSERT_TRUE(runtime.add({.name = "job", .schedule = {"0 0 * * *"}, .function = note}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(leads(runtime));
  const WallTime now = std::chrono::floor<Millis>(std::chrono::system_clock::now());
  const BackfillQuery three{.since = now - std::chrono::days(3)};
  Result<std::string> done = std::string();
  ASSERT_TRUE(wait_until([&] { return static_cast<bool>(done = runtime.backfill("job", three)); }))
      << done.error().what;
  EXPECT_EQ(done->find("backfill of 3 slots up to "), 0u) << *done;
  EXPECT_TRUE(wait_until([&] {
    const auto rows = runtime.history({.jobs = {"job"}, .statuses = {Status::succeeded}});
    return rows && rows->size() == 3;
  }));
  EXPECT_TRUE(runtime.stop_backfill("job"));
  EXPECT_EQ(runtime.backfill("none", three).error().code, Errc::not_found);
  EXPECT_EQ(runtime.backfill("job", {.since = now + std::chrono::hours(1)}).error().code, Errc::invalid);
  EXPECT_TRUE(runtime.stop());
  EXPECT_EQ(slots.size(), 3u);
  EXPECT_TRUE(std::is_sorted(slots.begin(), slots.end()));
}

TEST_F(Calls, AFunctionIsReadAsItPrintsAndEndsAtItsKill) {
  std::latch printed(1);
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add({.name = "job", .function = [&](const RunFacts& run, std::stop_token stop) {
                             run.print("part 1\n");
                             printed.count_down();
                             hang_until_stopped(run, stop);
                             run.print("part 2\n");
                             return JobResult::success("and the end");
                           }}));
  ASSERT_TRUE(runtime.start());
  const auto run = runtime.trigger("job");
  ASSERT_TRUE(run) << run.error().what;
  printed.wait();
  const auto so_far = runtime.output(*run);
  ASSERT_TRUE(so_far) << so_far.error().what;
  EXPECT_EQ(so_far->head, "part 1\n");
  EXPECT_EQ(so_far->total_bytes, 7);
  ASSERT_TRUE(runtime.kill(*run));
  ASSERT_TRUE(wait_until([&] { return is_final(runtime.history({.run = *run})->at(0).status); }));
  const Row row = runtime.history({.run = *run})->at(0);
  EXPECT_EQ(row.status, Status::killed);
  EXPECT_EQ(row.ended_by, "n1 by its program");
  const auto all = runtime.output(row);
  ASSERT_TRUE(all) << all.error().what;
  EXPECT_EQ(all->head + all->tail, "part 1\npart 2\nand the end");
  EXPECT_EQ(runtime.kill(*run).error().code, Errc::not_found);
  EXPECT_EQ(runtime.output(Row())->total_bytes, 0) << "a slot without a run";
}

TEST_F(Calls, WhatAFunctionPrintsIsShownToWhoAsksTheControlSocket) {
  std::latch printed(1);
  RuntimeSettings own = settings();
  own.control_socket = folder_ / "sock";
  Runtime runtime(own);
  ASSERT_TRUE(runtime.add({.name = "job", .function = [&](const RunFacts& run, std::stop_token stop) {
                             run.print("part 1\n");
                             printed.count_down();
                             return hang_until_stopped(run, stop);
                           }}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(runtime.trigger("job"));
  printed.wait();
  const std::string config = folder_.write("ballot.toml", "node = \"n1\"\nstate_dir = \"" + folder_ / "state" +
                                                              "\"\nrun_dir = \"" + folder_ / "state/run" +
                                                              "\"\n[control]\nsocket = \"" + folder_ / "sock" + "\"\n");
  const auto shown = testing::run_program({BALLOT_PROGRAM, "output", "job", "--config", config});
  EXPECT_EQ(shown.out, "part 1\n") << shown.err;
  EXPECT_TRUE(runtime.stop());
}

TEST_F(Calls, AnErrorOfAJobNamesTheFieldOrTheLineOfItsKeys) {
  Runtime runtime(settings());
  const auto error = [&](const JobSpec& job) { return why(runtime, job); };
  const std::string job = "job x of this program, ";
  EXPECT_EQ(error({.name = "x", .function = just_works, .retries = -1}).find(job + "retries: error: "), 0u)
      << error({.name = "x", .function = just_works, .retries = -1});
  EXPECT_EQ(error({.name = "x", .function = just_works, .deadline = Millis(-5)}).find(job + "deadline: error: "), 0u);
  EXPECT_EQ(error({.name = "x", .function = just_works, .timezone = "Europe/Nowhere"}).find(job + "timezone: "), 0u);
  EXPECT_EQ(error({.name = "x", .schedule = {"61 * * * *"}, .function = just_works}).find(job + "schedule: "), 0u);
  EXPECT_EQ(error({.name = "a b", .function = just_works}).find("job a b of this program, name: "), 0u);
  EXPECT_EQ(error({.name = "x", .function = just_works, .keys = "nice = 1\nretrys = 1"}).find(job + "keys, line "), 0u);
  const std::string unknown = error({.name = "x", .function = just_works, .keys = "\nretrys = 1"});
  EXPECT_EQ(unknown,
            job + "keys, line 2: error: unknown key 'retrys'; did you mean 'retries'? docs/jobs.md has all keys");
  EXPECT_EQ(
      error({.name = "x", .function = just_works, .retries = 1, .keys = "retries = 2"}).find(job + "keys, line 1"), 0u);
  EXPECT_EQ(runtime.add_group("g", "on_promote = 7").error().what.find("group g of this program, keys, line 1"), 0u);
}

TEST_F(Calls, TheUsualKeysAreFields) {
  Runtime runtime(settings());
  const auto added = runtime.add({.name = "x",
                                  .schedule = {"0 6 * * *"},
                                  .function = just_works,
                                  .description = "a 'report'",
                                  .timezone = "Asia/Kolkata",
                                  .enabled = true,
                                  .run_on = RunOn::leader,
                                  .concurrency = Concurrency::queue,
                                  .jitter = Millis(0),
                                  .start_deadline = Millis(90'000),
                                  .deadline = Millis(1500),
                                  .retries = 2,
                                  .retry_delay = Millis(10),
                                  .misfire = Misfire::all,
                                  .guarantee = Guarantee::at_least_once,
                                  .on_leadership_lost = OnLeadershipLost::finish,
                                  .keys = "queue_limit = 3"});
  ASSERT_TRUE(added) << added.error().what;
  ASSERT_TRUE(runtime.add({.name = "off", .schedule = {"* * * * *"}, .function = just_works, .enabled = false}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(wait_until([&] { return job(runtime, "x") && job(runtime, "x")->next; }));
  const auto next = std::chrono::floor<std::chrono::minutes>(job(runtime, "x")->next->time_since_epoch());
  EXPECT_EQ(next % std::chrono::hours(24), std::chrono::minutes(30)) << "6:00 in India";
  EXPECT_EQ(job(runtime, "off")->state, "disabled");
  const auto slots = runtime.next_slots("x", 3);
  ASSERT_TRUE(slots) << slots.error().what;
  ASSERT_EQ(slots->size(), 3u);
  EXPECT_EQ(slots->at(0), *job(runtime, "x")->next);
  EXPECT_EQ(slots->at(2) - slots->at(0), Millis(std::chrono::hours(48)));
  EXPECT_TRUE(runtime.next_slots("off")->empty());
  EXPECT_EQ(runtime.next_slots("nosuch").error().code, Errc::not_found);
}

/// What is answered to a GET on a socket; "": nobody listens there.
std::string got(const std::string& socket, const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  socket.copy(at.sun_path, sizeof(at.sun_path) - 1);
  std::string all;
  const std::string asked = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof(at)) == 0 &&
      ::send(fd, asked.data(), asked.size(), MSG_NOSIGNAL) > 0) {
    char bytes[4096];
    for (ssize_t n = 0; (n = ::recv(fd, bytes, sizeof(bytes), 0)) > 0;) all.append(bytes, static_cast<std::size_t>(n));
  }
  ::close(fd);
  return all;
}

TEST_F(Calls, ARuntimeIsReachedOverHttpWhereItsSettingsSaySo) {
  RuntimeSettings reached = settings();
  reached.http.listen = folder_ / "api.sock";
  Runtime runtime(reached);
  const auto started = runtime.start();
  ASSERT_TRUE(started) << started.error().what;
  EXPECT_EQ(got(folder_ / "api.sock", "/healthz").find("HTTP/1.1 200"), 0u) << got(folder_ / "api.sock", "/healthz");
  EXPECT_TRUE(runtime.stop());
  EXPECT_EQ(got(folder_ / "api.sock", "/healthz"), "");
  RuntimeSettings open = settings();
  open.http.listen = "0.0.0.0:8780";
  const std::string refused = Runtime(open).start().error().what;
  EXPECT_EQ(refused.find("http.listen = '0.0.0.0:8780' lets other machines connect"), 0u) << refused;
  RuntimeSettings bare = settings();
  bare.http.tokens = "tokens";
  EXPECT_EQ(Runtime(bare).start().error().what, "http.tokens must be an absolute path, not 'tokens'");
}

TEST_F(Calls, AnErrorOfStartNamesTheSetting) {
  RuntimeSettings odd = settings();
  odd.backend = "etcd";
  odd.options = {{"endpoints", std::vector<std::string>{"127.0.0.1:1"}}};
  const std::string unnamed = Runtime(odd).start().error().what;
  EXPECT_NE(unnamed.find("name_space: backend 'etcd' has no default"), std::string::npos) << unnamed;
  EXPECT_EQ(unnamed.find("[coordination]"), std::string::npos) << unnamed;
  RuntimeSettings option = settings();
  option.options = {{"pth", std::string("/tmp")}};
  const std::string unknown = Runtime(option).start().error().what;
  EXPECT_EQ(unknown.find("options: [local] "), 0u) << unknown;
  RuntimeSettings place = settings();
  place.state_dir = "/dev/null/state";
  const std::string unmade = Runtime(place).start().error().what;
  EXPECT_NE(unmade.find("state_dir"), std::string::npos) << unmade;
  RuntimeSettings first = settings(), second = settings();
  second.run_dir = folder_ / "run2";
  Runtime one(first), two(second);
  ASSERT_TRUE(one.start());
  const std::string taken = two.start().error().what;
  EXPECT_NE(taken.find("give this one a state_dir of its own"), std::string::npos) << taken;
}

}  // namespace
}  // namespace ballot
