// What the conformance suite cannot know of the plugin consul: agents that are lost, forget, or refuse, and what people
// do by hand. Against one server, and two hosts with an agent each.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "conformance/consul_hosts.hpp"
#include "support/process/peak_memory.hpp"
#include "support/servers/hostile_http.hpp"
#include "support/servers/http_gate.hpp"
#include "support/servers/tls_files.hpp"

namespace ballot::conformance {

namespace {

/// The rules of docs/backends/consul.md, for a fleet that keeps its keys below a prefix.
std::string rules(const std::string& prefix) {
  return "key_prefix \\\"" + prefix +
         "/\\\" { policy = \\\"write\\\" } session_prefix \\\"\\\" { policy = \\\"write\\\" } service \\\"ballot\\\" { "
         "policy = \\\"write\\\" }";
}

/// The agent's certificate is for a name that its address does not have.
const testing::TlsFiles& tls_files() {
  static const TempFolder folder;
  static const testing::TlsFiles files = [] {
    testing::TlsFiles made(folder.path());
    made.make("server", "DNS:server.dc1.consul");
    made.make("client", "DNS:client");
    return made;
  }();
  return files;
}
constexpr const char* root_token = "11111111-2222-3333-4444-555555555555";
/// It wants a token, and by HTTPS a certificate.
testing::ConsulCluster& guarded_store() {
  static testing::ConsulCluster one(
      1, 0,
      std::string(R"(,"acl":{"enabled":true,"default_policy":"deny","tokens":{"master":")") + root_token +
          R"("}},"verify_incoming_https":true,"ca_file":")" + tls_files().ca() + R"(","cert_file":")" +
          tls_files().cert("server") + R"(","key_file":")" + tls_files().key("server") + '"');
  return one;
}

TEST_P(Consul, AnotherLeadsSoonAfterTheLeadersAgentIsLostAndNotBeforeItsDeadline) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  agent_of(a).kill();
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, 4 * timeout()));  // the servers' own timer takes 20 s
  EXPECT_GE(now(), deadline(a));
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout()));
  EXPECT_EQ(a.closed()->cause, Cause::unreachable) << a.closed()->text;
}

TEST_P(Consul, AnAgentThatIsRestartedInTimeKeepsSessionAndTerms) {
  Candidate& a = lead("a", "g");
  const auto epoch = a.leads("g");
  agent_of(a).kill();
  cluster().store().start();
  const RequestId request = renew(a);
  until([&] { return a.events.answer<backend::Renewed>(a.generation, request).has_value(); }, timeout());
  until([] { return false; }, timeout());  // its check would have been critical by now
  EXPECT_EQ(a.leads("g"), epoch) << (a.closed() ? a.closed()->text : "");
}

TEST_P(Consul, AnAgentThatHasForgottenTheCheckEndsTheSessionAndTheNextOneLeads) {
  Candidate& a = lead("a", "g");
  const std::string service = check_of(a);
  agent_of(a).insist("PUT", "/v1/agent/service/deregister/" + service);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout()));
  EXPECT_EQ(a.closed()->cause, Cause::expired);
  lead_again(a, "g");
}

TEST_P(Consul, ACheckThatSomebodyFailsHandsOverAtOnce) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  const SteadyTime failed = now();
  agent_of(a).insist("PUT", "/v1/agent/check/fail/" + check_of(a));
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_LT(now() - failed, timeout() - 500ms);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout()));
  lead_again(a, "h");
}

TEST_P(Consul, AKeyThatSomebodyReleasesIsNobodys) {
  Candidate& a = lead("a", "g");
  server().insist("PUT", "/v1/kv/" + path("s/a") + "?release=" + cluster().session("a"));
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout()));
  EXPECT_EQ(a.closed()->cause, Cause::expired);
  lead_again(a, "g");
}

TEST_P(Consul, AServerThatStandsStillForLessThanTheTimeoutChangesNoLeader) {
  Candidate& a = lead("a", "g");
  const auto epoch = a.leads("g");
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  server().freeze();
  until([] { return false; }, timeout() / 3);
  server().thaw();
  until([] { return false; }, 2 * timeout());
  EXPECT_EQ(a.leads("g"), epoch);
  EXPECT_EQ(write(a, {"g", *epoch, "j/x", "1", 0}).outcome, StoreResult::done);
}

TEST_P(Consul, WithoutItsServerAWriteIsUnknownAndTheSessionEndsByItsOwnClock) {
  Candidate& a = lead("a", "g");
  server().kill();
  EXPECT_EQ(write(a, {"g", *a.leads("g"), "j/x", "1", 0}).outcome, StoreResult::unknown);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, 2 * timeout()));
  EXPECT_EQ(a.closed()->cause, Cause::unreachable);
  cluster().store().start();
  lead_again(a, "g");
}

