// Threads that call functions: how many at once, what is withdrawn, what a function that does not come back may not do.
#include "io/function_pool.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <latch>
#include <mutex>
#include <stdexcept>

#include "io/clocks.hpp"

namespace ballot::io {
namespace {

using namespace std::chrono_literals;
using What = FunctionPool::Report::What;

class Pool : public ::testing::Test {
 protected:
  FunctionPool make(int threads) {
    return FunctionPool(threads, [this] {
      const std::lock_guard lock(mutex_);
      woken_ = true;
      changed_.notify_all();
    });
  }
  static FunctionPool::Call call(JobFunction function, SteadyTime not_after = SteadyTime::max()) {
    return {std::make_shared<const JobFunction>(std::move(function)), {}, not_after};
  }
  /// Waits until it has reported `count` more.
  std::vector<FunctionPool::Report> reports(FunctionPool& pool, std::size_t count) {
    std::vector<FunctionPool::Report> all;
    while (all.size() < count) {
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, 30s, [this] { return woken_; })) break;
        woken_ = false;
      }
      for (auto& report : pool.take()) all.push_back(std::move(report));
    }
    EXPECT_EQ(all.size(), count);
    return all;
  }
  static SteadyTime soon() { return read_clocks().steady + 30s; }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

TEST_F(Pool, SaysThatACallHasBegunAndWhatItReturned) {
  FunctionPool pool = make(2);
  const auto number = pool.add(call([](const RunFacts&, std::stop_token) { return JobResult::retry("not now"); }));
  const auto all = reports(pool, 2);
  EXPECT_EQ(all[0].what, What::begun);
  EXPECT_EQ(all[1].what, What::returned);
  EXPECT_EQ(all[1].number, number);
  EXPECT_EQ(all[1].result->kind(), JobResult::Kind::retry);
  EXPECT_EQ(all[1].result->text(), "not now");
  EXPECT_TRUE(pool.close(soon()));
}

TEST_F(Pool, TakesWhatIsThrownForTheEndOfTheCall) {
  FunctionPool pool = make(1);
  pool.add(call([](const RunFacts&, std::stop_token) -> JobResult { throw std::runtime_error("no table"); }));
  pool.add(call([](const RunFacts&, std::stop_token) -> JobResult { throw 7; }));
  const auto all = reports(pool, 4);
  EXPECT_EQ(all[1].what, What::threw);
  EXPECT_EQ(all[1].text, "no table");
  EXPECT_EQ(all[3].what, What::threw);
  EXPECT_EQ(all[3].text, "something that is no std::exception");
}

TEST_F(Pool, CallsNoMoreAtOnceThanItHasThreads) {
  std::mutex mutex;
  int now = 0, most = 0;
  std::latch both(2);
  FunctionPool pool = make(2);
  for (int i = 0; i < 20; ++i)
    pool.add(call([&, i](const RunFacts&, std::stop_token) {
      {
        const std::lock_guard lock(mutex);
        most = std::max(most, ++now);
      }
      if (i < 2) both.arrive_and_wait();
      const std::lock_guard lock(mutex);
      --now;
      return JobResult::success();
    }));
  reports(pool, 40);
  EXPECT_EQ(most, 2);
}

TEST_F(Pool, DoesNotBeginWhatIsWithdrawnOrTooLate) {
  std::latch begun(1), go(1);
  FunctionPool pool = make(1);
  pool.add(call([&](const RunFacts&, std::stop_token) {
    begun.count_down();
    go.wait();
    return JobResult::success();
  }));
  begun.wait();
  const auto never = [](const RunFacts&, std::stop_token) -> JobResult { throw std::logic_error("it was called"); };
  const auto withdrawn = pool.add(call(never));
  const auto late = pool.add(call(never, SteadyTime::min()));
  EXPECT_TRUE(pool.withdraw(withdrawn));
  EXPECT_FALSE(pool.withdraw(withdrawn));
  go.count_down();
  const auto all = reports(pool, 3);
  EXPECT_EQ(all[2].number, late);
  EXPECT_EQ(all[2].what, What::refused);
}

TEST_F(Pool, RequestsAStopOnAThreadOfItsOwn) {
  std::latch begun(1), registered(1), go(1);
  FunctionPool pool = make(1);
  const auto number = pool.add(call([&](const RunFacts&, std::stop_token stop) {
    begun.count_down();
    const std::stop_callback slow(stop, [&] { registered.count_down(), go.wait(); });
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
    return JobResult::success("stopped");
  }));
  begun.wait();
  pool.stop(number);  // returns, though what the function has registered takes its time
  registered.wait();
  go.count_down();
  EXPECT_EQ(reports(pool, 2)[1].result->text(), "stopped");
}

TEST_F(Pool, IsLeftByAFunctionThatDoesNotReturn) {
  auto begun = std::make_shared<std::latch>(1), go = std::make_shared<std::latch>(1),
       gone = std::make_shared<std::latch>(1);
  {
    FunctionPool pool = make(1);
    pool.add(call([=](const RunFacts&, std::stop_token) {
      begun->count_down();
      go->wait();
      gone->count_down();
      return JobResult::success();
    }));
    begun->wait();
    EXPECT_FALSE(pool.close(read_clocks().steady + 10ms));
    EXPECT_EQ(pool.take().size(), 1u) << "that it has begun";
  }
  go->count_down();
  gone->wait();  // and it has touched nothing of the pool
}

/// Threads that wait for calls are no functions that do not return.
TEST_F(Pool, WithNothingToDoIsClosedWhateverTheTime) {
  for (int i = 0; i < 20; ++i) {
    FunctionPool pool = make(2);
    const auto number = pool.add(call([](const RunFacts&, std::stop_token) { return JobResult::success(); }));
    pool.stop(number);  // begins the thread that requests stops, if it is being called
    reports(pool, 2);
    EXPECT_TRUE(pool.close(SteadyTime::min()));
  }
}

TEST_F(Pool, IsWaitedForUntilWhatTheTimeHasBecomeMeanwhile) {
  auto begun = std::make_shared<std::latch>(1), go = std::make_shared<std::latch>(1);
  FunctionPool pool = make(1);
  pool.add(
      call([=](const RunFacts&, std::stop_token) { return begun->count_down(), go->wait(), JobResult::success(); }));
  begun->wait();
  int asked = 0;
  EXPECT_FALSE(pool.close([&] { return ++asked > 2 ? SteadyTime::min() : SteadyTime::max(); }));
  EXPECT_EQ(asked, 3);
  go->count_down();
}

TEST_F(Pool, ClosedStopsWhatIsBeingCalled) {
  std::latch begun(1);
  FunctionPool pool = make(1);
  pool.add(call([&](const RunFacts&, std::stop_token stop) {
    begun.count_down();
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
    return JobResult::success();
  }));
  begun.wait();
  EXPECT_TRUE(pool.close(soon()));
}

}  // namespace
}  // namespace ballot::io
