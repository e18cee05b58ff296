// What the tests of `ballot run` and `ballot election` on a real server have in common, whichever store it is.
//
//   struct Some : Elections { Some() : Elections(config_of_a_store) {} };
#pragma once

#include <gtest/gtest.h>

#include <iostream>

#include "ballot/time.hpp"
#include "support/process/candidate.hpp"

namespace ballot::testing {

using namespace std::chrono_literals;

/// Nobody is left who could resign for it.
inline void kill_with_guard(CandidateProcess& candidate) {
  const pid_t guard = candidate.guard();
  candidate.send(SIGKILL);
  ::kill(guard, SIGKILL);
  candidate.wait();
}

struct Elections : ::testing::Test {
  /// `config`: what ballot.toml says of the store.
  explicit Elections(const std::string& config) : folder(config) {}

  Ran ballot(Arguments arguments) const {
    arguments.insert(arguments.begin(), BALLOT_PROGRAM);
    arguments.insert(arguments.end(), {"--config", folder.config()});
    return run_program(std::move(arguments));
  }
  static Arguments candidate(const std::string& name, const std::string& script, Arguments flags = {}) {
    flags.insert(flags.end(), {"--kill-grace", "200ms", "--log-level", "debug"});
    return once(name, flags, shell(script));
  }
  /// A child that runs until it is asked to end, or until `file` is there.
  std::string until_ended(const std::string& file = "never") const {
    return folder.saying("until test -e " + (folder.folder / file) + "; do sleep 0.02; done");
  }
  bool campaigns(const CandidateProcess& candidate, std::size_t times = 1) const {
    return candidate.wait_for("campaigns", times);
  }
  /// Names of those who take part in the group, of a and b.
  std::string candidates(const std::string& group = "default") const {
    std::string all;
    const Ran info = ballot({"info", group});
    for (const char* name : {"a", "b"})
      if (info.out.find("node: \"" + std::string(name) + "\"") != std::string::npos) all += name;
    return all;
  }
  std::string start_of(std::size_t n) const { return folder.said("START").at(n); }
  std::uint64_t epoch_of(std::size_t start) const { return std::stoull(field(start_of(start), 4)); }
  std::string name_of(std::size_t start) const { return field(start_of(start), 3); }
  void expect_no_overlap() const { EXPECT_EQ(folder.said("OVERLAP").size(), 0u); }

  const ElectionFolder folder;
};

inline Millis wall_now() {
  return std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch());
}
/// From an instant of the wall clock to a line that a child said.
inline Millis since(Millis instant, const std::string& line) { return Millis(time_of(line)) - instant; }
inline void report(const std::string& what, Millis taken) { std::cout << what << ": " << taken.count() << " ms\n"; }
/// Times are what these tests are about.
inline bool wait_until_time(Millis instant) {
  return wait_until([=] { return wall_now() >= instant; });
}

}  // namespace ballot::testing
