// A job that is a function, in each way in which one can end: it is triggered until it has seen them all.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "example.hpp"

namespace {

/// What it does is what its job's name says.
ballot::JobResult work(const ballot::RunFacts& run, std::stop_token stop) {
  if (run.job == "throws") throw std::runtime_error("no such table");
  if (run.job == "retries" && run.attempt < 3) return ballot::JobResult::retry("the table is locked");
  if (run.job == "fails") return ballot::JobResult::failure("the table is of another version");
  if (run.job == "hangs") {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });  // woken by its deadline
  }
  return ballot::JobResult::success("attempt " + std::to_string(run.attempt) + " of " + run.job);
}

}  // namespace

int main(int argc, char** argv) {
  std::mutex mutex;
  std::condition_variable ended;
  int open = 5;

  ballot::RuntimeSettings settings = settings_of(argc, argv);
  settings.commands = false;
  ballot::Runtime runtime(settings);
  runtime.on_run_ended([&](const ballot::Row& row) {
    std::cout << row.job << ": " << ballot::to_string(row.status) << " " << ballot::to_string(row.reason) << '\n';
    const bool again = row.job == "retries" && row.status == ballot::Status::failed;
    const std::lock_guard lock(mutex);
    if (!again) --open;
    ended.notify_one();
  });
  for (const char* name : {"succeeds", "throws", "retries", "fails", "hangs"}) {
    ballot::JobSpec job{.name = name, .function = work, .retry_delay = ballot::Millis(10)};
    if (job.name == "retries") job.retries = 2;
    if (job.name == "hangs") job.deadline = ballot::Millis(100);
    require(runtime.add(job));
  }
  require(runtime.start());
  for (const char* name : {"succeeds", "throws", "retries", "fails", "hangs"})
    if (auto run = runtime.trigger(name); !run) return std::cerr << run.error().what << '\n', 1;
  {
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return open <= 0; });
  }
  require(runtime.stop());
  const auto rows = runtime.history({.jobs = {"throws"}});
  require(rows);
  for (const ballot::Row& row : *rows) {
    if (!row.run) continue;  // a slot that was missed has none
    const auto output = runtime.output(*row.run);
    require(output);
    std::cout << "it threw: " << output->head;
  }
}
