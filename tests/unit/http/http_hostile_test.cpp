// Servers that send more than anybody asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "asking.hpp"
#include "http_client/congestion.hpp"
#include "http_client/json.hpp"
#include "support/bounds.hpp"
#include "support/process/peak_memory.hpp"
#include "support/servers/hostile_http.hpp"

namespace ballot::http {
namespace {

namespace bounds = support::bounds;
using testing::HostileAnswer;
using testing::HttpPeer;
using testing::PeakMemory;

constexpr std::int64_t most_mib = 64;

class HostileHttp : public ::testing::TestWithParam<HostileAnswer> {};

TEST_P(HostileHttp, FillsNoMemoryHoweverManyAskItAndIsNotWaitedForBeyondTheTime) {
  HttpPeer peer(GetParam().send);
  Asking client({place_of(peer)});
  const PeakMemory peak;
  for (int i = 0; i < 4; ++i) client->ask({.target = "/", .patience = Millis(800)});
  for (int i = 0; i < 4; ++i)
    client->ask({.target = "/", .patience = Millis(800), .largest = bounds::list, .long_poll = true});
  for (int answered = 0; answered < 8; ++answered) {
    const Event event = client.next();
    ASSERT_NE(event.id, 0u) << "no answer, nor a problem";
    EXPECT_LE(event.problem.size(), bounds::text);
    parse_json(event.body);
  }
  EXPECT_TRUE(!PeakMemory::can_tell || peak.mib_over_rest() < most_mib) << peak.mib_over_rest() << " MiB";
}

TEST_P(HostileHttp, FillsNoMemoryByAStreamThatIsReadOn) {
  HttpPeer peer(GetParam().send);
  Asking client({place_of(peer)});
  const PeakMemory peak;
  const auto id = client->stream({.target = "/", .patience = Millis(1500), .largest = bounds::list});
  const SteadyTime until = support::boot_now() + Millis(500);
  for (Event event; support::boot_now() < until && event.kind != Event::Kind::end;) event = client.next(Millis(2000));
  client->cancel(id);
  EXPECT_TRUE(!PeakMemory::can_tell || peak.mib_over_rest() < most_mib) << peak.mib_over_rest() << " MiB";
}

TEST_P(HostileHttp, FillsNoMemoryByAStreamThatNobodyReads) {
  HttpPeer peer(GetParam().send);
  Asking client({place_of(peer)});
  const PeakMemory peak;
  client->stream({.target = "/", .patience = Millis(1500), .largest = bounds::list});
  testing::wait_until([&] { return peak.mib_over_rest() >= most_mib; }, std::chrono::seconds(1));
  EXPECT_TRUE(!PeakMemory::can_tell || peak.mib_over_rest() < most_mib) << peak.mib_over_rest() << " MiB";
}

INSTANTIATE_TEST_SUITE_P(All, HostileHttp, ::testing::ValuesIn(testing::hostile_answers()),
                         [](const auto& one) { return one.param.name; });

TEST(HttpBounds, OfAnswersThatArriveAtTheSamePaceOneIsReadOn) {
  std::vector<PartialAnswer> all;
  for (std::uint64_t ask = 1; ask <= 4; ++ask) all.push_back({bounds::untaken / 4, ask});
  const auto read_on = [&](std::size_t untaken) {
    return std::count_if(all.begin(), all.end(), [&](const auto& own) { return !is_congested(own, all, untaken); });
  };
  EXPECT_EQ(read_on(0), 4) << "there is room";
  for (PartialAnswer& one : all) ++one.held;
  EXPECT_EQ(read_on(0), 1);
  all[2].held += 1;
  EXPECT_EQ(read_on(0), 1);
  EXPECT_FALSE(is_congested(all[2], all, 0)) << "the largest is complete first";
  EXPECT_EQ(read_on(bounds::untaken + 1), 0) << "nobody takes what is complete";
}

TEST(HttpBounds, AStreamThatSaysNothingAfterItsHeadEndsWithItsTime) {
  HttpPeer peer([](HttpPeer::Talk& talk) {
    talk.begin_chunks();
    talk.wait_closed();
  });
  Asking client({place_of(peer)});
  client->stream({.target = "/", .patience = Millis(300)});
  const Event end = client.next(Millis(5000));
  EXPECT_EQ(end.kind, Event::Kind::end);
  EXPECT_NE(end.problem.find("no answer within"), std::string::npos) << end.problem;
}

TEST(HttpBounds, JsonOfMoreValuesThanAreTakenIsNone) {
  const auto zeros = [](std::size_t count) {
    std::string text = "[0";
    for (std::size_t i = 1; i < count; ++i) text += ",0";
    return text + "]";
  };
  EXPECT_TRUE(parse_json(zeros(bounds::json_values / 2)).is_array());
  EXPECT_TRUE(parse_json(zeros(bounds::json_values + 1)).is_null());
  // What stands in a string is no value.
  EXPECT_TRUE(parse_json("[\"\\\"" + std::string(bounds::json_values + 1, ',') + "\"]").is_array());
  EXPECT_TRUE(parse_json(std::string(bounds::json_depth, '[') + std::string(bounds::json_depth, ']')).is_array());
  EXPECT_TRUE(
      parse_json(std::string(bounds::json_depth + 1, '[') + std::string(bounds::json_depth + 1, ']')).is_null());
}

}  // namespace
}  // namespace ballot::http
