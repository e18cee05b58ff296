// What is asked of an agent that goes on showing a service as it was before it was registered anew: another group or
// program has the same tag, or the agent does not do what it acknowledges.
#include <gtest/gtest.h>

#include <algorithm>

#include "asked_store.hpp"
#include "consul/services.hpp"
#include "support/clock.hpp"
#include "support/servers/http_peer.hpp"

namespace ballot::consul {
namespace {

using testing::HttpPeer;

TEST(ConsulServices, ATagThatStaysWhenItIsTakenOffIsTakenOffAtThePaceOfLooks) {
  HttpPeer peer([](HttpPeer::Talk& talk) {
    const bool services = talk.asked() == "GET /v1/agent/services";
    talk.answer(200,
                services ? R"({"web":{"ID":"web","Service":"web","Address":"10.0.0.1","Tags":["leader"]}})" : "{}");
  });
  const auto wakeup = std::make_shared<support::Wakeup>();
  Agent agent({.servers = {{"127.0.0.1", std::to_string(peer.port())}}}, wakeup, "", [] {});
  agent.set_patience(Millis(10'000));
  const KeyPaths paths("b/");
  const Session session(agent, paths, "n");
  support::NoListener listener;
  support::NoHost host;
  Services services(agent, session, listener, host);
  services.configure({{"g", {{"service", std::string("web")}, {"primary_tag", std::string("leader")}}}});
  const SteadyTime begun = support::boot_now();
  for (const SteadyTime end = begun + Millis(500); support::boot_now() < end;) {
    services.tick(support::boot_now());
    wakeup->wait(std::min(end, services.due().value_or(end)));
    agent.receive();
  }
  const auto asked = peer.asked();
  const auto registered = std::count(asked.begin(), asked.end(), "PUT /v1/agent/service/register");
  EXPECT_GT(registered, 0);
  EXPECT_LT(registered, 20);
}

}  // namespace
}  // namespace ballot::consul
