// What the plugin consul reads and writes, without a server: its settings, where keys lie, and its transactions.
#include <gtest/gtest.h>

#include "consul/keys.hpp"
#include "consul/registration.hpp"
#include "consul/requests.hpp"
#include "consul/settings.hpp"

namespace ballot::consul {
namespace {

using support::KeyChange;

std::string problem(const std::string& key, OptionValue value) {
  const auto problems = check_options({{key, std::move(value)}}, table_keys);
  return problems.empty() ? "" : problems.at(0).text;
}

TEST(ConsulSettings, TheAgentIsThatOfThisHostUnlessAnotherIsNamed) {
  const auto address = [](const std::string& text) { return read_settings({{"address", text}}).address; };
  EXPECT_EQ(read_settings({}).address, "127.0.0.1:8500");
  EXPECT_EQ(address("consul"), "consul:8500");
  EXPECT_EQ(address("http://[::1]:1"), "[::1]:1");
  EXPECT_EQ(address("https://consul"), "consul:8501");
  EXPECT_FALSE(read_settings({}).http.tls);
  EXPECT_TRUE(read_settings({{"address", std::string("https://consul")}}).http.tls);
  for (const char* wrong : {"", "a,b", "a/b", "ftp://a", "a:b"}) EXPECT_NE(problem("address", std::string(wrong)), "");
}

TEST(ConsulSettings, AFileOfTlsMeansTlsAndDoesNotGoWithPlainHttp) {
  EXPECT_TRUE(read_settings({{"tls_ca", std::string("/ca")}}).http.tls);
  const auto wrong_key = [](const Options& options) {
    const auto problems = table_conflicts(options);
    return problems.empty() ? "" : problems.at(0).key;
  };
  EXPECT_EQ(wrong_key({{"tls_ca", std::string("/ca")}, {"address", std::string("http://a")}}), "tls_ca");
  EXPECT_EQ(wrong_key({{"tls_cert", std::string("/cert")}}), "tls_cert");
  EXPECT_EQ(wrong_key({{"tls_cert", std::string("/cert")}, {"tls_key", std::string("/key")}}), "");
  EXPECT_NE(problem("tls_ca", std::string("ca")), "");
}

TEST(ConsulSettings, ATagAndChecksAreOfAService) {
  const OptionValue checks = std::vector<std::string>{"c"};
  EXPECT_EQ(group_conflicts({{"primary_tag", std::string("p")}, {"service_checks", checks}}).size(), 2u);
  EXPECT_TRUE(group_conflicts({{"service", std::string("s")}, {"service_checks", checks}}).empty());
}

TEST(ConsulSettings, ALockDelayIsAtMostAMinute) {
  EXPECT_EQ(read_settings({{"lock_delay", std::string("3s")}}).lock_delay, Millis(3000));
  EXPECT_EQ(read_settings({{"lock_delay", std::string("0s")}}).lock_delay, Millis(0));
  EXPECT_EQ(problem("lock_delay", std::string("60s")), "");
  EXPECT_NE(problem("lock_delay", std::string("61s")), "");
  EXPECT_NE(problem("lock_delay", std::int64_t{3}), "");
}

TEST(ConsulSettings, APrefixIsAPath) {
  EXPECT_EQ(read_settings({}).prefix, "ballot");
  EXPECT_EQ(problem("prefix", std::string("ops/ballot")), "");
  for (const char* wrong : {"", "/a", "a/", "a//b", "a b"})
    EXPECT_NE(problem("prefix", std::string(wrong)), "") << wrong;
}

TEST(ConsulKeys, TermsAreSpreadOverFoldersAndAreFoundAgain) {
  const KeyPaths paths("ballot/test/");
  std::set<std::string> folders;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "t/group-" + std::to_string(i), path = paths.path(key);
    EXPECT_EQ(paths.key(path), key);
    folders.insert(path.substr(0, path.rfind('/') + 1));
  }
  const auto all = paths.folders("t/");
  EXPECT_EQ(folders, std::set<std::string>(all.begin(), all.end()));
  EXPECT_EQ(folders.size(), 16u);
}

TEST(ConsulKeys, OthersLieUnderTheirOwnNames) {
  const KeyPaths paths("ballot/test/");
  for (const char* key : {"s/a", "m/a@g", "c/g/a", "r/j/x.y", "r/q/", "t/"}) {
    EXPECT_EQ(paths.path(key), std::string("ballot/test/") + key);
    EXPECT_EQ(paths.key(paths.path(key)), key);
  }
  EXPECT_EQ(paths.folders("s/"), std::vector<std::string>{"ballot/test/s/"});
  EXPECT_EQ(in_url("a@b/c d"), "a%40b/c%20d");
}

class ConsulTransaction : public ::testing::Test {
 protected:
  /// How many go into one.
  std::size_t fill(const KeyChange& change, std::size_t groups = 1'000) {
    for (std::size_t i = 0; i < groups; ++i) {
      KeyChange one = change;
      one.key += std::to_string(i);
      if (!one.term_key.empty()) one.term_key += std::to_string(i);
      if (!transaction_.add(one, i)) return i;
    }
    return groups;
  }
  std::size_t operations() const { return transaction_.operations().size(); }
  std::size_t bytes() const {
    std::size_t all = 2;
    for (const std::string& one : transaction_.operations()) all += one.size() + 1;
    return all;
  }
  static Reply refused(const std::string& errors) {
    return Reply(Reply::Meaning::refused, R"({"Errors":[)" + errors + "]}");
  }
  static std::string error(int operation, const std::string& what) {
    return R"({"OpIndex":)" + std::to_string(operation) + R"(,"What":")" + what + R"("})";
  }
  /// None for what is to be sent again.
  std::vector<std::optional<StoreResult>> judge(const Reply& reply) {
    std::vector<std::optional<StoreResult>> outcomes;
    for (const auto& answer : transaction_.judge(reply))
      outcomes.push_back(answer ? std::optional(answer->outcome) : std::nullopt);
    return outcomes;
  }

