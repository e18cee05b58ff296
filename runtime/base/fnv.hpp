// Fnv: the FNV-1a hash with 64 bits (Fowler, Noll, Vo), piece by piece. The same on every node and in every release.
//
//   Fnv().add("group").add("/").add("job").value()
#pragma once

#include <cstdint>
#include <string_view>

namespace ballot {

class Fnv {
 public:
  constexpr Fnv& add(unsigned char byte) {
    value_ = (value_ ^ byte) * 0x100000001b3;
    return *this;
  }
  constexpr Fnv& add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    return *this;
  }
  /// The text with its end: two in a row are not as one.
  constexpr Fnv& add_whole(std::string_view text) { return add(text).add(static_cast<unsigned char>(0)); }

  constexpr std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace ballot
