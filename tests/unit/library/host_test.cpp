// What `ballot serve` has of the library and other hosts may have too: people who ask it by its control socket, the
// session's file, a stop that nobody waits for, its end, a reload, its status.
#include "embedding_host.hpp"
#include "library/session_lock.hpp"

namespace ballot {
namespace {

TEST_F(EmbeddingHost, WithAControlSocketAnswersWhatADaemonIsAsked) {
  RuntimeSettings with_socket = settings();
  with_socket.control_socket = folder_ / "host.sock";
  const std::string config =
      folder_.write("ballot.toml", "state_dir = \"" + (folder_ / "state") + "\"\n[control]\nsocket = \"" +
                                       (folder_ / "host.sock") + "\"\n");
  const auto ballot = [&](std::vector<std::string> words) {
    words.insert(words.begin(), BALLOT_PROGRAM);
    words.insert(words.end(), {"--config", config});
    return testing::run_program(words);
  };
  Runtime runtime(with_socket);
  ASSERT_TRUE(runtime.add({.name = "job", .function = just_works}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(leads(runtime));
  const auto status = ballot({"status"});
  EXPECT_EQ(status.code, 0) << status.out << status.err;
  EXPECT_NE(status.out.find("n1"), std::string::npos) << status.out;
  const auto never_ran = ballot({"why", "job"});
  EXPECT_EQ(never_ran.code, 0) << never_ran.err;
  EXPECT_NE(never_ran.out.find("It has no schedule"), std::string::npos) << never_ran.out;
  const auto triggered = ballot({"trigger", "job", "--wait"});
  EXPECT_EQ(triggered.code, 0) << triggered.err;
  const auto why = ballot({"why", "job"});
  EXPECT_EQ(why.out.find("success_codes"), std::string::npos) << why.out;
  const auto shown = ballot({"show", "job"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("the program that embeds ballot defines it"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("default, led by n1"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("succeeded"), std::string::npos) << shown.out;
  EXPECT_EQ(ballot({"show", "other"}).code, ballot({"why", "other"}).code);
  EXPECT_NE(ballot({"why", "other"}).err.find("no job 'other'"), std::string::npos);
  EXPECT_TRUE(runtime.stop());
  EXPECT_FALSE(std::filesystem::exists(with_socket.control_socket));
}

TEST_F(EmbeddingHost, WithoutAControlSocketListensNowhere) {
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.start());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "state/run/ballot.sock"));
}

TEST_F(EmbeddingHost, IsToldOfItsControlSocketInItsOwnWords) {
  RuntimeSettings odd = settings();
  odd.control_socket = "host.sock";
  EXPECT_EQ(Runtime(odd).start().error().what, "control_socket must be an absolute path, not 'host.sock'");
  odd.control_socket = "/" + std::string(200, 'x');
  EXPECT_NE(Runtime(odd).start().error().what.find("control_socket must have at most 107 bytes"), std::string::npos);
  odd.control_socket = folder_ / "no/such/folder/host.sock";
  Runtime nowhere(odd);
  const auto started = nowhere.start();
  EXPECT_NE(started.error().what.find("control_socket"), std::string::npos) << started.error().what;
  EXPECT_EQ(started.error().what.find("[control]"), std::string::npos) << started.error().what;
  std::filesystem::create_directories(folder_ / "no/such/folder");
  EXPECT_TRUE(nowhere.start()) << "after an error it may be started again";
}

TEST_F(EmbeddingHost, IsToldWhatIsWrongByTheNamesOfItsSettings) {
  const auto refused = [](const RuntimeSettings& odd) {
    const auto started = Runtime(odd).start();
    return started ? std::string("started") : started.error().what;
  };
  RuntimeSettings odd = settings();
  odd.node = "a/b";
  EXPECT_TRUE(refused(odd).starts_with("node: 'a/b' is not a valid node name")) << refused(odd);
  odd = settings();
  odd.name_space = "a/b";
  EXPECT_TRUE(refused(odd).starts_with("name_space: 'a/b' is not a valid namespace")) << refused(odd);
  odd = settings();
  odd.backend = "no such";
  EXPECT_NE(refused(odd).find("backend: "), std::string::npos) << refused(odd);
  EXPECT_EQ(refused(odd).find("BALLOT_"), std::string::npos) << refused(odd);
  odd = settings();
  odd.options = {{"nosuch", std::string("x")}};
  EXPECT_TRUE(refused(odd).starts_with("options: [local] unknown key 'nosuch'")) << refused(odd);
  odd = settings();
  odd.plugin_dir = folder_ / "none";
  EXPECT_TRUE(refused(odd).starts_with("backend 'local' cannot be used: there is no plugin folder ")) << refused(odd);
}

TEST_F(EmbeddingHost, WithoutARunnerIsToldWhichHookOfItsFileNeedsOne) {
  RuntimeSettings odd = settings();
  odd.file =
      folder_.write("ballot.toml", "[group.quiet]\nmax_running = 1\n[group.loud]\non_demote = [\"/bin/true\"]\n");
  const auto started = Runtime(odd).start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::invalid);
  EXPECT_EQ(started.error().what,
            odd.file + ":3: [group.loud] on_demote needs the runner, which commands = false does without");
  odd.commands = true;
  EXPECT_TRUE(Runtime(odd).start());
}

TEST_F(EmbeddingHost, OfWhichAnotherHasTheControlSocketIsNotStarted) {
  RuntimeSettings one = settings(), other = settings();
  one.control_socket = other.control_socket = folder_ / "host.sock";
  other.node = "n2";
  other.state_dir = folder_ / "other";
  Runtime first(one), second(other);
  ASSERT_TRUE(first.start());
  const auto started = second.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::conflict);
  EXPECT_TRUE(first.stop());
  EXPECT_TRUE(second.start());
}

TEST_F(EmbeddingHost, WithoutARunnerHasNobodyToHandOver) {
  RuntimeSettings odd = settings();
  odd.handover_program = BALLOT_PROGRAM;
  EXPECT_NE(Runtime(odd).start().error().what.find("handover_program needs the runner"), std::string::npos);
}

TEST_F(EmbeddingHost, KeepsItsSessionForWhoeverResignsForIt) {
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add_group("g"));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(leads(runtime, "g"));
  struct stat found {};
  ASSERT_EQ(::stat((folder_ / "state/run/session").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  EXPECT_TRUE(runtime.stop());
  EXPECT_FALSE(has_session()) << "nothing is left to be resigned";
}

/// `ballot resign` still works for the process before when it starts: what it has taken is its own once that is done.
TEST_F(EmbeddingHost, KeepsItsSessionOnceNobodyResignsForTheOneBefore) {
  std::filesystem::create_directories(folder_ / "state/run");
  library::SessionLock resign(folder_ / "state/run/session.lock"), other(folder_ / "state/run/session.lock");
  ASSERT_EQ(resign.take("resign"), library::SessionLock::Taken::yes);
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add_group("g"));
  const auto started = runtime.start();
  ASSERT_TRUE(started) << started.error().what;
  ASSERT_TRUE(leads(runtime, "g"));
  ASSERT_TRUE(wait_until([&] { return says("a crash is not handed over at once"); }));
  EXPECT_FALSE(has_session());
  resign.release();
  EXPECT_TRUE(wait_until([&] { return has_session(); }));
  EXPECT_EQ(other.take("resign"), library::SessionLock::Taken::in_use);
  EXPECT_TRUE(runtime.stop());
  EXPECT_FALSE(has_session());
}

/// start() has returned as soon as its opening was asked for.
TEST_F(EmbeddingHost, ThatIsStoppedWhileItsSessionOpensLeavesNoFileOfIt) {
  for (int i = 0; i < 10; ++i) {
    Runtime runtime(settings());
    ASSERT_TRUE(runtime.add_group("g"));
    ASSERT_TRUE(runtime.start());
    ASSERT_TRUE(runtime.stop());
    EXPECT_FALSE(has_session());
  }
}

TEST_F(EmbeddingHost, ThatHasNoSessionLeavesNoFileOfItEither) {
  std::filesystem::create_directories(folder_ / "state/local/ballot");
  folder_.write("state/local/ballot/registers.db", "no database");
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add_group("g"));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(wait_until([&] { return has_session(); })) << "ends of runs may have to be published";
  ASSERT_TRUE(runtime.stop());
  EXPECT_FALSE(has_session());
}

TEST_F(EmbeddingHost, IsStoppedByAnotherThreadAndSaysThatItHasEnded) {
  Runtime runtime(settings());
  listen(runtime);
  ASSERT_TRUE(runtime.add_group("g"));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(leads(runtime, "g"));
  std::thread([&] { runtime.request_stop(); }).join();
  EXPECT_TRUE(wait_until([&] { return ended() == "well"; })) << "nobody waits for it";
  EXPECT_TRUE(runtime.stop());
}

TEST_F(EmbeddingHost, MayBeStoppedByItsOwnFunctions) {
  Runtime runtime(settings());
  listen(runtime);
  const auto stops = [&](const RunFacts&, std::stop_token) { return runtime.request_stop(), JobResult::success(); };
  ASSERT_TRUE(runtime.add({.name = "job", .function = stops}));
  ASSERT_TRUE(runtime.start());
  static_cast<void>(runtime.trigger("job"));
  EXPECT_TRUE(wait_until([&] { return ended() == "well"; })) << ended();
}

TEST_F(EmbeddingHost, ThatIsAskedToStopTwiceDoesNotWaitForRuns) {
  Runtime runtime(settings());
  listen(runtime);
  ASSERT_TRUE(runtime.add({.name = "job", .function = hang_until_stopped}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(runtime.trigger("job"));
  runtime.request_stop({.wait = 1h});
  ASSERT_TRUE(wait_until([&] { return says("stopping"); }));
  EXPECT_EQ(ended(), "");
  runtime.request_stop({.wait = 1h});
  EXPECT_TRUE(wait_until([&] { return ended() == "well"; })) << ended();
  EXPECT_TRUE(says("stopping at once"));
}

TEST_F(EmbeddingHost, ThatIsAskedToStopIsWaitedForWithABound) {
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add({.name = "job", .function = hang_until_stopped}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(runtime.trigger("job"));
  runtime.request_stop({.wait = 1h});
  const auto stopped = runtime.stop({.wait = 0ms, .bound = 10s});
  EXPECT_TRUE(stopped) << stopped.error().what;
}

/// It waits for the function within its bound, and says that it has not returned; else it would leave itself behind.
TEST_F(EmbeddingHost, ThatIsAskedToStopWhileItStopsKeepsTheBoundOfThatStop) {
  const auto begun = std::make_shared<std::latch>(1), go = std::make_shared<std::latch>(1);
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add({.name = "job", .function = [=](const RunFacts&, std::stop_token) {
                             return begun->count_down(), go->wait(), JobResult::success();
                           }}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(runtime.trigger("job"));
  begun->wait();
  std::thread asks([&] {
    wait_until([&] { return says("stopping"); });
    runtime.request_stop({.bound = 1h});
  });
  const auto stopped = runtime.stop({.bound = 2s});
  asks.join();
  go->count_down();
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().what.find("functions had not returned"), std::string::npos) << stopped.error().what;
}

TEST_F(EmbeddingHost, ThatIsAskedToStopBeforeItHasStartedDoesNotStart) {
  Runtime runtime(settings());
  runtime.request_stop();
  EXPECT_EQ(runtime.start().error().code, Errc::invalid);
  EXPECT_TRUE(runtime.stop());
}

TEST_F(EmbeddingHost, ThatIsAskedToStopWhileItStartsStops) {
  for (int i = 0; i < 10; ++i) {
    Runtime runtime(settings());
    std::thread asks([&] {
      wait_until([&] { return std::filesystem::exists(folder_ / "state/run/session.lock"); });  // start() makes it
      runtime.request_stop();
    });
    const auto started = runtime.start();
    asks.join();
    EXPECT_TRUE(started) << started.error().what;
    const auto stopped = runtime.stop();
    EXPECT_TRUE(stopped) << stopped.error().what;
    EXPECT_EQ(runtime.ping().error().code, Errc::unavailable);
    std::filesystem::remove(folder_ / "state/run/session.lock");
  }
}

/// While it starts, as its log does not return.
class SlowStart : public EmbeddingHost {
 protected:
  RuntimeSettings settings() {
    RuntimeSettings settings = EmbeddingHost::settings();
    settings.log = [this, says = settings.log](Level level, std::string_view text, const LogFields& fields) {
      says(level, text, fields);
      if (text.find("serves") != std::string_view::npos) begun_.count_down(), go_.wait();
    };
    return settings;
  }

  std::latch begun_{1}, go_{1};
};

TEST_F(SlowStart, IsNotWaitedForByAStopBeyondItsBound) {
  Runtime runtime(settings());
  listen(runtime);
  std::thread starts([&] { EXPECT_TRUE(runtime.start()); });
  begun_.wait();
  const auto stopped = runtime.stop({.bound = 50ms});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::timeout);
  go_.count_down();
  starts.join();
  EXPECT_TRUE(wait_until([&] { return ended() == "well"; })) << "it stops once it has started";
  EXPECT_TRUE(runtime.stop());
}

TEST_F(SlowStart, ThatIsAskedTwiceToStopLeavesIfTheFirstOneSaidSo) {
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add_group("g"));
  std::thread starts([&] { EXPECT_TRUE(runtime.start()); });
  begun_.wait();
  runtime.request_stop({.leave = true});
  runtime.request_stop();
  go_.count_down();
  starts.join();
  EXPECT_TRUE(runtime.stop());
  EXPECT_TRUE(has_session()) << "a clean stop would have removed it";
}

TEST_F(EmbeddingHost, ThatLeavesKeepsItsTermsForTheNextStart) {
  std::uint64_t epoch = 0;
  {
    Runtime runtime(settings(true));
    ASSERT_TRUE(runtime.add_group("g"));
    ASSERT_TRUE(runtime.start());
    ASSERT_TRUE(leads(runtime, "g"));
    epoch = runtime.leadership("g")->epoch;
    runtime.request_stop({.leave = true});
    const auto stopped = runtime.stop();
    EXPECT_TRUE(stopped) << stopped.error().what;
    EXPECT_TRUE(has_session()) << "for whoever resigns once the deadline is past";
  }
  Runtime next(settings(true));
  ASSERT_TRUE(next.add_group("g"));
  ASSERT_TRUE(next.start());
  ASSERT_TRUE(leads(next, "g"));
  EXPECT_EQ(next.leadership("g")->epoch, epoch) << "the same term goes on";
  EXPECT_TRUE(next.stop());
}

TEST_F(EmbeddingHost, ThatIsRefusedSaysThatItHasEndedAndWhy) {
  RuntimeSettings one = settings(), other = settings();
  one.options = other.options = {{"path", folder_ / "store"}};
  other.state_dir = folder_ / "other";
  Runtime first(one), second(other);
  listen(second);
  std::string refused;
  second.on_refused([&](const Error& error) { refused = error.what; });
  ASSERT_TRUE(first.add_group("g"));
  ASSERT_TRUE(second.add_group("g"));
  ASSERT_TRUE(first.start());
  ASSERT_TRUE(leads(first, "g"));
  ASSERT_TRUE(second.start());
  ASSERT_TRUE(wait_until([&] { return !ended().empty(); }));
  const auto stopped = second.stop();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::conflict);
  EXPECT_EQ(ended(), stopped.error().what);
  EXPECT_EQ(refused, stopped.error().what);
  EXPECT_TRUE(first.stop());
}

/// A folder that its group may write is not read; that it may not any more is no change of it.
TEST_F(EmbeddingHost, ReadsItsJobFilesAgainWhenItIsAskedTo) {
  std::filesystem::create_directories(folder_ / "above/jobs.d");
  folder_.write("above/jobs.d/a.toml", "[job.a]\nfunction = \"works\"\n");
  RuntimeSettings with_files = settings();
  with_files.jobs_dir = folder_ / "above/jobs.d";
  Runtime runtime(with_files);
  ASSERT_TRUE(runtime.add_function("works", just_works));
  EXPECT_EQ(runtime.reload("nobody").error().code, Errc::unavailable) << "start() reads them";
  ASSERT_TRUE(runtime.start());
  ::chmod((folder_ / "above").c_str(), 0777);
  folder_.write("above/jobs.d/b.toml", "[job.b]\nfunction = \"works\"\n");
  ASSERT_TRUE(wait_until([&] { return says("above"); }));
  EXPECT_EQ(runtime.status()->jobs, 1);
  ::chmod((folder_ / "above").c_str(), 0755);
  EXPECT_TRUE(runtime.reload("the test"));
  EXPECT_EQ(runtime.status()->jobs, 2);
  EXPECT_TRUE(runtime.stop());
}

TEST_F(EmbeddingHost, SaysHowItIs) {
  Runtime runtime(settings());
  EXPECT_EQ(runtime.status().error().code, Errc::unavailable);
  EXPECT_EQ(runtime.ping().error().code, Errc::unavailable);
  ASSERT_TRUE(runtime.add({.name = "job", .function = just_works}));
  ASSERT_TRUE(runtime.start());
  EXPECT_TRUE(runtime.ping());
  ASSERT_TRUE(leads(runtime));
  const auto status = runtime.status();
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_EQ(status->state, RuntimeStatus::State::healthy);
  EXPECT_EQ(status->groups, 1);
  EXPECT_EQ(status->jobs, 1);
  EXPECT_EQ(status->open_runs, 0);
  EXPECT_EQ(status->summary, "healthy: leads 1 group, 1 job, 0 runs open");
  EXPECT_TRUE(runtime.stop());
  EXPECT_EQ(runtime.ping().error().code, Errc::unavailable);
}

TEST_F(EmbeddingHost, WithoutAStoreIsNotScheduling) {
  std::filesystem::create_directories(folder_ / "state/local/ballot");
  folder_.write("state/local/ballot/registers.db", "no database");
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.start());
  auto status = runtime.status();
  while (status && status->summary.starts_with("starting: backend: the session is being opened"))
    status = runtime.status();
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_EQ(status->state, RuntimeStatus::State::not_scheduling);
  EXPECT_TRUE(status->summary.starts_with("not scheduling: backend: no session, so nothing is led: "))
      << status->summary;
  EXPECT_NE(status->summary.find("registers.db"), std::string::npos) << status->summary;
}