  const KeyPaths paths_{"b/"};
  const Guard guard_{"s/a", "session"};
  Transaction transaction_{paths_, guard_};
};

TEST_F(ConsulTransaction, HasNoMoreOperationsThanConsulTakes) {
  EXPECT_EQ(fill({"r/", "x", 1, true, "t/", 1}), 31u);
  EXPECT_EQ(operations(), 63u);
}

TEST_F(ConsulTransaction, AssertsTheSessionOnce) {
  EXPECT_EQ(fill({"r/", "x", 1, true}), 63u);
  EXPECT_EQ(operations(), 64u);
}

TEST_F(ConsulTransaction, IsNoLargerThanTheAgentTakes) {
  EXPECT_EQ(fill({"r/", std::string(8192, 'x'), 1}), 36u);
  EXPECT_LT(bytes(), 512u * 1024);
}

TEST_F(ConsulTransaction, ChangesAKeyOnce) {
  EXPECT_TRUE(transaction_.add({"r/x", "1"}, 1));
  EXPECT_FALSE(transaction_.add({"r/x", "2"}, 2));
}

TEST_F(ConsulTransaction, AnswersEachWithItsVersion) {
  transaction_.add({"r/x", "1", 0, true, "t/g", 7}, 1);
  transaction_.add({"r/y", std::nullopt, 4}, 2);
  const auto answers = transaction_.judge(
      Reply(Reply::Meaning::done,
            R"({"Results":[{"KV":{"Key":"b/s/a","ModifyIndex":3}},{"KV":{"Key":"b/r/x","ModifyIndex":9}}]})"));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0]->version, 9u);
  EXPECT_EQ(answers[1]->outcome, StoreResult::done);
}

TEST_F(ConsulTransaction, ARefusalIsOfThoseThatFailedAndTheOthersAreSentAgain) {
  transaction_.add({"r/x", "1", 0, true, "t/g", 7}, 1);  // operations 0, 1, 2
  transaction_.add({"r/y", "1", 0, true, "t/h", 7}, 1);  // 3, 4
  transaction_.add({"r/z", "1", 3}, 1);                  // 5
  using All = std::vector<std::optional<StoreResult>>;
  EXPECT_EQ(judge(refused(error(1, "failed index check for key") + "," + error(5, "index is stale"))),
            (All{StoreResult::not_leader, std::nullopt, StoreResult::conflict}));
  EXPECT_EQ(judge(refused(error(0, "failed session check for key"))),
            (All{StoreResult::not_leader, StoreResult::not_leader, std::nullopt}));
}

