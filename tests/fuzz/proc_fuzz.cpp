// What the kernel says of mounts, control groups and processes, which others have named: two texts, a NUL between.
#include <algorithm>

#include "base/cgroup_place.hpp"
#include "harness.hpp"
#include "runner/proc.hpp"

namespace ballot::fuzz::proc_harness {

BALLOT_FUZZ(proc) {
  const std::size_t end = std::min(input.find('\0'), input.size());
  const std::string_view mounts = input.substr(0, end), groups = input.substr(std::min(end + 1, input.size()));
  if (const auto place = find_cgroup(mounts, groups))
    require(place->own.starts_with(place->root), "a folder is within the hierarchy", place->own);
  for (const std::string_view word : runner::words_of(input)) {
    require(!word.empty() && word.find_first_of(" \t\n") == std::string_view::npos, "a word is one", word);
    runner::number_of(word);
  }
}

}  // namespace ballot::fuzz::proc_harness
