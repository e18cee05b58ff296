// Who may use the store: users and passwords, certificates, and a store that takes no more writes; each on a server of
// its own. Included by etcd_conformance_test.cpp.
#pragma once

#include "conformance/etcd_fault_tests.hpp"
#include "support/servers/tls_files.hpp"

namespace ballot::conformance {

class EtcdAccess : public Etcd {
 protected:
  /// A server of the test's own.
  testing::EtcdServer& start(const testing::EtcdServer::Settings& settings = {}) {
    own_ = std::make_unique<testing::EtcdCluster>(1, settings);
    return (*own_)[0];
  }
  void TearDown() override {
    Etcd::TearDown();
    own_.reset();
  }

  /// Users root and ballot with these as passwords too; ballot may read and write what begins with the prefix.
  static void let_in(testing::EtcdServer& server, const std::string& prefix) {
    const auto user = [&](const std::string& name, const std::string& role) {
      server.ask("/v3/auth/user/add", "{\"name\":\"" + name + "\",\"password\":\"" + name + "\"}");
      server.ask("/v3/auth/user/grant", "{\"user\":\"" + name + "\",\"role\":\"" + role + "\"}");
    };
    server.ask("/v3/auth/role/add", R"({"name":"root"})");
    server.ask("/v3/auth/role/add", R"({"name":"ballot"})");
    const std::string end = prefix.substr(0, prefix.size() - 1) + static_cast<char>(prefix.back() + 1);
    server.ask("/v3/auth/role/grant", R"({"name":"ballot","perm":{"permType":"READWRITE","key":")" +
                                          http::to_base64(prefix) + R"(","range_end":")" + http::to_base64(end) +
                                          R"("}})");
    user("root", "root");
    user("ballot", "ballot");
    server.ask("/v3/auth/enable", "{}");
  }
  static std::string token_of_root(const testing::EtcdServer& server) {
    return std::string(
        http::text_at(server.ask("/v3/auth/authenticate", R"({"name":"root","password":"root"})"), "token"));
  }
  /// An operator's own file.
  static std::string write_secret(const TempFolder& folder, const std::string& text) {
    const std::string file = folder.write("password", text);
    EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
    return file;
  }
  Options with_password(const testing::EtcdServer& server, const std::string& password) {
    return {{"servers", server.address()}, {"auth", "ballot:" + write_secret(state_, password + "\n")}};
  }
  static void set_alarm(testing::EtcdServer& server, const std::string& action) {
    const std::string member(http::text_at(server.ask("/v3/maintenance/status", "{}"), "header", "member_id"));
    server.ask("/v3/maintenance/alarm",
               R"({"action":")" + action + R"(","memberID":")" + member + R"(","alarm":"NOSPACE"})");
  }
  /// Why it may not.
  std::string refusal_of(const Options& options) {
    Candidate& one = add_with("refused", options, state_.path());
    open(one);
    EXPECT_FALSE(opened(one));
    if (!one.closed()) return "it was not closed";
    EXPECT_EQ(one.closed()->cause, Cause::auth_failed);
    return one.closed()->text;
  }
  void expect_leads(Candidate& one) {
    open(one);
    ASSERT_TRUE(opened(one)) << (one.closed() ? one.closed()->text : "no answer");
    one.backend->campaign("g");
    EXPECT_TRUE(until([&] { return one.leads("g").has_value(); }, timeout() + slack()));
  }

  TempFolder state_;
  std::unique_ptr<testing::EtcdCluster> own_;
};

TEST_P(EtcdAccess, AUserWithItsPasswordNeedsNoMoreThanItsPrefix) {
  testing::EtcdServer& server = start();
  let_in(server, cluster().prefix() + "/test/");
  Candidate& a = add_with("a", with_password(server, "ballot"), state_.path());
  expect_leads(a);
  watch(a, "q/");
  const std::size_t seen = changes(a, "q/");
  EXPECT_EQ(create(a, {"q/x", "1"}), StoreResult::done);
  EXPECT_TRUE(until([&] { return changes(a, "q/") > seen; }, timeout()));
  EXPECT_EQ(write(a, {"g", *a.leads("g"), "j/x", "1", 0}).outcome, StoreResult::done);
  a.backend->close(false);
  ASSERT_TRUE(awaits_closed(a, timeout()));
  EXPECT_EQ(a.closed()->cause, Cause::shutdown);
}

