// What the plugin etcd reads and writes, without a server: its settings, its requests, and what answers mean.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "etcd/gateway.hpp"
#include "etcd/requests.hpp"
#include "etcd/settings.hpp"
#include "http_client/base64.hpp"
#include "support/temp_folder.hpp"

namespace ballot::etcd {
namespace {

using Texts = std::vector<std::string>;

std::string problem(const std::string& key, OptionValue value) {
  const auto problems = check_options({{key, std::move(value)}}, table_keys);
  return problems.empty() ? "" : problems.at(0).text;
}

TEST(EtcdSettings, HaveDefaultsAndReadWhatIsWritten) {
  const Settings none = read_settings({});
  EXPECT_EQ(none.servers_text(), "127.0.0.1:2379");
  EXPECT_EQ(none.prefix, "ballot");
  EXPECT_TRUE(none.is_open());
  EXPECT_FALSE(none.tls.has_value());
  const Settings all = read_settings({{"servers", Texts{"a", "b:1", "[::1]:3"}},
                                      {"prefix", std::string("team/ballot")},
                                      {"auth", std::string("ballot:/etc/secret:file")},
                                      {"ca", std::string("/ca.pem")}});
  EXPECT_EQ(all.servers_text(), "a:2379,b:1,[::1]:3");
  EXPECT_EQ(all.prefix, "team/ballot");
  EXPECT_EQ(all.user, "ballot");
  EXPECT_EQ(all.password_file, "/etc/secret:file");
  EXPECT_EQ(all.tls.value().ca_file, "/ca.pem");
  EXPECT_FALSE(all.is_open());
}

TEST(EtcdSettings, AServerThatAsksForACertificateIsNotOpen) {
  EXPECT_TRUE(read_settings({{"ca", std::string("system")}}).is_open());
  EXPECT_EQ(read_settings({{"ca", std::string("system")}}).tls.value().ca_file, "");
  EXPECT_FALSE(read_settings({{"cert", std::string("/c.pem")}, {"key", std::string("/c.key")}}).is_open());
}

TEST(EtcdSettings, WhatIsWrongIsNamed) {
  for (const char* wrong : {"", "a:", "a,,b", "a:1:2", "a/path"})
    EXPECT_NE(problem("servers", std::string(wrong)), "") << "'" << wrong << "'";
  for (const char* wrong : {"", "/a", "a/", "a//b", "a b", "!a"})
    EXPECT_NE(problem("prefix", std::string(wrong)), "") << "'" << wrong << "'";
  for (const char* wrong : {"", "user", ":file", "user:", "user:relative"})
    EXPECT_NE(problem("auth", std::string(wrong)), "") << "'" << wrong << "'";
  for (const char* key : {"ca", "cert", "key"}) {
    EXPECT_NE(problem(key, std::string("relative.pem")), "") << key;
    EXPECT_EQ(problem(key, std::string("/file.pem")), "") << key;
  }
  EXPECT_EQ(problem("ca", std::string("system")), "");
  EXPECT_NE(problem("password", std::string("x")).find("allowed: servers, prefix, auth, ca, cert, key"),
            std::string::npos);
}

TEST(EtcdSettings, ACertificateAndItsKeyGoTogether) {
  for (const char* key : {"cert", "key"}) {
    const auto problems = table_conflicts({{key, std::string("/file.pem")}, {"ca", std::string("system")}});
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].key, key);
    EXPECT_NE(problems[0].text.find("set both, or none"), std::string::npos) << problems[0].text;
  }
  EXPECT_TRUE(table_conflicts({{"cert", std::string("/c.pem")}, {"key", std::string("/c.key")}}).empty());
}

TEST(EtcdSettings, SecretsMustBeOnesOwn) {
  const TempFolder folder;
  Settings settings;
  EXPECT_EQ(*password_of(settings), "");
  settings.user = "ballot";
  settings.password_file = folder.write("password", "secret\n");
  EXPECT_NE(password_of(settings).error().what.find("[etcd] auth: "), std::string::npos);  // mode 0644
  ::chmod(settings.password_file.c_str(), 0600);
  EXPECT_EQ(*password_of(settings), "secret");
  settings.tls = http::Tls{.cert_file = folder.write("c.pem", "x")};
  settings.tls->key_file = folder.write("c.key", "x\n");
  EXPECT_EQ(password_of(settings).error().code, Errc::refused);
  ::chmod(settings.tls->key_file.c_str(), 0600);
  EXPECT_TRUE(password_of(settings));
}

