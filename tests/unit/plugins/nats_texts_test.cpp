// The plugin nats without a server: keys as subjects, what the table says, what the API answers, what is wrong with a
// bucket.
#include <gtest/gtest.h>

#include "jetstream/api.hpp"
#include "nats/settings.hpp"
#include "nats/state.hpp"

namespace ballot::nats {
namespace {

TEST(NatsSubjects, EachKeyIsASubjectAndComesBack) {
  EXPECT_EQ(subject_of("b", "r/j/a.b"), "$KV.b.r.j.a=2Eb");
  for (const std::string key : {"s/node", "s/a@g", "t/x.y_z-1", "r/j/a=b", "c/g/n"}) {
    const std::string subject = subject_of("b", key);
    EXPECT_EQ(subject.find_first_of("@ *>"), std::string::npos);
    EXPECT_EQ(key_of("b", subject), key);
  }
}

TEST(NatsSubjects, WhatIsOfNoKeyHasNone) {
  EXPECT_FALSE(key_of("b", own_subject_of("b", "b.17")));
  EXPECT_FALSE(key_of("b", "$KV.other.r.j.x"));
  EXPECT_FALSE(key_of("b", "$KV.b.r.=4"));
}

TEST(NatsSettings, SaysWhatIsWrong) {
  const auto problem = [](const char* name, const OptionValue& value) {
    const auto problems = check_options({{name, value}}, table_keys);
    return problems.empty() ? "" : problems.front().text;
  };
  EXPECT_EQ(problem("servers", std::vector<std::string>{"nats://one", "two:4223"}), "");
  EXPECT_NE(problem("servers", std::string("one/path")), "");
  EXPECT_NE(problem("bucket", std::string("with.dot")), "");
  EXPECT_EQ(problem("replicas", std::int64_t{3}), "");
  EXPECT_NE(problem("replicas", std::int64_t{6}), "");
  EXPECT_NE(problem("user", std::string("name")), "");
  EXPECT_EQ(problem("user", std::string("name:/file")), "");
  EXPECT_NE(problem("nkey", std::string("SU:/file")), "");
  EXPECT_EQ(problem("ca", std::string("system")), "");
  EXPECT_NE(problem("cert", std::string("relative")), "");
}

TEST(NatsSettings, ReadsTheTable) {
  const auto settings = read_settings({{"servers", std::string("tls://one,two:4223")},
                                       {"user", std::string("me:/etc/password")},
                                       {"replicas", std::string("5")}},
                                      "test");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->access.servers.text(), "one:4222,two:4223");
  EXPECT_EQ(settings->access.user.name, "me");
  EXPECT_EQ(settings->access.user.file, "/etc/password");
  EXPECT_EQ(settings->replicas, 5);
  EXPECT_FALSE(settings->access.is_open());
  const auto plain = read_settings({}, "test");
  EXPECT_EQ(plain->access.servers.text(), "127.0.0.1:4222");
  EXPECT_EQ(plain->replicas, 0);
  EXPECT_TRUE(plain->access.is_open());
}

TEST(NatsSettings, ADaemonIsOneUser) {
  /// "KEY: TEXT; " of each problem.
  const auto problems = [](const Options& options) {
    std::string all;
    for (const OptionProblem& one : table_conflicts(options)) all += one.key + ": " + one.text + "; ";
    return all;
  };
  EXPECT_EQ(problems({{"token", std::string("/t")}}), "");
  EXPECT_EQ(problems({{"token", std::string("/t")}, {"user", std::string("me:/p")}}),
            "token: user and token each say who the daemon is: keep one of them; ");
  EXPECT_EQ(problems({{"ca", std::string("/ca")}, {"cert", std::string("/c")}}),
            "cert: cert is of no use without key: set both, or none; ");
  EXPECT_EQ(problems({{"cert", std::string("/c")}, {"key", std::string("/k")}}),
            "cert: cert is of no use without ca: set that too; ");
  const OptionValue tls = std::vector<std::string>{"one", "tls://two"};
  EXPECT_NE(problems({{"servers", tls}}).find("tls:// is spoken where ca is set"), std::string::npos);
  EXPECT_EQ(problems({{"servers", tls}, {"ca", std::string("system")}}), "");
}

TEST(NatsSettings, TheBucketIsNamedAfterTheNamespaceWhereThatCanBe) {
  EXPECT_EQ(read_settings({}, "production")->bucket, "ballot-production");
  EXPECT_FALSE(read_settings({}, "with.dot"));
  EXPECT_EQ(read_settings({{"bucket", std::string("mine")}}, "with.dot")->bucket, "mine");
}

TEST(NatsApi, ReadsAnswers) {
  EXPECT_EQ(parse_answer(R"({"stream":"KV_b", "seq":17})").sequence(), 17u);
  EXPECT_TRUE(parse_answer(R"({"stream":"KV_b", "seq":17,"duplicate": true})").is_duplicate());
  const Answer wrong =
      parse_answer(R"({"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 61"}})");
  EXPECT_EQ(wrong.code, error::wrong_last_sequence);
  EXPECT_EQ(wrong.sequence(), 61u);
  EXPECT_TRUE(parse_answer("+OK").failed());
}

std::string info(const std::string& name, Millis age, const std::string& more = "") {
  return R"({"config":{"name":"KV_)" + name + R"(","subjects":["$KV.)" + name + R"(.>"],"storage":"file","max_age":)" +
         std::to_string(age.count() * nanos) + R"(,"max_msgs_per_subject":1,"duplicate_window":120000000000)" + more +
         R"(},"created":"2026-11-23T09:08:47.123Z")";
}
Answer facts(const std::string& name, Millis age) { return parse_answer(info(name, age) + "}"); }

TEST(NatsState, WarnsOfWhatIsWrong) {
  const auto warnings = [](Millis age) {
    return state_of(facts("b", Millis(0)), facts("b-sessions", age), {}).warnings;
  };
  EXPECT_TRUE(warnings(Millis(10'000)).empty());
  for (const auto& [age, text] : {std::pair(Millis(4'000), "too low"), std::pair(Millis(120'000), "very high"),
                                  std::pair(Millis(7'200'000), "too high")}) {
    const auto found = warnings(age);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].find(text), std::string::npos) << found[0];
  }
  const Answer cluster = parse_answer(
      R"({"config":{"name":"KV_b","storage":"memory","max_msgs_per_subject":5},"cluster":{"name":"c","replicas":[)"
      R"({"name":"n2","current":false,"lag":12},{"name":"n3","current":false,"offline":true}]}})");
  const auto found = state_of(cluster, facts("b-sessions", Millis(10'000)), {30, 28, 0}).warnings;
  std::string all;
  for (const std::string& one : found) all += one + "\n";
  for (const char* text : {"no cluster leader", "replica n2 is not current, with 12 lag", "replica n3 is offline",
                           "memory", "not a valid election bucket", "not atomic"})
    EXPECT_NE(all.find(text), std::string::npos) << text << " in\n" << all;
}

TEST(NatsState, SaysWhatABucketIsLike) {
  const Answer registers = parse_answer(
      info("b", Millis(0)) +
      R"(,"state":{"messages":7},"cluster":{"name":"c","leader":"n1","replicas":[{"name":"n2","offline":true}]}})");
  const Answer none = parse_answer(R"({"error":{"code":404,"err_code":10059,"description":"stream not found"}})");
  const decltype(StoreState::facts) expected{{"bucket", "b"},
                                             {"history", "1"},
                                             {"created", "2026-11-23T09:08:47Z"},
                                             {"storage", "file"},
                                             {"replicas", "n1 (leader), n2 (offline)"},
                                             {"values", "7"},
                                             {"sessions", "not made yet"},
                                             {"plain updates", "atomic"}};
  EXPECT_EQ(state_of(registers, none, {30, 0, 0}).facts, expected);
}

TEST(NatsState, SaysWhyABucketCannotBeUsed) {
  const auto fault = [](Millis age, Millis wanted_age, const std::string& more, const std::string& name = "b") {
    StreamConfig wanted{"b", "ballot: registers of namespace one"};
    wanted.max_age = wanted_age;
    return fault_of(parse_answer(info(name, age, more) + "}").content, wanted);
  };
  const Millis none(0), wanted(5000);
  EXPECT_EQ(fault(none, none, ""), "");
  EXPECT_NE(fault(none, none, "", "c").find("other subjects"), std::string::npos);
  const std::string other = R"(,"description":"ballot: registers of namespace two")";
  EXPECT_NE(fault(none, none, other).find("namespace two"), std::string::npos);
  EXPECT_NE(fault(Millis(1000), none, "").find("has a maximum age"), std::string::npos);
  EXPECT_NE(fault(none, none, R"(,"deny_delete":true)").find("deleted"), std::string::npos);
  EXPECT_NE(fault(none, none, R"(,"sealed":true)").find("sealed"), std::string::npos);
  EXPECT_NE(fault(none, wanted, "").find("no maximum age"), std::string::npos);
  EXPECT_NE(fault(Millis(300'000), wanted, "").find("message ids"), std::string::npos);
  EXPECT_EQ(fault(Millis(2000), wanted, ""), "");
}

}  // namespace
}  // namespace ballot::nats