TEST_P(Consul, OthersWaitForTheLockDelayAfterALeaderWasLostAndNotAfterItHasLeft) {
  Candidate& a = lead("a", "g");
  Candidate& b = add_with("b", {{"lock_delay", std::string("3s")}});
  open(b);
  ASSERT_TRUE(opened(b));
  b.backend->campaign("g");
  settle();
  a.backend->resign("g");
  SteadyTime left = now();
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, slack()));
  EXPECT_LT(now() - left, 2500ms);
  b.backend->resign("g");
  a.backend->campaign("g");
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, slack()));
  b.backend->campaign("g");
  settle();
  left = now();
  cluster().expire(*a.backend);
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, slack()));
  EXPECT_GE(now() - left, 2900ms);
}

/// With another one it takes five writes more, of a store that may be slow.
TEST_P(Consul, WhoWaitsForItsNameForLongerThanItsTimeoutTakesItWithTheSessionThatItBegan) {
  session_timeout_ = 2 * timeout();
  Candidate& a = join("a");
  a.backend->close(true);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  a.backend.reset();
  testing::HttpGate gate(agent_of(a).port());
  session_timeout_ = timeout();
  Candidate& back = add_with("a", {{"address", gate.address()}});
  back.anew = true;
  open(back);
  ASSERT_TRUE(opened(back)) << (back.closed() ? back.closed()->text : "no answer");
  const auto asked = gate.asked();
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "PUT /v1/session/create"), 1);
}

TEST_P(Consul, AHostileAgentFillsNoMemoryAndTheSessionBeginsAnewWhenItIsGone) {
  testing::HttpGate gate(server().port());
  Candidate& a = add_with("a", {{"address", gate.address()}});
  open(a);
  ASSERT_TRUE(opened(a)) << a.closed()->text;
  const testing::PeakMemory peak;
  for (const testing::HostileAnswer& attack : testing::hostile_answers()) {
    SCOPED_TRACE(attack.name);
    gate.harm(attack.send);
    until([&] { return a.closed().has_value(); }, timeout() / 2);
    if (a.closed()) open(a);
  }
  gate.harm(nullptr);
  lead_again(a, "g");
  for (const std::string& line : a.events.logged()) EXPECT_LT(line.size(), 1500u) << line.substr(0, 200);
  EXPECT_TRUE(!testing::PeakMemory::can_tell || peak.mib_over_rest() < 64) << peak.mib_over_rest() << " MiB";
}

TEST_P(Consul, AnAgentThatAnswersTooManyRequestsIsNotBelievedToHaveRefusedAnything) {
  testing::HttpGate gate(server().port());
  Candidate& a = add_with("a", {{"address", gate.address()}});
  open(a);
  ASSERT_TRUE(opened(a)) << a.closed()->text;
  a.backend->campaign("g");
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  gate.harm(
      [](testing::HttpPeer::Talk& talk) { talk.answer(429, "Your IP is issuing too many concurrent connections"); });
  EXPECT_EQ(write(a, {"g", *a.leads("g"), "j/x", "1", 0}).outcome, StoreResult::unknown);
  gate.harm(nullptr);
  EXPECT_TRUE(until(
      [&] {
        const auto wrote = write_while_open(a, {"g", a.leads("g").value_or(0), "j/x", "1", 0});
        return a.closed() || (wrote && wrote->outcome != StoreResult::unknown);
      },
      timeout()));
  EXPECT_FALSE(a.closed()) << "a moment of it ends no session: " << a.closed()->text;
}

TEST_P(Consul, AStoreThatHasGoneBackIsNoticed) {
  Candidate& a = join("a");
  server().kill();
  server().save();
  cluster().store().start();
  lead_again(a, "h");
  ASSERT_TRUE(a.leads("h"));
  server().kill();
  server().restore();
  cluster().store().start();
  const auto noticed = [&] {
    const auto renewals = a.events.all<backend::Renewed>(a.generation);
    return a.closed() || !a.leads("h") ||
           std::any_of(renewals.begin(), renewals.end(), [](const auto& one) { return one.gone_back; });
  };
  EXPECT_TRUE(until(noticed, 2 * timeout()));
}

