// The end and the reason that somebody gives a pause, as a question has them.
#include "library/asked_terms.hpp"

#include <gtest/gtest.h>

#include "library/asked_request.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;

const WallTime asked_at{Millis(1'767'268'800'000)};  // 2026-01-01T12:00:00Z

core::PauseTerms terms_of(const io::Message& question) {
  const auto terms = asked_terms(question, asked_at);
  EXPECT_TRUE(terms) << terms.error().what;
  return terms ? *terms : core::PauseTerms();
}

std::string refusal_of(const io::Message& question) {
  const auto terms = asked_terms(question, asked_at);
  EXPECT_FALSE(terms);
  if (terms) return {};
  EXPECT_EQ(terms.error().code, Errc::invalid);
  return terms.error().what;
}

TEST(AskedTerms, AreNoneWhereNothingIsSaid) { EXPECT_TRUE(terms_of({}).empty()); }

TEST(AskedTerms, SayHowLongOrUntilWhen) {
  EXPECT_EQ(terms_of(io::Message().set("for", "2h")), (core::PauseTerms{asked_at + 2h, ""}));
  EXPECT_EQ(terms_of(io::Message().set("until", "2026-01-01T13:00:00Z").set("reason", "disks")),
            (core::PauseTerms{asked_at + 1h, "disks"}));
}

TEST(AskedTerms, ThatCannotBeReadAreRefusedWithWhatWouldBe) {
  EXPECT_EQ(refusal_of(io::Message().set("for", "2h").set("until", "2026-01-01T13:00:00Z")),
            "either for or until says when the pause ends, not both");
  for (const char* text : {"", "soon", "0s", "-2h", "900000000h"})
    EXPECT_NE(refusal_of(io::Message().set("for", text)).find("is no duration such as 90m, 2h or 3d"),
              std::string::npos)
        << text;
  EXPECT_EQ(refusal_of(io::Message().set("until", "tomorrow")),
            "until: 'tomorrow' is no time as 2025-03-09T07:00:00Z (RFC 3339)");
}

TEST(AskedTerms, OfAReasonThatIsNoLineAreRefusedByTheNameThatPeopleKnow) {
  const auto asked = asked_request(core::Request::Kind::pause,
                                   io::Message().set("do", pause_with_terms).set("job", "trim").set("reason", "a\nb"),
                                   "root", asked_at);
  ASSERT_FALSE(asked);
  EXPECT_TRUE(asked.error().what.starts_with("'pause': its reason has a control character")) << asked.error().what;
}

}  // namespace
}  // namespace ballot::library