/// As those of Debian 12 (3.4.23).
TEST_P(EtcdAccess, ServersThatLetAnybodyPastTheirAuthenticationAreWarnedOf) {
  testing::EtcdServer& server = start();
  let_in(server, cluster().prefix() + "/test/");
  const std::string inner = R"({"success":[{"request_range":{"key":)" + cluster().key("") + "}}]}";
  const auto passed = server.ask("/v3/kv/txn", R"({"success":[{"request_txn":)" + inner + "}]}");
  Candidate& a = add_with("a", with_password(server, "ballot"), state_.path());
  expect_leads(a);
  settle();
  EXPECT_EQ(logged(a, "let anybody past"), http::truth_at(passed, "succeeded"));
}

TEST_P(EtcdAccess, WhoMayNotIsToldWhyAtOnce) {
  testing::EtcdServer& server = start();
  EXPECT_NE(refusal_of(with_password(server, "ballot")).find("authentication is not enabled"), std::string::npos);
  let_in(server, cluster().prefix() + "/test/");
  EXPECT_NE(refusal_of(with_password(server, "guessed")).find("[etcd] auth"), std::string::npos);
  EXPECT_NE(refusal_of({{"servers", server.address()}}).find("Set [etcd] auth"), std::string::npos);
  Options elsewhere = with_password(server, "ballot");
  elsewhere["prefix"] = std::string("elsewhere");
  Candidate& one = add_with("a", elsewhere, state_.path());
  open(one);
  EXPECT_FALSE(opened(one));
  ASSERT_TRUE(one.closed());
  EXPECT_NE(one.closed()->text.find("permission denied"), std::string::npos) << one.closed()->text;
}

/// The tokens are the server's, and in its memory.
TEST_P(EtcdAccess, AServerThatHasForgottenWhoThisIsIsToldAgain) {
  testing::EtcdServer& server = start();
  let_in(server, cluster().prefix() + "/test/");
  Candidate& a = add_with("a", with_password(server, "ballot"), state_.path());
  expect_leads(a);
  server.kill();
  own_->start();
  EXPECT_TRUE(until(
      [&] {
        if (a.closed()) lead_again(a, "g");
        if (!a.leads("g")) return false;
        const auto wrote = write_while_open(a, {"g", *a.leads("g"), "j/x", "1", 0});
        return wrote && wrote->outcome != StoreResult::unknown;
      },
      3 * timeout() + slack()));
  EXPECT_EQ(read(a, {"j/x"}).size(), 1u);
}

TEST_P(EtcdAccess, WhereAuthenticationIsTurnedOffNothingIsLedUntilItIsOnAgain) {
  testing::EtcdServer& server = start();
  let_in(server, cluster().prefix() + "/test/");
  const Options options = with_password(server, "ballot");
  Candidate& a = add_with("a", options, state_.path());
  expect_leads(a);
  server.ask("/v3/auth/disable", "{}", token_of_root(server));
  EXPECT_TRUE(awaits_closed(a, timeout() + slack()));
  EXPECT_NE(refusal_of(options).find("authentication is not enabled"), std::string::npos);
  server.ask("/v3/auth/enable", "{}");
  lead_again(a, "g");
}

TEST_P(EtcdAccess, APasswordThatIsChangedEndsTheSessionAndTheNewOneIsReadAtTheNext) {
  testing::EtcdServer& server = start();
  let_in(server, cluster().prefix() + "/test/");
  Candidate& a = add_with("a", with_password(server, "ballot"), state_.path());
  expect_leads(a);
  server.ask("/v3/auth/user/changepw", R"({"name":"ballot","password":"changed"})", token_of_root(server));
  ASSERT_TRUE(awaits_closed(a, 2 * timeout() + slack()));
  EXPECT_FALSE(a.leads("g"));
  open(a);
  EXPECT_FALSE(opened(a));
  EXPECT_EQ(a.closed()->cause, Cause::auth_failed);
  EXPECT_NE(a.closed()->text.find("[etcd] auth"), std::string::npos) << a.closed()->text;
  write_secret(state_, "changed\n");
  lead_again(a, "g");
}