TEST_F(EmbeddingHost, WhoseLoopHangsAnswersNoPing) {
  std::mutex log;
  RuntimeSettings slow = settings();
  slow.log = [&](Level, std::string_view, const LogFields&) { const std::lock_guard lock(log); };
  Runtime runtime(slow);
  ASSERT_TRUE(runtime.start());
  std::thread reload;
  {
    const std::lock_guard hangs(log);
    reload = std::thread([&] { EXPECT_TRUE(runtime.reload("a thread")); });
    EXPECT_TRUE(wait_until([&] {
      const auto pinged = runtime.ping(50ms);
      return !pinged && pinged.error().code == Errc::timeout;
    }));
  }
  reload.join();
  EXPECT_TRUE(wait_until([&] { return static_cast<bool>(runtime.ping()); }));
  EXPECT_TRUE(runtime.stop());
}

TEST_F(EmbeddingHost, TriggersNoJobWithoutAName) {
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.start());
  EXPECT_EQ(runtime.trigger("").error().code, Errc::not_found);
  EXPECT_EQ(runtime.trigger("a/b").error().code, Errc::not_found);
  EXPECT_TRUE(runtime.stop());
}

TEST_F(EmbeddingHost, LaunchesNothingInADryRun) {
  RuntimeSettings dry = settings();
  dry.dry_run = true;
  std::atomic<int> calls = 0;
  Runtime runtime(dry);
  const auto counts = [&](const RunFacts&, std::stop_token) { return ++calls, JobResult::success(); };
  ASSERT_TRUE(runtime.add({.name = "job", .schedule = {"* * * * * *"}, .function = counts}));
  ASSERT_TRUE(runtime.start());
  EXPECT_TRUE(wait_until([&] {
    const auto rows = runtime.history({});
    return rows && !rows->empty() && rows->front().reason == Reason::dry_run;
  }));
  EXPECT_TRUE(runtime.stop());
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace ballot
