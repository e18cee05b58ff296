// What a host may do in its callbacks and functions, what becomes of these at a stop, and what is refused before it
// does harm.
#include "embedding_host.hpp"
#include "library/host_events.hpp"
#include "library/host_log.hpp"

namespace ballot {
namespace {

TEST_F(EmbeddingHost, CannotWaitForItsEndInACallbackOrAFunction) {
  Runtime runtime(settings());
  std::atomic<int> refused = 0;
  const auto stops = [&] {
    const auto stopped = runtime.stop();
    if (!stopped && stopped.error().code == Errc::invalid) ++refused;
  };
  ASSERT_TRUE(runtime.add(
      {.name = "job", .function = [&](const RunFacts&, std::stop_token) { return stops(), JobResult::success(); }}));
  runtime.on_elected([&](const Leadership&) { stops(); });
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(wait_until([&] { return refused == 1; }));
  ASSERT_TRUE(runtime.trigger("job"));
  ASSERT_TRUE(wait_until([&] { return refused == 2; }));
  const auto stopped = runtime.stop();
  EXPECT_TRUE(stopped) << stopped.error().what;
}

TEST_F(EmbeddingHost, MayReplaceItsCallbacksWhileTheyAreCalled) {
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add({.name = "job", .schedule = {"* * * * * *"}, .function = just_works}));
  ASSERT_TRUE(runtime.start());
  std::atomic<int> first = 0, second = 0;
  const std::string kept(100, 'x');
  ASSERT_TRUE(wait_until([&] {
    runtime.on_run_ended([&first, kept](const Row&) { first += kept == std::string(100, 'x') ? 1 : 1000; });
    return first > 0;
  })) << "set after start(), and again and again";
  runtime.on_run_ended([&](const Row&) { ++second; });
  EXPECT_TRUE(wait_until([&] { return second > 0; }));
  EXPECT_TRUE(runtime.stop());
  EXPECT_LT(first, 1000);
}

/// Its log does not return, so its loop hangs: what was asked of the loop meanwhile comes to nothing.
TEST_F(EmbeddingHost, WhoseLoopHangsIsLeftBehindAndDoesNothingWhenItGoesOn) {
  struct Shared {
    std::latch hangs{1}, go{1};
    std::atomic<bool> goes_on = false, called = false, ended = false;
  };
  const auto shared = std::make_shared<Shared>();
  RuntimeSettings with = settings();
  with.log = [shared](Level, std::string_view text, const LogFields& fields) {
    const bool is_asked = std::any_of(fields.begin(), fields.end(), [](auto& field) { return field.second == "hang"; });
    if (shared->goes_on) return;  // nothing of the test is there any more
    if (text == "job files read again" && is_asked) shared->hangs.count_down(), shared->go.wait();
  };
  {
    Runtime runtime(with);
    runtime.on_ended([shared](const Result<void>&) { shared->ended = true; });
    ASSERT_TRUE(runtime.add_group("g"));
    ASSERT_TRUE(runtime.start());
    ASSERT_TRUE(leads(runtime, "g"));
    std::thread reloads([&] { EXPECT_FALSE(runtime.reload("hang")); });
    shared->hangs.wait();
    std::thread adds([&] {
      const auto calls = [shared](const RunFacts&, std::stop_token) {
        return shared->called = true, JobResult::success();
      };
      const JobSpec job{.name = "late", .schedule = {"* * * * * *"}, .function = calls};
      EXPECT_EQ(runtime.add(job).error().code, Errc::unavailable);
    });
    const auto stopped = runtime.stop({.bound = 400ms});
    EXPECT_EQ(stopped.error().code, Errc::timeout);
    adds.join();
    reloads.join();
    EXPECT_FALSE(runtime.leadership("g"));
    shared->goes_on = true;
    shared->go.count_down();
    EXPECT_TRUE(wait_until([&] {
      Runtime next(settings());
      return static_cast<bool>(next.start());
    })) << "it ends by itself";
    EXPECT_FALSE(runtime.leadership("g"));
  }
  EXPECT_FALSE(shared->called);
  EXPECT_FALSE(shared->ended) << "nobody is told any more";
}

TEST(Leaderships, ThatAreClosedAreOfNobodyWhateverBegins) {
  library::Leaderships leads;
  leads.set_deadline(SteadyTime::max());
  EXPECT_TRUE(leads.begin("g", 1));
  EXPECT_TRUE(leads.find("g", SteadyTime()));
  leads.close();
  EXPECT_FALSE(leads.find("g", SteadyTime()));
  EXPECT_FALSE(leads.begin("g", 2));
  EXPECT_FALSE(leads.find("g", SteadyTime()));
}

TEST(HostLogs, ThatAreClosedWaitForTheLineThatIsBeingWrittenAndTakeNoOther) {
  std::latch begun(1), go(1);
  std::string lines;
  library::HostLog log([&](Level, std::string_view text, const LogFields&) {
    begun.count_down();
    go.wait();
    lines += text;
  });
  std::thread writes([&] { log.write(Level::info, "one", {}); });
  begun.wait();
  log.close();
  log.wait_for_line(1ms);  // it hangs
  std::thread goes_on([&] { go.count_down(); });
  log.wait_for_line(30s);
  EXPECT_EQ(lines, "one");
  log.write(Level::info, "two", {});
  EXPECT_EQ(lines, "one");
  writes.join();
  goes_on.join();
}

TEST(HostEvents, CallNoFunctionOfARuntimeThatIsLeftToItself) {
  int runtime = 0, calls = 0;
  library::HostEvents host(&runtime, nullptr);
  const auto function = host.called([&](const RunFacts&, std::stop_token) { return ++calls, JobResult::success(); });
  EXPECT_EQ((*function)({}, {}).kind(), JobResult::Kind::success);
  host.abandon();
  EXPECT_EQ((*function)({}, {}).kind(), JobResult::Kind::retry);
  EXPECT_EQ(calls, 1);
}

/// As where no thread is to be had that would stop a runtime which is destroyed there.
TEST(HostEvents, MayBeLeftAndDestroyedInACallback) {
  auto host = std::make_unique<library::HostEvents>(nullptr, nullptr);
  std::atomic<bool> is_gone = false, late = false;
  host->on_refused([&](const Error&) {
    host->leave();
    host.reset();
    is_gone = true;
  });
  host->on_lost([&](const Leadership&) { late = true; });
  host->start();
  host->begin_leadership({"g", 1, SteadyTime::max()});
  host->tell_refused({});
  EXPECT_TRUE(wait_until([&] { return is_gone.load(); }));
  EXPECT_FALSE(late);
}

/// One of them takes longer than the stop may: it is waited for, and what has not begun by then is left out.
TEST_F(EmbeddingHost, IsToldOfItsEndThoughWhatWasToBeToldBeforeIsDropped) {
  Runtime runtime(settings());
  listen(runtime);
  std::atomic<int> calls = 0;
  std::atomic<bool> is_late = false;
  runtime.on_run_ended([&](const Row&) {
    ++calls;
    wait_until([&] { return is_late.load(); });
  });
  ASSERT_TRUE(runtime.add({.name = "job", .function = just_works, .keys = "concurrency = \"allow\""}));
  ASSERT_TRUE(runtime.start());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(runtime.trigger("job"));
  ASSERT_TRUE(
      wait_until([&] { return calls == 1 && runtime.history({.statuses = {Status::succeeded}})->size() == 3; }));
  const auto late = std::chrono::steady_clock::now() + 2s;  // well past the bound, wherever this thread is held up
  std::thread clock([&] { wait_until([&] { return is_late = std::chrono::steady_clock::now() > late; }); });
  const auto stopped = runtime.stop({.bound = 400ms});
  clock.join();
  EXPECT_TRUE(stopped) << stopped.error().what;
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(ended(), "well");
}

TEST_F(EmbeddingHost, MayBeDestroyedInACallback) {
  auto runtime = std::make_unique<Runtime>(settings());
  std::atomic<bool> destroyed = false;
  ASSERT_TRUE(runtime->add_group("g"));
  runtime->on_elected([&](const Leadership&) {
    runtime.reset();
    destroyed = true;
  });
  ASSERT_TRUE(runtime->start());
  EXPECT_TRUE(wait_until([&] { return destroyed.load(); }));
  EXPECT_TRUE(wait_until([&] { return says("stopped"); }));
  EXPECT_TRUE(wait_until([&] {
    Runtime next(settings());
    return static_cast<bool>(next.start());
  })) << "the folder is free again";
}

TEST_F(EmbeddingHost, OfWhichAnotherHasTheFolderIsNotStarted) {
  Runtime first(settings(true));
  ASSERT_TRUE(first.add({.name = "job", .command = {"/bin/sleep", "60"}}));
  ASSERT_TRUE(first.start());
  ASSERT_TRUE(first.trigger("job"));
  Runtime second(settings(true));
  const auto started = second.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::conflict);
  EXPECT_NE(started.error().what.find(folder_ / "state/run"), std::string::npos) << started.error().what;
  EXPECT_EQ(first.status()->open_runs, 1) << "its runner is its own";
  EXPECT_TRUE(first.stop());
  const auto again = second.start();
  EXPECT_TRUE(again) << again.error().what;
}