TEST_P(EtcdAccess, ACertificateThatExpiresEndsTheSessionAndTheNewOneIsReadAtTheNext) {
  const testing::TlsFiles files(state_.path());
  files.make("server", "IP:127.0.0.1");
  files.make("client", "DNS:client.example", 4);
  testing::EtcdServer& server = start({.tls = &files});
  testing::TcpRelay relay(server.port());
  Candidate& a = add_with(
      "a",
      {{"servers", relay.address()}, {"ca", files.ca()}, {"cert", files.cert("client")}, {"key", files.key("client")}},
      state_.path());
  expect_leads(a);
  until([] { return false; }, 5s);
  EXPECT_TRUE(a.leads("g")) << "connections that were made before stand";
  relay.break_connections();
  ASSERT_TRUE(awaits_closed(a, 2 * timeout() + slack()));
  open(a);
  EXPECT_FALSE(opened(a));
  EXPECT_NE(a.closed()->text.find("certificate"), std::string::npos) << a.closed()->text;
  files.make("client", "DNS:client.example");
  lead_again(a, "g");
}

/// By its own quota, and not an alarm that somebody has set.
TEST_P(EtcdAccess, AStoreWhoseQuotaIsUsedUpSaysWhatToDo) {
  testing::EtcdServer& server = start({.more = {"--quota-backend-bytes=300000"}});
  Candidate& a = add_with("a", {{"servers", server.address()}}, state_.path());
  expect_leads(a);
  std::uint64_t version = 0;
  WriteAnswer last;
  for (int i = 0; i < 400 && last.outcome != StoreResult::failed && a.leads("g"); ++i) {
    const auto wrote = write_while_open(a, {"g", *a.leads("g"), "j/x", std::string(8000, 'x'), version});
    if (!wrote) break;
    last = *wrote;
    if (last.outcome == StoreResult::done) version = last.version;
  }
  EXPECT_EQ(last.outcome, StoreResult::failed);
  EXPECT_NE(last.text.find("etcdctl alarm disarm"), std::string::npos) << last.text;
}

TEST_P(EtcdAccess, OverTlsBothSidesShowWhoTheyAre) {
  const testing::TlsFiles files(state_.path());
  files.make("server", "IP:127.0.0.1");
  files.make("client", "DNS:client.example");
  testing::EtcdServer& server = start({.tls = &files});
  const Options right{
      {"servers", server.address()}, {"ca", files.ca()}, {"cert", files.cert("client")}, {"key", files.key("client")}};
  Candidate& a = add_with("a", right, state_.path());
  expect_leads(a);
  EXPECT_EQ(write(a, {"g", *a.leads("g"), "j/x", "1", 0}).outcome, StoreResult::done);
  const TempFolder elsewhere;
  const testing::TlsFiles others(elsewhere.path());
  Options wrong = right;
  wrong["ca"] = others.ca();
  Candidate& b = add_with("b", wrong, state_.path());
  open(b);
  EXPECT_FALSE(opened(b));
  ASSERT_TRUE(b.closed());
  EXPECT_NE(b.closed()->text.find("certificate"), std::string::npos) << b.closed()->text;
}

TEST_P(EtcdAccess, AStoreThatIsFullSaysWhatToDoAndIsWrittenToAgain) {
  testing::EtcdServer& server = start();
  Candidate& a = add_with("a", {{"servers", server.address()}}, state_.path());
  expect_leads(a);
  set_alarm(server, "ACTIVATE");
  const WriteAnswer refused = write(a, {"g", *a.leads("g"), "j/x", "1", 0});
  EXPECT_EQ(refused.outcome, StoreResult::failed);
  EXPECT_NE(refused.text.find("etcdctl alarm disarm"), std::string::npos) << refused.text;
  set_alarm(server, "DEACTIVATE");
  if (a.closed()) lead_again(a, "g");
  EXPECT_EQ(write(a, {"g", *a.leads("g"), "j/x", "1", 0}).outcome, StoreResult::done);
}

TEST_P(EtcdAccess, AStoreThatIsFullRefusesNoUserButIsTriedAgain) {
  testing::EtcdServer& server = start();
  set_alarm(server, "ACTIVATE");
  const Options options{{"servers", server.address()}};
  Candidate& a = add_with("a", options, state_.path());
  open(a);
  EXPECT_FALSE(opened(a));
  ASSERT_TRUE(a.closed());
  EXPECT_EQ(a.closed()->cause, Cause::unreachable);
  EXPECT_TRUE(a.closed()->refuses_writes);
  EXPECT_NE(a.closed()->text.find("etcdctl alarm disarm"), std::string::npos) << a.closed()->text;
  set_alarm(server, "DEACTIVATE");
  expect_leads(add_with("a", options, state_.path()));
}

}  // namespace ballot::conformance
