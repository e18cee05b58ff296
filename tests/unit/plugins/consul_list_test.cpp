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

}  // namespace
}  // namespace ballot::consul
