// The words of a line of NATS's protocol, for servers of tests.
//
//   words_of("PUB a.b 3")  // PUB, a.b, 3
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace ballot::testing {

inline std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

}  // namespace ballot::testing
