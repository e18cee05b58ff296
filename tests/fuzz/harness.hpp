// Harness: what reads any bytes and looks at what becomes of them. Each parser of what others have written has one, in
// a file NAME_fuzz.cpp: a program of libFuzzer's where the preset is `fuzz`, else a part of the test that reads all of
// corpus/ (docs/developers/testing.md, Fuzzing). Knows nothing of either. One thread.
//
//   BALLOT_FUZZ(durations) {
//     if (const auto value = parse_duration(input)) require(parse_duration(format_duration(*value)) == value, "...");
//   }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fnv.hpp"
#include "base/random.hpp"
#include "base/utf8.hpp"

namespace ballot::fuzz {

/// The same bytes always come to the same. It throws nothing, and keeps nothing from one input to the next.
using Harness = void (*)(std::string_view input);

struct NamedHarness {
  std::string_view name;
  Harness run;
};

/// All that are linked in.
std::vector<NamedHarness>& harnesses();

struct Registered {
  Registered(std::string_view name, Harness run) { harnesses().push_back({name, run}); }
};

/// What does not hold ends the process, as a crash does, with the text.
void require(bool holds, std::string_view what, std::string_view found = {});

/// Somebody's screen or log may have it: UTF-8 without control characters.
inline bool is_showable(std::string_view text) {
  for (std::size_t length = 0; !text.empty(); text.remove_prefix(length)) {
    length = utf8_length(text);
    if (length == 0 || static_cast<unsigned char>(text.front()) < 0x20 || text.front() == 0x7f) return false;
  }
  return true;
}

/// Nor C1's control characters, which some terminals obey.
inline bool is_harmless(std::string_view text) {
  if (!is_showable(text)) return false;
  for (std::size_t at = 0; (at = text.find('\xc2', at)) != std::string_view::npos; ++at)
    if (static_cast<unsigned char>(text[at + 1]) < 0xa0) return false;
  return true;
}

/// The bytes as a stream may bring them: cut at places that follow from what they are.
inline std::vector<std::string_view> in_pieces(std::string_view bytes) {
  std::vector<std::string_view> pieces;
  Random random(Fnv().add(bytes).value());
  const std::uint64_t longest = 1 + random.below(random.below(2) == 0 ? 8 : bytes.size() + 1);
  while (!bytes.empty()) {
    pieces.push_back(bytes.substr(0, 1 + random.below(longest)));
    bytes.remove_prefix(pieces.back().size());
  }
  return pieces;
}

}  // namespace ballot::fuzz

#define BALLOT_FUZZ(name)                                                        \
  static void fuzz_##name(std::string_view input);                               \
  static const ::ballot::fuzz::Registered registered_##name(#name, fuzz_##name); \
  static void fuzz_##name([[maybe_unused]] std::string_view input)
