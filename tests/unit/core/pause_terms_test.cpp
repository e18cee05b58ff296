// The end and the reason of a pause: what is taken, what requests and answers say of them, and who is known to know
// them.
#include "core/record/pause_terms.hpp"

#include <gtest/gtest.h>

#include "core/node/peers.hpp"
#include "core/request/pause_answers.hpp"
#include "core/request/request.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

const WallTime noon_of_terms{Millis(1'767'268'800'000)};  // 2026-01-01T12:00:00Z

Request pause_with(PauseTerms terms) {
  Request request;
  request.kind = Request::Kind::pause;
  request.id = *RunId::parse("0190a0b0-0000-7000-8000-000000000001");
  request.job = "backup";
  request.terms = std::move(terms);
  request.until = noon_of_terms;
  return request;
}

TEST(PauseTerms, AreReadBackFromARequest) {
  for (const PauseTerms& terms : {PauseTerms{}, PauseTerms{noon_of_terms + 2h, ""}, PauseTerms{{}, "disks are changed"},
                                  PauseTerms{noon_of_terms + 2h, "-"}}) {
    const auto read = parse_request(to_text(pause_with(terms)));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->terms, terms);
  }
}

TEST(PauseTerms, AreOneLineOfPlainTextOfAtMost256Bytes) {
  EXPECT_EQ(fault_of(pause_with({{}, std::string(256, 'x')})), "");
  EXPECT_EQ(fault_of(pause_with({{}, "Festplatten werden ge\u00e4ndert"})), "");
  EXPECT_EQ(fault_of(pause_with({{}, std::string(257, 'x')})), "its reason is longer than 256 bytes");
  for (const char* text : {"two\nlines", "a\ttab", "a bell\a", "\x7f",
                           "\xc2\x9b"
                           "31m"})
    EXPECT_NE(fault_of(pause_with({{}, text})).find("control character"), std::string_view::npos) << text;
  EXPECT_EQ(fault_of(pause_with({{}, "\xff"})), "its reason is not UTF-8");
  Request resume = pause_with({noon_of_terms, ""});
  resume.kind = Request::Kind::resume;
  EXPECT_EQ(fault_of(resume), "only a pause has an end and a reason");
}

TEST(PauseTerms, AreAmongTheFactsOfAPause) {
  EXPECT_EQ(pause_facts(noon_of_terms, "n1 uid 0", {noon_of_terms + 2h, "disks"}),
            "since 2026-01-01T12:00:00.000Z, by n1 uid 0, until 2026-01-01T14:00:00.000Z: disks");
  EXPECT_EQ(pause_facts(noon_of_terms, "", {{}, "disks"}), "since 2026-01-01T12:00:00.000Z: disks");
  EXPECT_EQ(pause_facts(noon_of_terms, "n1 uid 0", {}), "since 2026-01-01T12:00:00.000Z, by n1 uid 0");
  EXPECT_EQ(pause_changed("job backup", "by n1 uid 0", {noon_of_terms, "disks"}).text,
            "job backup was paused already by n1 uid 0; now until 2026-01-01T12:00:00.000Z: disks");
}

TEST(PauseTerms, AreNotKnownToANodeThatDoesNotSaySo) {
  Peers peers;
  NodeRecord old{"old", "s1", "", noon_of_terms, {{"nightly", 1}}};
  NodeRecord other{"other", "s2", "", noon_of_terms, {{"nightly", 1}}};
  other.knows_pause_terms = true;
  const auto learn = [&] {
    peers.learn({}, "n1", {{"n/old.1", to_texts(old)[0], 1}, {"n/other.1", to_texts(other)[0], 2}});
  };
  Group group;
  group.name = "nightly";
  learn();
  EXPECT_EQ(peers.lacks_pause_terms(group), "old");
  Group without_it = group;
  without_it.candidates = {"n?", "other"};
  EXPECT_EQ(peers.lacks_pause_terms(without_it), "") << "it does not lead it";
  const Now later{noon_of_terms, SteadyTime(2h)};
  peers.see(later, group, {"nightly", 3, {}});
  EXPECT_EQ(peers.lacks_pause_terms(group), "") << "it is gone";
  old.session = "s3";
  old.at += 1s;
  old.knows_pause_terms = true;
  learn();
  EXPECT_EQ(peers.lacks_pause_terms(group), "") << "it was upgraded";
}

}  // namespace
}  // namespace ballot::core
