// Each harness reads what has been found to be of interest to it, and what was a finding once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include "harness.hpp"

namespace ballot::fuzz {
namespace {

std::set<std::filesystem::path> files_of(std::string_view harness) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(BALLOT_FUZZ_CORPUS) / harness))
    files.insert(entry.path());
  return files;
}

struct Corpus : ::testing::TestWithParam<NamedHarness> {};

/// The name of a file is printed before it is read: the last one is the guilty one.
TEST_P(Corpus, HoldsForEachInput) {
  const auto files = files_of(GetParam().name);
  ASSERT_FALSE(files.empty());
  GetParam().run({});
  for (const auto& file : files) {
    std::cout << file.string() << std::endl;
    std::ifstream in(file, std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(in), {}};
    GetParam().run(input);
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, ::testing::ValuesIn(harnesses()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace ballot::fuzz
