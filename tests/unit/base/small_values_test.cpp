#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "ballot/optional_time.hpp"
#include "ballot/shared.hpp"
#include "ballot/time.hpp"
#include "base/digest_text.hpp"

namespace ballot {
namespace {

using Texts = Shared<std::vector<std::string>>;

TEST(OptionalTime, IsAnInstantOrNoneInEightBytes) {
  OptionalTime<WallTime> at;
  EXPECT_EQ(sizeof(at), 8u);
  EXPECT_FALSE(at);
  EXPECT_EQ(std::optional<WallTime>(at), std::nullopt);
  EXPECT_EQ(at.value_or(WallTime(Millis(3))), WallTime(Millis(3)));
  at = WallTime{};
  EXPECT_TRUE(at) << "1970 is an instant";
  EXPECT_EQ(std::optional<WallTime>(at), WallTime{});
  at.reset();
  EXPECT_EQ(std::optional<WallTime>(at), std::nullopt);
}

TEST(Shared, CopiesAreOneObjectUntilOneIsAssigned) {
  Texts a{"x", "y"};
  const Texts b = a;
  EXPECT_TRUE(a.is_same(b));
  EXPECT_TRUE(a.is_shared());
  a.change([](std::vector<std::string>& texts) { texts.push_back("z"); });
  EXPECT_EQ(a, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(b, (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(b.is_shared());
}

TEST(Shared, TakesAPointerAndNothingForTheDefault) {
  EXPECT_EQ(sizeof(Texts), sizeof(void*));
  EXPECT_TRUE(Shared<std::string>("").is_default());
  EXPECT_EQ(Shared<std::string>("a"), "a");
  EXPECT_FALSE(Shared<std::string>("a").is_same(Shared<std::string>("a")));
  EXPECT_EQ(Shared<std::string>("a"), Shared<std::string>("a"));
}

TEST(DigestText, IsTheTextItWasMadeOf) {
  for (const char* text : {"", "d1", "0123456789abcdef0123456789abcdef", "00000000000000000000000000000000",
                           "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcdefa"}) {
    const DigestText digest(text);
    EXPECT_EQ(digest.text(), text);
    EXPECT_EQ(digest.empty(), std::string(text).empty());
    EXPECT_EQ(digest, DigestText(std::string(text)));
  }
  EXPECT_FALSE(DigestText("00000000000000000000000000000000") == DigestText(""));
  EXPECT_LE(sizeof(DigestText), 24u);
}

}  // namespace
}  // namespace ballot
