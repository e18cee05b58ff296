#include "io/message.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "io/question.hpp"

namespace ballot::io {
namespace {

TEST(Message, ComesBackAsItWent) {
  Message row;
  row.set("name", "a").set("next", Message::Value());
  Message message;
  message.set("text", "line\nbreak \"quoted\" \\ \x01 \xC3\xA9")
      .set("yes", true)
      .set("big", std::numeric_limits<std::int64_t>::max())
      .set("small", std::numeric_limits<std::int64_t>::min())
      .set("texts", std::vector<std::string>{"a", "b"})
      .set("rows", std::vector<Message>{row, row});
  const std::string line = encode(message);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto back = decode(line);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, message);
}

TEST(Message, SendsWhatIsNoUtf8AsReplacementCharacters) {
  Message message;
  message.set("text", "a\xff\xc3(b");
  const auto back = decode(encode(message));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->text("text"), "a\xEF\xBF\xBD\xEF\xBF\xBD(b");
}

TEST(Message, HasNoValueOfAnotherType) {
  Message message;
  message.set("number", 3).set("nothing", std::optional<std::string>());
  EXPECT_EQ(message.integer("number"), 3);
  EXPECT_FALSE(message.text("number"));
  EXPECT_FALSE(message.text("nothing"));
  EXPECT_FALSE(message.flag("absent"));
  EXPECT_TRUE(message.texts("number").empty());
}

TEST(Message, RefusesAKeyThatStandsTwiceInAnObject) {
  for (const char* line :
       {R"({"do":"jobs","do":"trigger"})", R"({"a":[{"b":1},{"b":1,"c":"x:y","b":2}]})", R"({"a":1,"\u0061":1})"}) {
    const auto message = decode(line);
    ASSERT_FALSE(message) << line;
    EXPECT_EQ(message.error().what, "this is JSON, but a key stands twice in one of its objects");
  }
  EXPECT_TRUE(decode(R"({"a:\"b\\":"::\":","c":[{"a":1},{"a":1}]})"));
}

TEST(Message, WritesCharactersThatTurnTextRoundAsEscapes) {
  Message message;
  const std::string text = "a\u202Eb\u2066c\u200F\u061C\u0085\u2028\u007f\u00e9\u20ac\U0001F600";
  message.set("k\u202E", text);
  const std::string line = encode(message);
  EXPECT_EQ(line, "{\"k\\u202e\":\"a\\u202eb\\u2066c\\u200f\\u061c\\u0085\\u2028\\u007f\u00e9\u20ac\U0001F600\"}");
  EXPECT_EQ(*decode(line), message);
}

TEST(Message, IsEncodedAsTheLastOneOfAnAnswerAndItsContentIsTakenOutAgain) {
  Message message;
  EXPECT_EQ(encode_last(message), R"({"last":true})");
  EXPECT_EQ(content_of_last(encode_last(message)), "{}");
  message.set("a", "x\"last\":true}").set("z", std::vector<Message>{Message(), Message().set("last", true)});
  EXPECT_EQ(content_of_last(encode_last(message)), encode(message));
  EXPECT_EQ(encode_last(*decode(encode_last(message))), encode_last(message)) << "of an answer that was one before";
  EXPECT_FALSE(content_of_last(encode_last(to_message({Errc::not_found, "no such job"})))) << "an error is no content";
  EXPECT_FALSE(content_of_last(R"({"last":true,"of":"another build"})"));
}

TEST(Message, RefusesWhatItCannotHold) {
  const std::string deep = std::string(40, '[') + std::string(40, ']');
  for (const std::string& line :
       {std::string(), std::string("{"), std::string("[]"), std::string("3"), std::string("{\"a\":1.5}"),
        std::string("{\"a\":{}}"), std::string("{\"a\":[1]}"), std::string("{\"a\":[\"x\",{}]}"),
        std::string("{\"a\":1} x"), std::string("{\"a\":18446744073709551615}"), std::string("{\"a\":\"\xff\"}"),
        "{\"a\":" + deep + "}"}) {
    const auto message = decode(line);
    ASSERT_FALSE(message) << line;
    EXPECT_EQ(message.error().code, Errc::invalid) << line;
    EXPECT_FALSE(message.error().what.empty()) << line;
  }
}

TEST(Message, CarriesAnErrorThereAndBack) {
  const auto back = to_error(to_message({Errc::not_found, "no job 'x'"}));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->code, Errc::not_found);
  EXPECT_EQ(back->what, "no job 'x'");
  EXPECT_FALSE(to_error(Message()));
}

}  // namespace
}  // namespace ballot::io
