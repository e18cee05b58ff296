// What groups have to do with services of a host's agent: checks that keep a node from leading, the tag of the
// leader's, and a key that says where it is.
#include "conformance/consul_hosts.hpp"
#include "http_client/json.hpp"

namespace ballot::conformance {
namespace {

namespace json = ballot::http::json;

class ConsulService : public Consul {
 protected:
  /// Of one host at a time: what was registered for the test before is gone.
  void TearDown() override {
    cluster().store().start();
    for (std::size_t i = 0; i < cluster().store().clients(); ++i) {
      cluster().store().client(i).ask("PUT", "/v1/agent/maintenance?enable=false");
      cluster().store().client(i).ask("PUT", "/v1/agent/service/deregister/web-1");
    }
    Consul::TearDown();
  }

  void configure(Candidate& one, Options options = {}) {
    options.emplace("service", std::string("web"));
    one.backend->configure({{"g", options}});
  }
  /// The candidate's host has the service, with two checks that pass.
  void register_service(const Candidate& one) {
    agent_of(one).insist(
        "PUT", "/v1/agent/service/register",
        R"({"ID":"web-1","Name":"web","Port":8080,"Tags":["blue"],"Meta":{"x":"y"},"Weights":{"Passing":)"
        R"(3,"Warning":2},"EnableTagOverride":false,"Checks":[{"CheckID":"http","Name":"h","TTL":"1h",)"
        R"("Status":"passing"},{"CheckID":"disk","Name":"d","TTL":"1h","Status":"passing"}]})");
  }
  void set_check(const Candidate& one, const std::string& check, const std::string& state) {
    agent_of(one).insist("PUT", "/v1/agent/check/" + state + "/" + check);
  }
  /// A node that takes part in g, with the service on its host.
  Candidate& candidate(const std::string& node, const Options& options = {}) {
    Candidate& one = add(node);
    register_service(one);
    configure(one, options);
    open(one);
    EXPECT_TRUE(opened(one));
    one.backend->campaign("g");
    return one;
  }
  bool leads(Candidate& one) {
    return until([&] { return one.leads("g").has_value(); }, timeout() + slack());
  }
  std::string unfit(const Candidate& one) const {
    const auto all = one.events.all<backend::Unfit>(one.generation);
    return all.empty() ? "" : all.back().why;
  }
  /// It may not lead because of that: the core resigns then.
  void expect_unfit(Candidate& one, const std::string& why) {
    EXPECT_TRUE(until([&] { return unfit(one).find(why) != std::string::npos; }, timeout() + slack())) << unfit(one);
  }
  void expect_fit(Candidate& one) {
    EXPECT_TRUE(until([&] { return unfit(one).empty(); }, timeout() + slack())) << unfit(one);
  }
  json::value catalog() { return http::parse_json(server().ask("GET", "/v1/catalog/service/web").body); }
  /// The hosts whose service has the tag.
  std::vector<std::string> tagged() {
    std::vector<std::string> hosts;
    const json::value all = catalog();
    for (const json::value& entry : http::array_of(all))
      for (const json::value& tag : http::array_at(entry, "ServiceTags"))
        if (http::text_of(tag) == "primary") hosts.emplace_back(http::text_at(entry, "Node"));
    return hosts;
  }
  bool is_tagged(const Candidate& one) {
    return until([&] { return tagged() == std::vector<std::string>{agent_of(one).name()}; }, timeout() + slack());
  }
  const Options tag_{{"primary_tag", std::string("primary")}};
};

TEST_P(ConsulService, ACriticalCheckKeepsANodeFromLeadingUntilItPasses) {
  Candidate& a = candidate("a");
  ASSERT_TRUE(leads(a));
  set_check(a, "http", "fail");
  expect_unfit(a, "check http of service web-1 is critical");
  a.backend->resign("g");
  Candidate& b = candidate("b");
  ASSERT_TRUE(leads(b));
  b.backend->resign("g");
  a.backend->campaign("g");
  settle();
  EXPECT_FALSE(a.leads("g"));
  set_check(a, "http", "pass");
  expect_fit(a);
  EXPECT_TRUE(leads(a));
}

TEST_P(ConsulService, WhoIsUnfitAtTheBeginningIsNotElected) {
  Candidate& a = add("a");
  register_service(a);
  set_check(a, "http", "fail");
  configure(a);
  open(a);
  ASSERT_TRUE(opened(a));
  a.backend->campaign("g");
  a.backend->campaign("h");  // of no service
  ASSERT_TRUE(until([&] { return a.leads("h").has_value(); }, timeout() + slack()));
  settle();
  EXPECT_FALSE(a.leads("g"));
  EXPECT_TRUE(a.events.all<backend::Elected>(a.generation).size() == 1u);
}

TEST_P(ConsulService, AWarningAndChecksThatDoNotCountLetItLead) {
  Candidate& a = candidate("a", {{"service_checks", std::vector<std::string>{"http"}}});
  set_check(a, "http", "warn");
  set_check(a, "disk", "fail");
  EXPECT_TRUE(leads(a));
  settle();
  EXPECT_EQ(unfit(a), "");
}

TEST_P(ConsulService, MaintenanceOfTheServiceOrOfItsHostKeepsItFromLeading) {
  Candidate& a = candidate("a");
  ASSERT_TRUE(leads(a));
  agent_of(a).insist("PUT", "/v1/agent/service/maintenance/web-1?enable=true&reason=moving");
  expect_unfit(a, "service web-1 is in maintenance: moving");
  agent_of(a).insist("PUT", "/v1/agent/service/maintenance/web-1?enable=false");
  expect_fit(a);
  agent_of(a).insist("PUT", "/v1/agent/maintenance?enable=true&reason=disks");
  expect_unfit(a, "this host is in maintenance: disks");
}

TEST_P(ConsulService, AServiceThatIsNotRegisteredYetIsWaitedFor) {
  Candidate& a = add("a");
  cluster().relay("a");
  configure(a);
  open(a);
  ASSERT_TRUE(opened(a));
  a.backend->campaign("g");
  expect_unfit(a, "no one service 'web' is registered");
  register_service(a);
  EXPECT_TRUE(leads(a));
}

TEST_P(ConsulService, TheLeadersServiceHasTheTagAndAllElseIsKept) {
  Candidate& a = candidate("a", tag_);
  ASSERT_TRUE(leads(a));
  ASSERT_TRUE(is_tagged(a));
  json::object entry = http::array_of(catalog()).at(0).get_object();
  EXPECT_EQ(json::serialize(entry["ServiceTags"]), R"(["blue","primary"])");
  EXPECT_EQ(json::serialize(entry["ServiceMeta"]), R"({"x":"y"})");
  EXPECT_EQ(json::serialize(entry["ServiceWeights"]), R"({"Passing":3,"Warning":2})");
  EXPECT_EQ(json::serialize(entry["ServicePort"]), "8080");
  const std::string checks = agent_of(a).ask("GET", "/v1/agent/checks").body;
  EXPECT_NE(checks.find("\"disk\""), std::string::npos);
  a.renewing = false;
  a.backend->close(false);
  EXPECT_TRUE(until([&] { return a.closed().has_value(); }, timeout()));
  EXPECT_TRUE(until([&] { return tagged().empty(); }, timeout()));
}

TEST_P(ConsulService, ALostLeadersTagIsTakenFromItAlsoWhereItsAgentPutsItOnAgain) {
  Candidate& a = candidate("a", tag_);
  ASSERT_TRUE(leads(a) && is_tagged(a));
  Candidate& b = candidate("b", tag_);
  agent_of(a).kill();
  ASSERT_TRUE(leads(b));
  EXPECT_TRUE(is_tagged(b));
  a.backend.reset();  // its daemon is gone too
  a.renewing = false;
  cluster().store().start();
  settle();
  EXPECT_TRUE(is_tagged(b));
  json::object stripped;
  const json::value all = catalog();
  for (const json::value& entry : http::array_of(all))
    if (http::text_at(entry, "Node") != agent_of(b).name()) stripped = entry.get_object();
  EXPECT_EQ(json::serialize(stripped["ServiceTags"]), R"(["blue"])");
  EXPECT_EQ(json::serialize(stripped["ServiceMeta"]), R"({"x":"y"})");
}

TEST_P(ConsulService, ADaemonThatFindsAnOldTagTakesItOff) {
  Candidate& b = candidate("b", tag_);
  ASSERT_TRUE(leads(b) && is_tagged(b));
  Candidate& a = add("a");
  agent_of(a).insist("PUT", "/v1/agent/service/register", R"({"ID":"web-1","Name":"web","Tags":["blue","primary"]})");
  configure(a, tag_);
  open(a);
  ASSERT_TRUE(opened(a));
  EXPECT_TRUE(is_tagged(b));
  EXPECT_TRUE(
      until([&] { return agent_of(a).ask("GET", "/v1/agent/service/web-1").body.find("primary") == std::string::npos; },
            timeout()));
}

TEST_P(ConsulService, HooksAreToldWhereTheServiceIs) {
  Candidate& a = candidate("a");
  ASSERT_TRUE(leads(a));
  const auto told = a.events.all<backend::Elected>(a.generation).at(0).environment;
  EXPECT_EQ(told, (std::vector<std::string>{"SESSIONID=" + cluster().session("a"), "ADDRESS=127.0.0.1", "PORT=8080"}));
}

TEST_P(ConsulService, AKeySaysWhereTheLeaderIsForOthers) {
  const std::string key = cluster().prefix() + "-leader";
  Candidate& a = candidate("a", {{"key", key}});
  ASSERT_TRUE(leads(a));
  const std::string said = R"({"Address":"127.0.0.1","Port":8080,"SessionID":")" + cluster().session("a") + "\"}";
  const auto value = [&] { return server().ask("GET", "/v1/kv/" + key + "?raw").body; };
  EXPECT_TRUE(until([&] { return value() == said; }, timeout())) << value();
  a.backend->resign("g");
  EXPECT_TRUE(until([&] { return value().empty(); }, timeout())) << value();
}

INSTANTIATE_TEST_SUITE_P(Services, ConsulService, ::testing::Values(consul_hosts()), name_of);

}  // namespace
}  // namespace ballot::conformance