/// With a timeout that a machine with much else to do keeps.
class ConsulCrowd : public Consul {};
class PatientNodes : public ConsulNodes {
 public:
  using ConsulNodes::ConsulNodes;
  Millis timeout() const override { return Millis(10'000); }
};

TEST_P(ConsulCrowd, ManyGroupsChangeHandsInBatches) {
  constexpr std::size_t groups = many_groups / 5;
  Candidate& a = join("a");
  Candidate& b = join("b");
  const auto elected = [](const Candidate& one) { return one.events.all<backend::Elected>(one.generation).size(); };
  const auto all_led = [&](const char* what, const std::function<bool()>& done) {
    const SteadyTime began = now();
    EXPECT_TRUE(until(done, 30s)) << what << (a.closed() ? ": " + a.closed()->text : "");
    std::printf("%zu groups, %s: %d ms\n", groups, what, static_cast<int>((now() - began).count()));
  };
  for (std::size_t i = 0; i < groups; ++i) a.backend->campaign("group-" + std::to_string(i));
  all_led("first election", [&] { return elected(a) == groups; });
  for (std::size_t i = 0; i < groups; ++i) b.backend->campaign("group-" + std::to_string(i));
  settle();
  for (std::size_t i = 0; i < groups / 2; ++i) a.backend->resign("group-" + std::to_string(i));
  all_led("half of them resigned", [&] { return elected(b) == groups / 2; });
  ASSERT_FALSE(a.closed()) << a.closed()->text;
  a.renewing = false;
  a.backend->close(false);
  all_led("the others by a clean stop", [&] { return elected(b) == groups; });
  EXPECT_FALSE(b.closed());
}

TEST_P(Consul, ShowsItsLeaderItsServersAndTheAgent) {
  Candidate& observer = add_observer("o");
  const RequestId request = ++observer.last_request;
  observer.backend->observe(request, "");
  const auto observed = await<backend::Observed>(observer, request, 10s);
  ASSERT_TRUE(observed);
  const auto fact = [&](const std::string& name) {
    for (const auto& [key, value] : observed->store.facts)
      if (key == name) return value;
    return std::string();
  };
  EXPECT_EQ(fact("leader"), "127.0.0.1:" + std::to_string(server().rpc_port()));
  EXPECT_EQ(fact("servers"), "server-1 (leader)");
  EXPECT_EQ(fact("agent"), agent_of(observer).name());
  EXPECT_EQ(fact("version"), "1.8.7");
  EXPECT_TRUE(observed->store.warnings.empty()) << observed->store.warnings.at(0);
}

class ConsulAccess : public Consul {
 protected:
  std::string token_file(const std::string& token) {
    const std::string file = folder_.write("token", token + "\n");
    EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
    return file;
  }
  std::string token_for(const std::string& policy_rules) {
    static int last = 0;
    const std::string name = "policy-" + std::to_string(++last);
    server().insist("PUT", "/v1/acl/policy", R"({"Name":")" + name + R"(","Rules":")" + policy_rules + "\"}",
                    root_token);
    const std::string made =
        server().ask("PUT", "/v1/acl/token", R"({"Policies":[{"Name":")" + name + "\"}]}", root_token).body;
    const auto at = made.find("\"SecretID\":\"") + 12;
    return made.substr(at, 36);
  }
  /// The other one is no longer valid.
  void revoke(const std::string& token) {
    const std::string self = server().ask("GET", "/v1/acl/token/self", {}, token).body;
    const auto at = self.find("\"AccessorID\":\"") + 14;
    server().insist("DELETE", "/v1/acl/token/" + self.substr(at, 36), {}, root_token);
  }
  TempFolder folder_;
};

TEST_P(ConsulAccess, TheRulesOfTheDocumentationAreEnough) {
  Candidate& a = add_with("a", {{"token_file", token_file(token_for(rules(cluster().prefix())))}});
  open(a);
  ASSERT_TRUE(opened(a)) << a.closed()->text;
  a.backend->campaign("g");
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_EQ(write(a, {"g", *a.leads("g"), "j/x", "1", 0}).outcome, StoreResult::done);
  EXPECT_EQ(read(a, {"j/x"}).size(), 1u);
  EXPECT_EQ(nodes(a, "g"), std::vector<std::string>{"a"});
}

TEST_P(ConsulAccess, SoAreThoseForServices) {
  const std::string key = cluster().prefix() + "-leader";
  server().insist("PUT", "/v1/agent/service/register", R"({"ID":"web-1","Name":"web","Port":80})", root_token);
  Candidate& a =
      add_with("a", {{"token_file", token_file(token_for(rules(cluster().prefix()) +
                                                         " service \\\"web\\\" { policy = \\\"write\\\" } node_prefix "
                                                         "\\\"\\\" { policy = \\\"read\\\" } key \\\"" +
                                                         key + "\\\" { policy = \\\"write\\\" }"))}});
  a.backend->configure(
      {{"g", {{"service", std::string("web")}, {"primary_tag", std::string("primary")}, {"key", key}}}});
  open(a);
  ASSERT_TRUE(opened(a)) << a.closed()->text;
  a.backend->campaign("g");
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  const auto shows = [&](const std::string& path, const std::string& words) {
    return until([&] { return server().ask("GET", path, {}, root_token).body.find(words) != std::string::npos; },
                 timeout());
  };
  EXPECT_TRUE(shows("/v1/catalog/service/web", "\"primary\""));
  EXPECT_TRUE(shows("/v1/kv/" + key + "?raw", R"("Address":"127.0.0.1")"));
  a.backend->resign("g");
  EXPECT_TRUE(shows("/v1/catalog/service/web", R"("ServiceTags":[])"));
  EXPECT_TRUE(until([&] { return server().ask("GET", "/v1/kv/" + key, {}, root_token).status == 404; }, timeout()));
}

