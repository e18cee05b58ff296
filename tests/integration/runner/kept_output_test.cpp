#include "base/kept_output.hpp"

#include <gtest/gtest.h>

namespace ballot::runner {
namespace {

/// What a KeptOutput should keep of `all`.
Output model(const std::string& all, std::size_t limit) {
  const std::string head = all.substr(0, limit / 2), rest = all.substr(head.size());
  const std::size_t tail = std::min(rest.size(), limit - limit / 2);
  return {head, rest.substr(rest.size() - tail), static_cast<std::int64_t>(all.size())};
}

TEST(KeptOutput, KeepsHeadAndTailHoweverItIsCut) {
  for (const std::size_t limit : {0u, 1u, 2u, 7u, 16u, 100u})
    for (const std::size_t size : {0u, 1u, 7u, 8u, 16u, 17u, 99u, 250u})
      for (const std::size_t chunk : {1u, 3u, 8u, 64u, 1000u}) {
        std::string all;
        for (std::size_t i = 0; i < size; ++i) all += static_cast<char>('a' + i % 26);
        KeptOutput kept(static_cast<std::int64_t>(limit));
        for (std::size_t at = 0; at < size; at += chunk) kept.append(std::string_view(all).substr(at, chunk));
        const Output output = kept.take(), wanted = model(all, limit);
        ASSERT_EQ(output.head, wanted.head) << limit << ' ' << size << ' ' << chunk;
        ASSERT_EQ(output.tail, wanted.tail) << limit << ' ' << size << ' ' << chunk;
        ASSERT_EQ(output.total_bytes, wanted.total_bytes);
      }
}

}  // namespace
}  // namespace ballot::runner
