#include <gtest/gtest.h>

#include "http_client/base64.hpp"
#include "http_client/client.hpp"
#include "http_client/json.hpp"

namespace ballot::http {
namespace {

TEST(HttpTexts, ServersAreReadAndWritten) {
  for (const char* text : {"db.example:2379", "10.0.0.7:80", "[::1]:2379"}) EXPECT_EQ(text_of(endpoint_of(text)), text);
  EXPECT_EQ(endpoint_of("[fe80::1]:80").host, "fe80::1");
  EXPECT_EQ(endpoint_of("[fe80::1]:80").port, "80");
}

TEST(HttpTexts, Base64IsThatOfTheStandard) {
  const std::pair<std::string, std::string> known[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : known) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  std::string all;
  for (int i = 0; i < 1000; ++i) all += static_cast<char>(i * 7 % 256);
  EXPECT_EQ(from_base64(to_base64(all)), all);
  for (const char* wrong : {"Zg", "Zg=", "Z===", "Zm9v!A==", "Zg==Zg=="}) EXPECT_EQ(from_base64(wrong), std::nullopt);
}

TEST(HttpTexts, WhatIsAbsentOfAnAnswerIsNothing) {
  const json::value answer = parse_json(R"({"header": {"revision": "18446744073709551615", "term": 7}, "deleted": -1,
                                           "kvs": [{"key": "YQ=="}], "more": true})");
  EXPECT_EQ(number_at(answer, "header", "revision"), 18446744073709551615u);
  EXPECT_EQ(number_at(answer, "header", "term"), 7u);
  EXPECT_EQ(number_at(answer, "deleted"), 0u);
  EXPECT_EQ(number_at(answer, "header", "none", "below"), 0u);
  ASSERT_EQ(array_at(answer, "kvs").size(), 1u);
  EXPECT_EQ(text_at(array_at(answer, "kvs")[0], "key"), "YQ==");
  EXPECT_EQ(text_at(answer, "kvs"), "");
  EXPECT_TRUE(array_at(answer, "more").empty());
  EXPECT_TRUE(truth_at(answer, "more"));
  EXPECT_FALSE(truth_at(answer, "header", "more"));
  EXPECT_TRUE(parse_json("{").is_null());
  EXPECT_TRUE(parse_json(std::string(100, '[')).is_null());
  EXPECT_TRUE(parse_json(R"({"Tags": [6e666666]})").is_null());
  EXPECT_FALSE(parse_json(R"({"Tags": [6e66, -1]})").is_null());
}

}  // namespace
}  // namespace ballot::http
