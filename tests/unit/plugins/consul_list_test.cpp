// Lists that are larger than one answer may be, of an agent that says what the test has it say.
#include <gtest/gtest.h>

#include <set>

#include "consul/keys.hpp"
#include "support/bounds.hpp"
#include "support/clock.hpp"
#include "support/servers/http_peer.hpp"

namespace ballot::consul {
namespace {

using support::KeyRead;
using testing::HttpPeer;

class ConsulLists : public ::testing::Test {
 protected:
  static constexpr std::size_t keys_there = 130;  // of three transactions

  static std::string name(std::size_t i) { return "b/r/j/job-" + std::to_string(1000 + i); }
  /// As Consul answers, but that all together is always too large.
  void answer(HttpPeer::Talk& talk) {
    const std::string asked = talk.asked();
    if (!answer_.empty()) return talk.answer(200, answer_);
    if (asked.find("?recurse") != std::string::npos)
      return talk.answer(200, std::string(support::bounds::list + 1, ' '));
    std::string body;
    if (asked.find("?keys") != std::string::npos) {
      for (std::size_t i = 0; i < keys_there; ++i) body += (body.empty() ? "[\"" : ",\"") + name(i) + '"';
      return talk.answer(200, body + ']');
    }
    for (std::size_t i = 0; i < keys_there; ++i)
      if (talk.body().find('"' + name(i) + '"') != std::string::npos)
        body += (body.empty() ? "" : ",") +
                (R"({"KV":{"Key":")" + name(i) + R"(","Value":")" + value_ + R"(","ModifyIndex":7}})");
    talk.answer(200, "{\"Results\":[" + body + "]}");
  }
  KeyRead list() {
    std::optional<KeyRead> read;
    keys_.list("r/j/", [&](const KeyRead& one) { read = one; });
    for (const SteadyTime end = support::boot_now() + Millis(20'000); !read && support::boot_now() < end;) {
      wakeup_->wait(end);
      agent_.receive();
    }
    return read.value_or(KeyRead{});
  }

  KeyRead get(const std::vector<std::string>& keys) {
    std::optional<KeyRead> read;
    keys_.get(keys, [&](const KeyRead& one) { read = one; });
    for (const SteadyTime end = support::boot_now() + Millis(20'000); !read && support::boot_now() < end;) {
      wakeup_->wait(end);
      agent_.receive();
    }
    return read.value_or(KeyRead{});
  }

  std::string answer_;          // to each request; "": keys_there
  std::string value_ = "MQ==";  // 1
  HttpPeer peer_{[this](HttpPeer::Talk& talk) { answer(talk); }};
  std::shared_ptr<support::Wakeup> wakeup_ = std::make_shared<support::Wakeup>();
  Agent agent_{{.servers = {{"127.0.0.1", std::to_string(peer_.port())}}}, wakeup_, "", [] {}};
  KeyPaths paths_{"b/"};
  Guard guard_;
  Keys keys_{agent_, paths_, guard_};
};

TEST_F(ConsulLists, AreReadByTheKeysNamesWhereOneAnswerWouldBeTooLarge) {
  agent_.set_patience(Millis(10'000));
  const KeyRead read = list();
  ASSERT_EQ(read.outcome, StoreResult::done) << read.text;
  ASSERT_EQ(read.entries.size(), keys_there);
  std::set<std::string> names;
  for (const support::KeyEntry& entry : read.entries) {
    names.insert(entry.key);
    EXPECT_EQ(entry.value, "1");
    EXPECT_EQ(entry.version, 7u);
  }
  EXPECT_EQ(names.size(), keys_there);
  EXPECT_EQ(peer_.asked().size(), 2u + 3u);
}

/// A key that cannot be read is not absent, and no later version could follow such a one.
TEST_F(ConsulLists, OfKeysWithoutAVersionAreUnknown) {
  agent_.set_patience(Millis(10'000));
  for (const char* const version : {"0", "-1", "9223372036854775807", "18446744073709551615", "1.5", "null", "[]"}) {
    const std::string entry = R"({"Key":"b/r/j/x","Value":"MQ==","ModifyIndex":)" + std::string(version) + "}";
    answer_ = "[" + entry + "]";
    EXPECT_EQ(list().outcome, StoreResult::unknown) << version;
    answer_ = R"({"Results":[{"KV":)" + entry + "}]}";
    EXPECT_EQ(get({"r/j/x"}).outcome, StoreResult::unknown) << version;
  }
  answer_ = R"({"Results":[{"KV":{"Key":"b/r/j/x","Value":"MQ==","ModifyIndex":7}}]})";
  EXPECT_EQ(get({"r/j/x"}).outcome, StoreResult::done);
}

TEST_F(ConsulLists, ThatAreNoneAreUnknown) {
  agent_.set_patience(Millis(10'000));
  for (const char* const text : {"{}", "null", "<html>", R"([{"Key":"b/r/j/x","Value":"%%%","ModifyIndex":7}])"}) {
    answer_ = text;
    EXPECT_EQ(list().outcome, StoreResult::unknown) << text;
  }
}

TEST_F(ConsulLists, ThatAnswerAnotherReadAreUnknown) {
  agent_.set_patience(Millis(10'000));
  answer_ = R"({"Results":[]})";
  EXPECT_EQ(get({"r/j/x"}).outcome, StoreResult::unknown);
}

}  // namespace
}  // namespace ballot::consul
