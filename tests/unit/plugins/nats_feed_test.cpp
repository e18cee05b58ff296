// A feed whose consumers are on replicas that number messages otherwise than the stream's leader, which real servers
// come to only after they were stopped or killed (conformance/nats_claims_test.cpp).
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "conformance/nats_parts.hpp"
#include "support/servers/scripted_jetstream.hpp"

namespace ballot::testing {
namespace {

using support::KeyAnswer;
using support::Priority;

constexpr Millis limit{20'000};

/// Starts to read; false: it is not live within the limit.
bool read(NatsParts& parts) {
  NatsParts::pump(
      {&parts}, [&] { return parts.connected; }, limit);
  parts.bucket.feed().start(Millis(500));
  return NatsParts::pump(
      {&parts}, [&] { return parts.bucket.feed().is_live(); }, limit);
}

KeyAnswer write(NatsParts& parts, support::KeyChange change) {
  std::optional<KeyAnswer> found;
  parts.bucket.write(std::move(change), Priority::normal, support::boot_now() + limit,
                     [&](const KeyAnswer& answer) { found = answer; });
  NatsParts::pump(
      {&parts}, [&] { return found.has_value(); }, limit);
  return found.value_or(KeyAnswer{});
}

TEST(NatsFeed, OfAReplicaThatDoesNotAgreeWithTheLeaderIsMadeAnewUntilItsReplicaAgrees) {
  ScriptedJetStream server({1, -1, 0});
  NatsParts parts(server.address(), "b");
  ASSERT_TRUE(read(parts));
  EXPECT_EQ(server.consumers(), 3u);
  EXPECT_EQ(parts.disagreements, 2);
  EXPECT_EQ(parts.renumbered, 0);
}

TEST(NatsFeed, ThatAgreesIsKept) {
  ScriptedJetStream server({0});
  NatsParts parts(server.address(), "b");
  ASSERT_TRUE(read(parts));
  std::uint64_t version = write(parts, {"r/j/x", "1", 0}).version;
  for (int i = 0; i < 3; ++i) {
    const KeyAnswer answer = write(parts, {"r/j/x", "2", version});
    ASSERT_EQ(answer.outcome, StoreResult::done) << answer.text;
    version = answer.version;
  }
  EXPECT_EQ(server.consumers(), 1u);
  EXPECT_EQ(parts.disagreements, 0);
}

/// Of a stream of many keys the last ones come long after the barrier was acknowledged.
TEST(NatsFeed, WhoseReplicaSendsForLongerThanABarrierMayTakeIsFilled) {
  ScriptedJetStream server({0});
  NatsParts parts(server.address(), "b");
  ASSERT_TRUE(read(parts));
  for (const char* const key : {"r/j/a", "r/j/b", "r/j/c", "r/j/d"})
    ASSERT_EQ(write(parts, {key, "1", 0}).outcome, StoreResult::done);
  server.slow_down(Millis(300));
  server.renumber(0);
  ASSERT_TRUE(NatsParts::pump(
      {&parts}, [&] { return server.consumers() > 1 && parts.bucket.feed().is_live(); }, limit / 4));
  EXPECT_EQ(server.consumers(), 2u);
  EXPECT_EQ(parts.disagreements, 0);
}

TEST(NatsFeed, AKeyThatWasRemovedTakesNoRoomInIt) {
  ScriptedJetStream server({0});
  NatsParts parts(server.address(), "b");
  ASSERT_TRUE(read(parts));
  EXPECT_EQ(parts.bucket.feed().bytes(), 0u);
  const std::uint64_t version = write(parts, {"r/q/x", std::string(1000, 'x'), 0}).version;
  const std::uint64_t marker = write(parts, {"r/q/x", std::nullopt, version}).version;
  ASSERT_TRUE(NatsParts::pump(
      {&parts},
      [&] {
        const auto& entries = parts.bucket.feed().entries();
        const auto found = entries.find("r/q/x");
        return found != entries.end() && found->second.marker;
      },
      limit));
  EXPECT_GT(parts.bucket.feed().bytes(), 0u);
  parts.bucket.feed().drop_marker("r/q/x", marker);
  EXPECT_EQ(parts.bucket.feed().bytes(), 0u);
}

/// Without that a version that was read before would be another message's.
TEST(NatsFeed, OfMessagesWithOtherNumbersThanBeforeSaysSo) {
  ScriptedJetStream server({0});
  NatsParts parts(server.address(), "b");
  ASSERT_TRUE(read(parts));
  const std::uint64_t version = write(parts, {"r/j/x", "1", 0}).version;
  NatsParts::pump(
      {&parts}, [&] { return parts.bucket.feed().find("r/j/x") != nullptr; }, limit);
  const std::string next = parts.bucket.id_over("r/j/x", version).value_or("");
  EXPECT_FALSE(next.empty());
  server.renumber(-1);
  ASSERT_TRUE(NatsParts::pump(
      {&parts}, [&] { return parts.renumbered > 0 && parts.bucket.feed().is_live(); }, limit));
  ASSERT_NE(parts.bucket.feed().find("r/j/x"), nullptr);
  const std::uint64_t renumbered = parts.bucket.feed().find("r/j/x")->version;
  EXPECT_EQ(renumbered, version - 1);
  EXPECT_EQ(parts.bucket.id_over("r/j/x", renumbered), next) << "it is the same message";
  EXPECT_FALSE(parts.bucket.id_over("r/j/x", version));
}

/// No later message could have a larger number.
TEST(NatsFeed, AWriteThatIsAcknowledgedWithANumberThatIsNoneIsUnknown) {
  ScriptedJetStream server({0});
  NatsParts parts(server.address(), "b");
  ASSERT_TRUE(read(parts));
  server.renumber(std::numeric_limits<std::int64_t>::max() - 100);
  NatsParts::pump(
      {&parts}, [&] { return !parts.connected; }, limit);
  NatsParts::pump(
      {&parts}, [&] { return parts.connected; }, limit);
  EXPECT_EQ(write(parts, {"r/j/x", "1"}).outcome, StoreResult::unknown);
}

}  // namespace
}  // namespace ballot::testing
