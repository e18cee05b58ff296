// The simulation. `--seed N` replays one random seed, and runs nothing else. With BALLOT_STREAMS=FILE in the
// environment it appends what the cores of each test have done: see ActionStream.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/sim/action_stream.hpp"

namespace {

class StreamsFile final : public testing::EmptyTestEventListener {
 public:
  explicit StreamsFile(const char* path) : file_(std::fopen(path, "a")) {
    if (!file_) std::perror(path), std::exit(2);
  }
  ~StreamsFile() override { std::fclose(file_); }

 private:
  void OnTestStart(const ::testing::TestInfo&) override { ballot::ActionStream::ended().clear(); }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    int number = 0;
    for (const std::uint64_t hash : ballot::ActionStream::ended())
      std::fprintf(file_, "%s.%s %d %016llx\n", test.test_suite_name(), test.name(), ++number,
                   static_cast<unsigned long long>(hash));
  }

  std::FILE* file_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const bool joined = flag.rfind("--seed=", 0) == 0;
    if (!joined && (flag != "--seed" || i + 1 == argc)) {
      std::fprintf(stderr, "simulation: unknown argument: %s; there are --seed N and googletest's flags\n", argv[i]);
      return 2;
    }
    setenv("BALLOT_SEED", joined ? flag.c_str() + 7 : argv[++i], 1);
    testing::GTEST_FLAG(filter) = "Seeds/Random.*";
  }
  if (const char* streams = std::getenv("BALLOT_STREAMS"))
    ::testing::UnitTest::GetInstance()->listeners().Append(new StreamsFile(streams));
  return RUN_ALL_TESTS();
}
