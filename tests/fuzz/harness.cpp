#include "harness.hpp"

#include <cstdio>
#include <cstdlib>

namespace ballot::fuzz {

std::vector<NamedHarness>& harnesses() {
  static std::vector<NamedHarness> all;
  return all;
}

void require(bool holds, std::string_view what, std::string_view found) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(found.size()), found.data());
  std::abort();
}

}  // namespace ballot::fuzz
