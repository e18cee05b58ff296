// libFuzzer's way in: the one harness that is linked beside it.
#include <cstddef>
#include <cstdint>

#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ballot::fuzz::harnesses().front().run({reinterpret_cast<const char*>(data), size});
  return 0;
}
