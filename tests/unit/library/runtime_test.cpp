// The library as its users have it: jobs that are functions and commands, leadership, and a stop within its bound.
#include "ballot/runtime.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <condition_variable>
#include <latch>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "support/process/process_facts.hpp"
#include "support/temp_folder.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

/// A runtime in a folder of its own, and what it has said.
class Embedded : public ::testing::Test {
 protected:
  RuntimeSettings settings(bool commands = false) {
    RuntimeSettings settings;
    settings.node = "n1";
    settings.state_dir = folder_ / "state";
    settings.plugin_dir = BALLOT_PLUGIN_DIR;
    settings.program_dir = BALLOT_PROGRAM_DIR;
    settings.commands = commands;
    settings.log = [this](Level level, std::string_view text, const LogFields&) {
      const std::lock_guard lock(mutex_);
      if (level >= Level::warn) log_.append(text).append("\n");
      changed_.notify_all();
    };
    return settings;
  }
  void listen(Runtime& runtime) {
    runtime.on_run_ended([this](const Row& row) {
      const std::lock_guard lock(mutex_);
      ended_.push_back(row);
      changed_.notify_all();
    });
  }
  bool wait(const std::function<bool()>& holds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 30s, holds);
  }
  /// "succeeded", "failed: exception": the ends of a job's attempts so far.
  std::vector<std::string> ends(const std::string& job) const {
    std::map<int, std::string> by_attempt;
    for (const Row& row : ended_)
      if (row.job == job)
        by_attempt[row.attempt] = std::string(to_string(row.status)) +
                                  (row.reason == Reason::none ? "" : ": " + std::string(to_string(row.reason)));
    std::vector<std::string> all;
    for (auto& [attempt, text] : by_attempt) all.push_back(text);
    return all;
  }
  using Ends = std::vector<std::string>;

  /// Triggers the one job of a new runtime and waits for that many attempts.
  Ends ends_of(JobFunction function, const std::string& keys = {}, std::size_t attempts = 1) {
    Runtime runtime(settings());
    listen(runtime);
    const auto added = runtime.add({.name = "job", .function = std::move(function), .keys = keys});
    EXPECT_TRUE(added) << added.error().what;
    const auto started = runtime.start();
    EXPECT_TRUE(started) << started.error().what;
    const auto run = runtime.trigger("job");
    EXPECT_TRUE(run) << run.error().what;
    EXPECT_TRUE(wait([&] { return ends("job").size() >= attempts; }));
    if (run)
      if (const auto output = runtime.output(*run)) output_ = output->head;
    const auto stopped = runtime.stop();
    EXPECT_TRUE(stopped) << stopped.error().what;
    return ends("job");
  }

  const TempFolder folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Row> ended_;
  std::string log_, output_;
};

/// Until its stop is requested.
JobResult hang(const RunFacts&, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, stop, [] { return false; });
  return JobResult::success("stopped");
}

TEST_F(Embedded, FunctionGetsTheFactsOfItsRun) {
  RunFacts facts;
  EXPECT_EQ(ends_of([&](const RunFacts& run, std::stop_token) {
              facts = run;
              return JobResult::success("done");
            }),
            Ends{"succeeded"});
  EXPECT_EQ(output_, "done");
  EXPECT_EQ(facts.job, "job");
  EXPECT_EQ(facts.group, "default");
  EXPECT_EQ(facts.node, "n1");
  EXPECT_EQ(facts.run, ended_[0].run);
  EXPECT_EQ(facts.attempt, 1);
  EXPECT_EQ(facts.trigger, Trigger::manual);
  EXPECT_EQ(facts.epoch, ended_[0].epoch);
  EXPECT_EQ(facts.fence, ended_[0].fence);
  EXPECT_GT(facts.fence, 0u);
  EXPECT_FALSE(ended_[0].exit_code);
}

