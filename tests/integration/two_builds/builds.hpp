// Two builds of ballot in one fleet, the previous release's and this one's; and which of them a node is changed to.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/process/fleet.hpp"

namespace ballot::testing {

struct Change {
  const char* name;
  std::string from, to;  // programs
};

inline const Change upgrade{"Upgrade", BALLOT_PREVIOUS, BALLOT_PROGRAM};
inline const Change downgrade{"Downgrade", BALLOT_PROGRAM, BALLOT_PREVIOUS};

inline std::string name_of(const ::testing::TestParamInfo<Change>& change) { return change.param.name; }
inline void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }

/// A fleet whose nodes are all of the build that a test changes from.
class TwoBuilds : public ::testing::TestWithParam<Change> {
 protected:
  explicit TwoBuilds(const std::vector<std::string>& nodes, Millis timeout = Millis(2000)) : fleet(nodes, "", timeout) {
    for (const std::string& node : nodes) {
      install(node, GetParam().from);
      fleet[node].configure("plugin_dir = \"" + plugins_of(node) + "\"");
    }
  }
  ~TwoBuilds() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  /// On the node's disk the build lies where the other one lay, with its plugins. What runs goes on.
  void install(const std::string& node, const std::string& program) {
    namespace fs = std::filesystem;
    fs::remove(plugins_of(node));
    fs::create_directory_symlink(fs::path(program).parent_path().parent_path() / "plugins", plugins_of(node));
    fleet[node].program = program;
  }
  std::string plugins_of(const std::string& node) const { return fleet.folder / ("plugins-" + node); }

  static std::string every_second() { return "schedule = \"* * * * * *\"\n"; }

  /// A START of the job on the node after that.
  bool starts(const std::string& job, const std::string& node, const Instant& after = {}) {
    return fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(), [&](const Report& report) {
        return report.job == job && report.node == node && report.started.boot > after.boot;
      });
    });
  }
  /// Until a slot of `brief` that is due from now on is run in time: all before it are settled.
  void catch_up() {
    const WallTime now = Instant::now().wall + std::chrono::seconds(2);
    EXPECT_TRUE(fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Report& r) { return r.job == "brief" && r.slot > now && r.on_time(); });
    })) << "nobody catches up";
  }
  bool all_gone() {
    return fleet.oracle.wait_until([](const Reports& all) {
      return std::all_of(all.begin(), all.end(), [](const Report& report) { return report.gone.has_value(); });
    });
  }

  Fleet fleet;
};

}  // namespace ballot::testing