TEST_F(EmbeddingHost, OfWhichAnotherWritesTheLedgerIsNotStarted) {
  Runtime first(settings());
  ASSERT_TRUE(first.start());
  RuntimeSettings other = settings();
  other.node = "n2";
  other.run_dir = folder_ / "other";
  Runtime second(other);
  const auto started = second.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::conflict);
  EXPECT_NE(started.error().what.find(folder_ / "state/history.db.lock"), std::string::npos) << started.error().what;
  EXPECT_TRUE(first.stop());
  const auto again = second.start();
  EXPECT_TRUE(again) << again.error().what;
}

TEST_F(EmbeddingHost, HasNoRunOfAFunctionOpenOnceItHasLeft) {
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.add({.name = "job", .function = hang_until_stopped}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(runtime.trigger("job"));
  const auto stopped = runtime.stop({.leave = true});
  EXPECT_TRUE(stopped) << stopped.error().what;
  const auto rows = runtime.history({});
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->front().status, Status::killed);
  EXPECT_EQ(rows->front().reason, Reason::shutdown);
}

TEST_F(EmbeddingHost, WhoseKeysDefineAnotherJobIsToldSo) {
  Runtime runtime(settings());
  const auto added = runtime.add({.name = "job",
                                  .function = just_works,
                                  .keys = "retries = 1\n[job.other]\nschedule = '@hourly'\nfunction = 'job'"});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Errc::invalid);
  EXPECT_NE(added.error().what.find("other jobs or groups"), std::string::npos) << added.error().what;
  const auto group = runtime.add_group("g", "max_running = 1\n[group.h]\nmax_running = 1");
  ASSERT_FALSE(group);
  EXPECT_EQ(group.error().code, Errc::invalid);
}

TEST_F(EmbeddingHost, WithABrokenJobFileIsDegraded) {
  RuntimeSettings with = settings();
  std::filesystem::create_directories(folder_ / "jobs.d");
  folder_.write("jobs.d/broken.toml", "[job.a\n");
  with.jobs_dir = folder_ / "jobs.d";
  Runtime runtime(with);
  ASSERT_TRUE(runtime.start());
  const auto status = runtime.status();
  ASSERT_TRUE(status);
  EXPECT_NE(status->summary.find("config: 1 error"), std::string::npos) << status->summary;
  EXPECT_TRUE(runtime.stop());
}

}  // namespace
}  // namespace ballot
