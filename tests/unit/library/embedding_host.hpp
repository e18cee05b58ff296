// A host that embeds a runtime: its settings, what it has logged, and what it was told of its end.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>

#include "ballot/runtime.hpp"
#include "support/process/process_facts.hpp"
#include "support/process/run_program.hpp"
#include "support/temp_folder.hpp"

namespace ballot {

using namespace std::chrono_literals;
using testing::wait_until;

inline JobResult just_works(const RunFacts&, std::stop_token) { return JobResult::success(); }

/// Until its stop is requested.
inline JobResult hang_until_stopped(const RunFacts&, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, stop, [] { return false; });
  return JobResult::success("stopped");
}

class EmbeddingHost : public ::testing::Test {
 protected:
  RuntimeSettings settings(bool commands = false) {
    RuntimeSettings settings;
    settings.node = "n1";
    settings.state_dir = folder_ / "state";
    settings.plugin_dir = BALLOT_PLUGIN_DIR;
    settings.program_dir = BALLOT_PROGRAM_DIR;
    settings.commands = commands;
    settings.log = [this](Level, std::string_view text, const LogFields&) {
      const std::lock_guard lock(mutex_);
      log_.append(text).append("\n");
    };
    return settings;
  }
  /// What it says of its end; nothing yet: "".
  void listen(Runtime& runtime) {
    runtime.on_ended([this](const Result<void>& ended) {
      const std::lock_guard lock(mutex_);
      ended_ = ended ? "well" : ended.error().what;
    });
  }
  std::string ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  bool says(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return log_.find(text) != std::string::npos;
  }
  static bool leads(const Runtime& runtime, const std::string& group = "default") {
    return wait_until([&] { return runtime.leadership(group).has_value(); });
  }
  bool has_session() const { return std::filesystem::exists(folder_ / "state/run/session"); }

  const TempFolder folder_;

 private:
  std::mutex mutex_;
  std::string log_, ended_;
};

}  // namespace ballot