TEST_P(ConsulAccess, AWrongTokenIsRefusedWithWhatToDo) {
  for (const bool observes : {false, true}) {
    Candidate& a = add_with(observes ? "o" : "a", {{"token_file", token_file("66666666-2222-3333-4444-555555555555")}});
    a.observer = observes;
    open(a);
    ASSERT_FALSE(opened(a));
    EXPECT_EQ(a.closed()->cause, Cause::auth_failed);
    EXPECT_NE(a.closed()->text.find("token_file"), std::string::npos) << a.closed()->text;
  }
}

TEST_P(ConsulAccess, TlsNeedsTheAgentsNameAndACertificateOfOurs) {
  const std::string at = "https://127.0.0.1:" + std::to_string(server().tls_port());
  const Options all{{"address", at},
                    {"tls_ca", tls_files().ca()},
                    {"tls_cert", tls_files().cert("client")},
                    {"tls_key", tls_files().key("client")},
                    {"tls_server_name", std::string("server.dc1.consul")},
                    {"token_file", token_file(token_for(rules(cluster().prefix())))}};
  Candidate& a = add_with("a", all);
  open(a);
  ASSERT_TRUE(opened(a)) << a.closed()->text;
  a.backend->campaign("g");
  EXPECT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  Options less = all;
  less.erase("tls_server_name");
  Candidate& b = add_with("b", less);
  open(b);
  ASSERT_FALSE(opened(b));
  EXPECT_NE(b.closed()->text.find("certificate"), std::string::npos) << b.closed()->text;
}

TEST_P(ConsulAccess, ATokenThatIsRevokedEndsTheSessionAndTheNewOneIsReadAtTheNext) {
  const std::string before = token_for(rules(cluster().prefix())), after = token_for(rules(cluster().prefix()));
  Candidate& a = add_with("a", {{"token_file", token_file(before)}});
  open(a);
  ASSERT_TRUE(opened(a)) << a.closed()->text;
  a.backend->campaign("g");
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  revoke(before);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, 2 * timeout() + slack()));
  open(a);
  EXPECT_FALSE(opened(a));
  EXPECT_EQ(a.closed()->cause, Cause::auth_failed);
  EXPECT_NE(a.closed()->text.find("token_file"), std::string::npos) << a.closed()->text;
  token_file(after);
  lead_again(a, "g");
}

TEST_P(ConsulAccess, WhoMaySeeNothingIsToldSoAndNotThatThereIsNothing) {
  Candidate& o = add_with("o", {});
  o.observer = true;
  open(o);
  ASSERT_FALSE(opened(o));
  EXPECT_EQ(o.closed()->cause, Cause::auth_failed) << o.closed()->text;
}

TEST_P(ConsulAccess, WhatTheTokenMayNotWriteHasFailed) {
  const std::string own = rules(cluster().prefix() + "/test/s") + " key_prefix \\\"" + cluster().prefix() +
                          "/test/m\\\" { policy = \\\"write\\\" } key_prefix \\\"" + cluster().prefix() +
                          "/test/\\\" { policy = \\\"read\\\" }";
  Candidate& a = add_with("a", {{"token_file", token_file(token_for(own))}});
  open(a);
  ASSERT_TRUE(opened(a)) << a.closed()->text;
  const RequestId request = ++a.last_request;
  a.backend->create(request, {{"q/x", "1"}});
  const auto wrote = await<backend::Wrote>(a, request, 10s);
  ASSERT_TRUE(wrote);
  EXPECT_EQ(wrote->answers.at(0).outcome, StoreResult::failed);
  EXPECT_NE(wrote->answers.at(0).text.find("token_file"), std::string::npos) << wrote->answers.at(0).text;
}

const BackendUnderTest guarded{"guarded", [] { return std::make_unique<ConsulNodes>(guarded_store()); }};

const BackendUnderTest patient{"patient", [] { return std::make_unique<PatientNodes>(consul_store()); }};
INSTANTIATE_TEST_SUITE_P(Faults, ConsulCrowd, ::testing::Values(patient), name_of);
INSTANTIATE_TEST_SUITE_P(Faults, Consul, ::testing::Values(consul_hosts()), name_of);
INSTANTIATE_TEST_SUITE_P(Faults, ConsulAccess, ::testing::Values(guarded), name_of);

}  // namespace
}  // namespace ballot::conformance