TEST_F(Embedded, FunctionThatThrowsHasFailedWithWhatItThrew) {
  EXPECT_EQ(ends_of([](const RunFacts&, std::stop_token) -> JobResult { throw std::runtime_error("no table"); }),
            Ends{"failed: exception"});
  EXPECT_EQ(output_, "threw: no table\n");
}

TEST_F(Embedded, FunctionThatAsksForARetryGetsAsManyAsItsJobHas) {
  const auto locked = [](const RunFacts&, std::stop_token) { return JobResult::retry("locked"); };
  EXPECT_EQ(ends_of(locked, "retries = 2\nretry_delay = \"1ms\"", 3),
            (Ends{"failed: temporary", "failed: temporary", "failed: temporary"}));
}

TEST_F(Embedded, FunctionThatHasFailedForGoodIsNotTriedAgain) {
  std::atomic<int> calls = 0;
  Runtime runtime(settings());
  listen(runtime);
  const auto fails = [&](const RunFacts&, std::stop_token) { return ++calls, JobResult::failure("other version"); };
  ASSERT_TRUE(runtime.add({.name = "job", .function = fails, .keys = "retries = 5\nretry_delay = \"1ms\""}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(runtime.trigger("job"));
  ASSERT_TRUE(wait([&] { return ends("job").size() == 1; }));
  ASSERT_TRUE(runtime.trigger("job")) << "nothing of the run before waits";
  ASSERT_TRUE(wait([&] { return ended_.size() >= 2; }));
  ASSERT_TRUE(runtime.stop());
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(ends("job"), Ends{"failed: permanent"});
}

TEST_F(Embedded, FunctionIsStoppedAtItsDeadline) {
  EXPECT_EQ(ends_of(hang, "deadline = \"50ms\""), Ends{"timed_out: deadline"});
}

TEST_F(Embedded, StopAsksFunctionsToStop) {
  Runtime runtime(settings());
  listen(runtime);
  std::latch begun(1);
  const auto hangs = [&](const RunFacts& run, std::stop_token stop) { return begun.count_down(), hang(run, stop); };
  ASSERT_TRUE(runtime.add({.name = "job", .function = hangs}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(runtime.trigger("job"));
  begun.wait();
  const auto stopped = runtime.stop();
  EXPECT_TRUE(stopped) << stopped.error().what;
  EXPECT_EQ(ends("job"), Ends{"killed: shutdown"});
}

TEST_F(Embedded, StopReturnsAtItsBoundWithoutAFunctionThatDoesNot) {
  auto begun = std::make_shared<std::latch>(1), go = std::make_shared<std::latch>(1);
  std::optional<RunId> run;
  {
    Runtime runtime(settings());
    const auto stubborn = [=](const RunFacts&, std::stop_token) {
      begun->count_down();
      go->wait();
      return JobResult::success();
    };
    ASSERT_TRUE(runtime.add({.name = "job", .function = stubborn}));
    ASSERT_TRUE(runtime.start());
    const auto triggered = runtime.trigger("job");
    ASSERT_TRUE(triggered);
    run = *triggered;
    begun->wait();
    const auto from = std::chrono::steady_clock::now();
    const auto stopped = runtime.stop({.wait = 0ms, .bound = 400ms});
    EXPECT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, Errc::timeout);
    EXPECT_LT(std::chrono::steady_clock::now() - from, 5s);
  }
  Runtime next(settings());
  ASSERT_TRUE(next.add({.name = "job", .function = hang}));
  ASSERT_TRUE(next.start());
  const auto is_lost = [&] {
    const auto rows = next.history({.run = run});
    return rows && rows->size() == 1 && rows->front().status == Status::lost;
  };
  EXPECT_TRUE(testing::wait_until(is_lost)) << "what was abandoned is lost, and said to be";
  EXPECT_TRUE(next.stop());
  go->count_down();
}

TEST_F(Embedded, CommandsRunBesideFunctions) {
  Runtime runtime(settings(true));
  listen(runtime);
  const auto works = [](const RunFacts&, std::stop_token) { return JobResult::success(); };
  ASSERT_TRUE(runtime.add({.name = "command", .command = {"/bin/sh", "-c", "echo $BALLOT_JOB"}}));
  ASSERT_TRUE(runtime.add({.name = "function", .function = works}));
  const auto started = runtime.start();
  ASSERT_TRUE(started) << started.error().what;
  const auto run = runtime.trigger("command");
  ASSERT_TRUE(run) << run.error().what;
  ASSERT_TRUE(runtime.trigger("function"));
  ASSERT_TRUE(wait([&] { return !ends("command").empty() && !ends("function").empty(); })) << log_;
  EXPECT_EQ(ends("command"), Ends{"succeeded"});
  EXPECT_EQ(runtime.output(*run)->head, "command\n");
  const auto stopped = runtime.stop();
  EXPECT_TRUE(stopped) << stopped.error().what;
}

TEST_F(Embedded, LeadershipIsToldOfAndKnownByTheClock) {
  std::vector<std::string> told;
  Runtime runtime(settings());
  const auto tell = [&](const char* what) {
    return [&, what](const Leadership& of) {
      const std::lock_guard lock(mutex_);
      told.push_back(what + of.group + " " + std::to_string(of.epoch));
      changed_.notify_all();
    };
  };
  runtime.on_elected(tell("leads "));
  runtime.on_lost(tell("lost "));
  ASSERT_TRUE(runtime.add_group("indexer"));
  EXPECT_FALSE(runtime.leadership("indexer"));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(wait([&] { return !told.empty(); }));
  const auto leads = runtime.leadership("indexer");
  ASSERT_TRUE(leads);
  EXPECT_EQ(leads->epoch, 1u);
  EXPECT_FALSE(runtime.leadership("another"));
  ASSERT_TRUE(runtime.stop());
  EXPECT_FALSE(runtime.leadership("indexer"));
  EXPECT_EQ(told, (std::vector<std::string>{"leads indexer 1", "lost indexer 1"}));
}

TEST_F(Embedded, JobsComeAndGoWhileItRuns) {
  Runtime runtime(settings());
  listen(runtime);
  const auto works = [](const RunFacts&, std::stop_token) { return JobResult::success("one"); };
  const auto works_otherwise = [](const RunFacts&, std::stop_token) { return JobResult::success("other"); };
  ASSERT_TRUE(runtime.start());
  EXPECT_EQ(runtime.trigger("job").error().code, Errc::not_found);
  ASSERT_TRUE(runtime.add({.name = "job", .function = works}));
  ASSERT_TRUE(runtime.trigger("job"));
  ASSERT_TRUE(wait([&] { return !ended_.empty(); }));
  ASSERT_TRUE(runtime.add({.name = "job", .function = works_otherwise}));
  const auto run = runtime.trigger("job");
  ASSERT_TRUE(run);
  ASSERT_TRUE(wait([&] { return ended_.size() >= 2; }));
  EXPECT_EQ(runtime.output(*run)->head, "other");
  ASSERT_TRUE(runtime.remove("job"));
  EXPECT_EQ(runtime.remove("job").error().code, Errc::not_found);
  EXPECT_FALSE(runtime.trigger("job"));
  EXPECT_TRUE(runtime.stop());
  EXPECT_EQ(runtime.trigger("job").error().code, Errc::unavailable);
}

TEST_F(Embedded, WhatIsWrongWithAJobIsSaidAndChangesNothing) {
  Runtime runtime(settings());
  const auto works = [](const RunFacts&, std::stop_token) { return JobResult::success(); };
  const auto why = [&](const JobSpec& job) {
    const auto added = runtime.add(job);
    return added ? std::string("added") : added.error().what;
  };
  EXPECT_NE(why({.name = "a b", .function = works}).find("is not a valid job name"), std::string::npos);
  EXPECT_NE(why({.name = "x"}).find("has nothing to run"), std::string::npos);
  EXPECT_NE(why({.name = "x", .command = {"/bin/true"}}).find("needs the runner"), std::string::npos);
  EXPECT_NE(why({.name = "x", .schedule = {"61 * * * *"}, .function = works}).find("61"), std::string::npos);
  EXPECT_NE(why({.name = "x", .function = works, .keys = "retrys = 1"}).find("did you mean"), std::string::npos);
  EXPECT_NE(why({.name = "x", .function = works, .keys = "nice = 1"}).find("is for commands"), std::string::npos);
  EXPECT_NE(why({.name = "x", .function = works, .keys = "on_failure = [\"/bin/true\"]"}).find("needs the runner"),
            std::string::npos);
  EXPECT_EQ(why({.name = "x", .function = works}), "added");
}

TEST_F(Embedded, WhatIsWrongWithTheSettingsIsSaidByStart) {
  EXPECT_NE(Runtime({}).start().error().what.find("state_dir is not set"), std::string::npos);
  RuntimeSettings relative = settings();
  relative.state_dir = "state";
  EXPECT_NE(Runtime(relative).start().error().what.find("must be an absolute path"), std::string::npos);
  RuntimeSettings odd = settings();
  odd.backend = "etcd2";
  EXPECT_FALSE(Runtime(odd).start());
}

TEST_F(Embedded, JobFilesNameItsFunctions) {
  folder_.write("jobs.d", "");
  std::filesystem::remove(folder_ / "jobs.d");
  std::filesystem::create_directory(folder_ / "jobs.d");
  folder_.write("jobs.d/a.toml", "[job.report]\nfunction = \"report\"\n[job.other]\nfunction = \"unknown\"\n");
  folder_.write("jobs.d/b.toml", "[job.report]\nfunction = \"report\"\n");
  RuntimeSettings with_files = settings();
  with_files.jobs_dir = folder_ / "jobs.d";
  Runtime runtime(with_files);
  listen(runtime);
  ASSERT_TRUE(runtime.add_function("report", [](const RunFacts&, std::stop_token) { return JobResult::success(); }));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(runtime.trigger("report"));
  ASSERT_TRUE(wait([&] { return !ends("report").empty(); }));
  EXPECT_TRUE(runtime.stop());
  EXPECT_NE(log_.find("this program has no function 'unknown'"), std::string::npos) << log_;
}

TEST_F(Embedded, FunctionThatThrowsWithoutATextHasFailedToo) {
  struct Silent : std::exception {
    const char* what() const noexcept override { return nullptr; }
  };
  EXPECT_EQ(ends_of([](const RunFacts&, std::stop_token) -> JobResult { throw Silent(); }), Ends{"failed: exception"});
}

TEST_F(Embedded, StopFromSeveralThreadsIsOne) {
  Runtime runtime(settings());
  ASSERT_TRUE(runtime.start());
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { good += static_cast<bool>(runtime.stop()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 4);
}

TEST_F(Embedded, StopThatLeavesAFunctionBehindLeadsNothingAndCallsNobodyAfterwards) {
  auto begun = std::make_shared<std::latch>(1), go = std::make_shared<std::latch>(1);
  std::atomic<bool> gone = false, late = false;
  {
    Runtime runtime(settings());
    const auto tell = [&](const Leadership&) { late = late || gone; };
    runtime.on_elected(tell);
    runtime.on_lost(tell);
    const auto stubborn = [=](const RunFacts&, std::stop_token) {
      begun->count_down();
      go->wait();
      return JobResult::success();
    };
    ASSERT_TRUE(runtime.add({.name = "job", .function = stubborn}));
    ASSERT_TRUE(runtime.start());
    ASSERT_TRUE(runtime.trigger("job"));
    begun->wait();
    EXPECT_FALSE(runtime.stop({.wait = 0ms, .bound = 400ms}));
    gone = true;
    EXPECT_FALSE(runtime.leadership("default"));
  }
  go->count_down();
  EXPECT_FALSE(late);
}

TEST_F(Embedded, StopAsksInTimeHoweverLongItIsToWait) {
  Runtime runtime(settings());
  listen(runtime);
  std::latch begun(1);
  const auto hangs = [&](const RunFacts& run, std::stop_token stop) { return begun.count_down(), hang(run, stop); };
  ASSERT_TRUE(runtime.add({.name = "job", .function = hangs}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(runtime.trigger("job"));
  begun.wait();
  const auto stopped = runtime.stop({.wait = Millis::max(), .bound = 2s});
  EXPECT_TRUE(stopped) << stopped.error().what;
  EXPECT_EQ(ends("job"), Ends{"killed: shutdown"});
}

TEST_F(Embedded, RunsThatCouldNotStartAreToldOf) {
  Runtime runtime(settings(true));
  listen(runtime);
  ASSERT_TRUE(runtime.add({.name = "job", .command = {"/no/such/program"}}));
  const auto started = runtime.start();
  ASSERT_TRUE(started) << started.error().what;
  ASSERT_TRUE(runtime.trigger("job"));
  EXPECT_TRUE(wait([&] { return ends("job") == Ends{"failed: cannot_start"}; }));
  EXPECT_TRUE(runtime.stop());
}

/// Whose destructor asks the runtime for something, as those of hosts may.
struct AsksAtItsEnd {
  Runtime* runtime;
  std::atomic<int>* asked;
  AsksAtItsEnd(Runtime* r, std::atomic<int>* a) : runtime(r), asked(a) {}
  AsksAtItsEnd(const AsksAtItsEnd&) = default;
  ~AsksAtItsEnd() {
    EXPECT_FALSE(runtime->remove("nothing"));
    ++*asked;
  }
  JobResult operator()(const RunFacts&, std::stop_token) const { return JobResult::success(); }
};

TEST_F(Embedded, FunctionsAreDestroyedByWhoeverTakesThemBack) {
  std::atomic<int> asked = 0;
  Runtime runtime(settings());
  const auto add = [&] { return runtime.add({.name = "job", .function = AsksAtItsEnd(&runtime, &asked)}); };
  ASSERT_TRUE(add());
  ASSERT_TRUE(add()) << "before start()";
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(add());
  const int before = asked;
  ASSERT_TRUE(runtime.remove("job"));
  EXPECT_GT(asked, before) << "by this thread, when remove() returns";
  EXPECT_TRUE(runtime.stop());
}

TEST_F(Embedded, FunctionsHaveANameOnce) {
  Runtime runtime(settings());
  const auto works = [](const RunFacts&, std::stop_token) { return JobResult::success(); };
  ASSERT_TRUE(runtime.add({.name = "x", .function = works}));
  EXPECT_FALSE(runtime.add_function("x", works)) << "the job's own";
  ASSERT_TRUE(runtime.add_function("y", works));
  EXPECT_FALSE(runtime.add_function("y", works));
  EXPECT_FALSE(runtime.add({.name = "y", .function = works}));
}

TEST_F(Embedded, CallbackThatThrowsIsLogged) {
  Runtime runtime(settings());
  runtime.on_elected([](const Leadership&) { throw std::runtime_error("of the host"); });
  ASSERT_TRUE(runtime.add_group("g"));
  ASSERT_TRUE(runtime.start());
  EXPECT_TRUE(wait([&] { return log_.find("a callback threw: of the host") != std::string::npos; }));
  EXPECT_TRUE(runtime.stop());
}

TEST_F(Embedded, ThreadsTakeNoSignalOfTheHost) {
  sigset_t seen;
  EXPECT_EQ(ends_of([&](const RunFacts&, std::stop_token) {
              ::pthread_sigmask(SIG_SETMASK, nullptr, &seen);
              return JobResult::success();
            }),
            Ends{"succeeded"});
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE, SIGALRM})
    EXPECT_EQ(::sigismember(&seen, signal), 1) << signal;
}

}  // namespace
}  // namespace ballot
