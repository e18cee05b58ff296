// RandomWord: a word that nobody else comes upon: what names a session, or what goes with it.
//
//   check = "ballot-" + name_space + "-" + random_word(6);      // "ballot-production-5f0c9b2e7a41"
#pragma once

#include <cstddef>
#include <random>
#include <string>

namespace ballot::support {

/// Two hexadecimal digits for each of `bytes`.
inline std::string random_word(std::size_t bytes) {
  std::random_device device;
  std::string word;
  for (std::size_t i = 0; i < 2 * bytes; ++i) word += "0123456789abcdef"[device() % 16];
  return word;
}

}  // namespace ballot::support