TEST_F(ConsulTransaction, WhatMayNotBeWrittenHasFailed) {
  transaction_.add({"r/x", "1", 0}, 1);
  EXPECT_EQ(judge(refused(error(0, "Permission denied"))).at(0), StoreResult::failed);
  EXPECT_EQ(judge(Reply(Reply::Meaning::forbidden, "Permission denied")).at(0), StoreResult::failed);
}

TEST_F(ConsulTransaction, WhatIsNotUnderstoodIsUnknown) {
  transaction_.add({"r/x", "1", 0}, 1);
  EXPECT_EQ(judge(Reply(Reply::Meaning::unknown, "No cluster leader")).at(0), StoreResult::unknown);
  EXPECT_EQ(judge(Reply(Reply::Meaning::refused, "what?")).at(0), StoreResult::unknown);
}

TEST(ConsulEntries, ABoundKeyWithoutItsSessionIsNone) {
  const auto json = http::parse_json(
      R"([{"Key":"b/s/a","Value":"eA==","ModifyIndex":3},{"Key":"b/s/b","Value":"eA==","ModifyIndex":4,"Session":"id"},)"
      R"({"Key":"b/r/x","Value":null,"ModifyIndex":5},{"Key":"elsewhere","Value":null,"ModifyIndex":6}])");
  const auto entries = entries_of(KeyPaths("b/"), http::array_of(json));
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].key, "s/b");
  EXPECT_EQ(entries[0].value, "x");
  EXPECT_EQ(entries[1].key, "r/x");
  EXPECT_EQ(entries[1].version, 5u);
}

TEST(ConsulServices, AServiceIsFoundByItsIdOrByANameThatOnlyOneHas) {
  const auto services = http::parse_json(
      R"({"web-1":{"ID":"web-1","Service":"web","Port":80},"db":{"ID":"db","Service":"sql"},"x":{"ID":"x","Service":"db"},)"
      R"("y":{"ID":"y","Service":"many"},"z":{"ID":"z","Service":"many"}})");
  EXPECT_EQ(http::text_at(find_service(services, "web"), "ID"), "web-1");
  EXPECT_EQ(http::number_at(find_service(services, "web-1"), "Port"), 80u);
  EXPECT_EQ(http::text_at(find_service(services, "db"), "Service"), "sql");
  EXPECT_TRUE(find_service(services, "many").is_null());
  EXPECT_TRUE(find_service(services, "none").is_null());
  EXPECT_TRUE(find_service(http::parse_json("[]"), "web").is_null());
}

TEST(ConsulServices, ARegistrationKeepsWhatItDoesNotKnow) {
  const auto shown = http::parse_json(
      R"({"ID":"web-1","Service":"web","Tags":["a"],"Future":{"x":[1]},"ContentHash":"h","Datacenter":"dc1"})");
  EXPECT_EQ(http::parse_json(with_tag(shown, "primary", true)),
            http::parse_json(R"({"ID":"web-1","Name":"web","Tags":["a","primary"],"Future":{"x":[1]}})"));
  EXPECT_EQ(http::parse_json(with_tag(shown, "a", false)),
            http::parse_json(R"({"ID":"web-1","Name":"web","Tags":[],"Future":{"x":[1]}})"));
}

TEST(ConsulServices, InTheCatalogOnlyTheTagIsTakenOff) {
  const auto entry = http::parse_json(
      R"({"Node":"h","Address":"10.0.0.1","ServiceID":"web-1","ServiceName":"web","ServiceAddress":"10.0.0.9",)"
      R"("ServiceTags":["a","primary"],"ServicePort":80,"ServiceEnableTagOverride":true,"ServiceMeta":{"k":"v"}})");
  EXPECT_EQ(http::parse_json(without_tag(entry, "primary")),
            http::parse_json(R"({"Node":"h","Address":"10.0.0.1","SkipNodeUpdate":true,"Service":{"ID":"web-1",)"
                             R"("Service":"web","Address":"10.0.0.9","Tags":["a"],"Port":80,"EnableTagOverride":true,)"
                             R"("Meta":{"k":"v"}}})"));
}

}  // namespace
}  // namespace ballot::consul
