// The plugin nats without a server: keys as subjects, what the table says, what the API answers, what is wrong with a
// bucket.
#include <gtest/gtest.h>

#include "nats/api.hpp"
#include "nats/settings.hpp"
#include "nats/state.hpp"
#include "nats/subjects.hpp"

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
  const Settings settings = read_settings({{"servers", std::string("tls://one,two:4223")},
                                           {"user", std::string("me:/etc/password")},
                                           {"replicas", std::string("5")}});
  EXPECT_EQ(settings.access.servers_text(), "one:4222,two:4223");
  EXPECT_EQ(settings.access.user, "me");
  EXPECT_EQ(settings.access.password_file, "/etc/password");
  EXPECT_EQ(settings.replicas, 5);
  EXPECT_FALSE(settings.access.is_open());
  EXPECT_TRUE(read_settings({}).access.is_open());
}

TEST(NatsSettings, ADaemonIsOneUser) {
  EXPECT_EQ(conflict_of(read_settings({{"token", std::string("/t")}})), "");
  EXPECT_NE(conflict_of(read_settings({{"token", std::string("/t")}, {"user", std::string("me:/p")}})), "");
  EXPECT_NE(conflict_of(read_settings({{"ca", std::string("/ca")}, {"cert", std::string("/c")}})), "");
}

TEST(NatsSettings, TheBucketIsNamedAfterTheNamespaceWhereThatCanBe) {
  EXPECT_EQ(*bucket_of({}, "production"), "ballot-production");
  EXPECT_FALSE(bucket_of({}, "with.dot"));
  EXPECT_EQ(*bucket_of(read_settings({{"bucket", std::string("mine")}}), "with.dot"), "mine");
}

TEST(NatsApi, ReadsAcknowledgements) {
  EXPECT_EQ(parse_ack(R"({"stream":"KV_b", "seq":17})").sequence, 17u);
  EXPECT_TRUE(parse_ack(R"({"stream":"KV_b", "seq":17,"duplicate": true})").duplicate);
  const Ack wrong = parse_ack(R"({"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 61"}})");
  EXPECT_EQ(wrong.failure.code, error::wrong_last_sequence);
  EXPECT_EQ(wrong.sequence, 61u);
  EXPECT_TRUE(static_cast<bool>(parse_ack("+OK").failure));
}

TEST(NatsApi, ReadsWhereAMessageIs) {
  const auto plain = parse_delivery("$JS.ACK.KV_b.consumer.1.42.7.1700000000123456789.0");
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->consumer, "consumer");
  EXPECT_EQ(plain->stream_sequence, 42u);
  EXPECT_EQ(plain->consumer_sequence, 7u);
  EXPECT_EQ(plain->stored.time_since_epoch(), Millis(1700000000123));
  const auto with_domain = parse_delivery("$JS.ACK.hub.hash.KV_b.consumer.1.42.7.1700000000123456789.0.x");
  ASSERT_TRUE(with_domain.has_value());
  EXPECT_EQ(with_domain->stream_sequence, 42u);
  EXPECT_FALSE(parse_delivery("$JS.ACK.short"));
  EXPECT_FALSE(parse_delivery("_INBOX.x"));
}

StreamFacts facts(const std::string& name, Millis age) {
  StreamFacts found;
  found.name = "KV_" + name;
  found.subjects = {all_subjects_of(name)};
  found.storage = "file";
  found.max_age = age;
  found.window = Millis(120'000);
  found.history = 1;
  return found;
}

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
  StreamFacts cluster = facts("b", Millis(0));
  cluster.clustered = true;
  cluster.storage = "memory";
  cluster.history = 5;
  cluster.kept_by = {{"n2", false, false, false, 12}, {"n3", false, false, true, 0}};
  const auto found = state_of(cluster, facts("b-sessions", Millis(10'000)), {SelfTest::How::done, 30, 28, 0}).warnings;
  std::string all;
  for (const std::string& one : found) all += one + "\n";
  for (const char* text : {"no cluster leader", "replica n2 is not current, with 12 lag", "replica n3 is offline",
                           "memory", "not a valid election bucket", "not atomic"})
    EXPECT_NE(all.find(text), std::string::npos) << text << " in\n" << all;
}

TEST(NatsState, SaysWhyABucketCannotBeUsed) {
  StreamConfig wanted;
  wanted.subject = all_subjects_of("b");
  wanted.description = "ballot: registers of namespace one";
  StreamFacts found = facts("b", Millis(0));
  EXPECT_EQ(fault_of_registers(found, wanted), "");
  found.description = "ballot: registers of namespace two";
  EXPECT_NE(fault_of_registers(found, wanted).find("namespace two"), std::string::npos);
  found = facts("b", Millis(1000));
  EXPECT_NE(fault_of_registers(found, wanted).find("maximum age"), std::string::npos);
  found = facts("b", Millis(0));
  found.window = Millis(1000);
  EXPECT_NE(fault_of_registers(found, wanted).find("message ids"), std::string::npos);
  found.deny_delete = true;
  EXPECT_NE(fault_of_registers(found, wanted).find("deleted"), std::string::npos);
  EXPECT_NE(fault_of_sessions(facts("b", Millis(0)), wanted).find("no maximum age"), std::string::npos);
  EXPECT_EQ(fault_of_sessions(facts("b", Millis(2000)), wanted), "");
}

}  // namespace
}  // namespace ballot::nats