TEST(EtcdRequests, AChangeComparesWhatItDependsOnAndIsOneTransaction) {
  const Keyspace keyspace{"p/n/", "77", "s/a"};
  support::KeyChange change{"r/j/x", "v", 5, true};
  change.term_key = "t/g";
  change.term_version = 9;
  const http::json::value made = http::parse_json(change_txn(change, keyspace));
  ASSERT_EQ(http::array_at(made, "compare").size(), 3u);
  const auto compare = [&](std::size_t i, const char* field) {
    return std::string(http::text_at(http::array_at(made, "compare")[i], field));
  };
  EXPECT_EQ(http::from_base64(compare(0, "key")), "p/n/r/j/x");
  EXPECT_EQ(compare(0, "mod_revision"), "5");
  EXPECT_EQ(http::from_base64(compare(1, "key")), "p/n/s/a");
  EXPECT_EQ(compare(1, "lease"), "77");
  EXPECT_EQ(http::from_base64(compare(2, "key")), "p/n/t/g");
  EXPECT_EQ(compare(2, "mod_revision"), "9");
  ASSERT_EQ(http::array_at(made, "success").size(), 1u);
  const http::json::value free = http::parse_json(change_txn({"r/j/x"}, keyspace));
  EXPECT_TRUE(http::array_at(free, "compare").empty());
  EXPECT_TRUE(http::at(http::array_at(free, "success")[0], "request_delete_range").is_object());
}

std::string found(const char* fields) { return std::string(R"({"response_range":{"kvs":[{)") + fields + "}]}}"; }
const char* const nothing = R"({"response_range":{}})";

TEST(EtcdRequests, WhyAChangeWasNotDoneIsToldByWhatIsThere) {
  const Keyspace keyspace{"p/n/", "77", "s/a"};
  support::KeyChange change{"r/j/x", "v", 5, true, "t/g", 9};
  const auto why = [&](const std::string& bound, const std::string& key, const std::string& term) {
    const auto body = http::parse_json("{\"responses\":[" + bound + "," + key + "," + term + "]}");
    return why_answers({change}, keyspace, body).at(0);
  };
  const std::string ours = found(R"("lease":"77")"), six = found(R"("mod_revision":"6")");
  const std::string nine = found(R"("mod_revision":"9")");
  EXPECT_EQ(why(ours, six, nine).outcome, StoreResult::conflict);
  EXPECT_EQ(why(ours, six, nine).version, 6u);
  EXPECT_EQ(why(ours, nothing, nine).version, 0u);
  EXPECT_EQ(why(ours, six, six).outcome, StoreResult::not_leader);
  EXPECT_EQ(why(ours, six, nothing).outcome, StoreResult::not_leader);
  EXPECT_EQ(why(nothing, six, nine).outcome, StoreResult::not_leader);
  EXPECT_EQ(why(found(R"("lease":"78")"), six, nine).outcome, StoreResult::not_leader);
  change.guarded = false;
  EXPECT_EQ(why(nothing, six, nine).outcome, StoreResult::conflict);
  EXPECT_EQ(why_answers({change, change}, keyspace, http::parse_json("{}")).at(1).outcome, StoreResult::unknown);
}

TEST(EtcdRequests, KeysOfOthersAndMarksAreNoEntries) {
  const auto kv = [](const std::string& key) {
    return http::parse_json("{\"key\":\"" + http::to_base64(key) + R"(","value":"dg==","mod_revision":"7"})");
  };
  const auto entry = entry_of(kv("p/n/t/g"), "p/n/");
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->key, "t/g");
  EXPECT_EQ(entry->value, "v");
  EXPECT_EQ(entry->version, 7u);
  EXPECT_FALSE(entry_of(kv("p/other/t/g"), "p/n/"));
  EXPECT_FALSE(entry_of(kv("p/n/s/!77"), "p/n/"));
  EXPECT_FALSE(entry_of(http::parse_json(R"({"key":"?"})"), "p/n/"));
  EXPECT_EQ(end_of("p/n/"), "p/n0");
}

TEST(EtcdReplies, SayWhetherItHasHappened) {
  const auto kind = [](int status, const std::string& body, const std::string& problem = "") {
    http::Event event;
    event.status = status;
    event.body = body;
    event.problem = problem;
    return reply_of(event).kind;
  };
  const auto error = [&](int status, const std::string& text, int code) {
    return kind(status, "{\"error\":\"" + text + "\",\"code\":" + std::to_string(code) + "}");
  };
  using Kind = Reply::Kind;
  EXPECT_EQ(kind(200, "{}"), Kind::done);
  EXPECT_EQ(kind(0, "", "127.0.0.1:1: no answer within 5 ms"), Kind::unknown);
  EXPECT_EQ(error(503, "etcdserver: leader changed", 14), Kind::unknown);
  EXPECT_EQ(error(503, "etcdserver: request timed out", 14), Kind::unknown);
  EXPECT_EQ(error(429, "etcdserver: too many requests", 8), Kind::unknown);
  EXPECT_EQ(error(429, "etcdserver: mvcc: database space exceeded", 8), Kind::refused);
  EXPECT_EQ(error(403, "etcdserver: permission denied", 7), Kind::refused);
  EXPECT_EQ(error(401, "etcdserver: invalid auth token", 16), Kind::refused);
  EXPECT_EQ(error(400, "etcdserver: mvcc: required revision has been compacted", 11), Kind::compacted);
  EXPECT_EQ(error(404, "etcdserver: requested lease not found", 5), Kind::not_found);
  EXPECT_EQ(kind(502, "<html>"), Kind::unknown);
  EXPECT_EQ(kind(404, "404 page not found\n"), Kind::refused);
}

}  // namespace
}  // namespace ballot::etcd
