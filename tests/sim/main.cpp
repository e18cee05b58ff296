// The simulation. `--seed N` replays one random seed, and runs nothing else.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
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
  return RUN_ALL_TESTS();
}
