// Job files of the program's own folder: the code is the program's, the schedule its operator's. This example writes
// the file that an operator would, and then another one beside it, which is found by itself.
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "example.hpp"

int main(int argc, char** argv) {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, int> ended;

  ballot::RuntimeSettings settings = settings_of(argc, argv);
  settings.jobs_dir = settings.state_dir + "/jobs.d";
  std::filesystem::create_directories(settings.jobs_dir);
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::string path = settings.jobs_dir + "/" + name;
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
  };
  write("report.toml", "[job.report]\nschedule = \"* * * * * *\"\nfunction = \"report\"\n");

  ballot::Runtime runtime(settings);
  require(runtime.add_function("report", [](const ballot::RunFacts& run, std::stop_token) {
    return ballot::JobResult::success("report of slot " + std::to_string(run.slot.time_since_epoch().count()));
  }));
  runtime.on_run_ended([&](const ballot::Row& row) {
    const std::lock_guard lock(mutex);
    if (ended[row.job]++ == 0) std::cout << row.job << " " << ballot::to_string(row.status) << '\n';
    changed.notify_one();
  });
  const auto wait_for = [&](const std::string& job) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ended[job] > 0; });
  };
  require(runtime.start());
  wait_for("report");
  write("clean.toml", "[job.clean]\nschedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]\n");
  wait_for("clean");
  require(runtime.stop());
}
