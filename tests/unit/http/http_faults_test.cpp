#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/process/hanging_resolver.hpp"
#include "support/servers/reserved_port.hpp"
#include "unit/http/asking.hpp"

namespace ballot::http {
namespace {

using testing::HttpPeer;
using testing::ReservedPort;

void answer_ok(HttpPeer::Talk& talk) { talk.answer(200, "ok"); }

TEST(HttpFaults, AServerThatRefusesIsPassedOver) {
  const ReservedPort nobody;
  HttpPeer peer(answer_ok);
  Asking client({local(nobody.number()), place_of(peer)});
  for (int i = 0; i < 3; ++i) {
    const Event event = client.ask({.method = "POST", .target = "/"});
    EXPECT_EQ(event.status, 200) << event.problem;
    EXPECT_EQ(event.server, 1u);
  }
}

TEST(HttpFaults, WhereNobodyAnswersNothingWasSent) {
  const ReservedPort one, two;
  Asking client({local(one.number()), local(two.number())});
  const Event event = client.ask({.method = "POST", .target = "/"});
  EXPECT_FALSE(event.ok());
  EXPECT_FALSE(event.sent);
  EXPECT_NE(event.problem.find(": Connection refused"), std::string::npos) << event.problem;
}

TEST(HttpFaults, WhatMayHaveArrivedIsNotRepeated) {
  HttpPeer first([](HttpPeer::Talk& talk) { talk.close(); });
  HttpPeer second(answer_ok);
  Asking client({place_of(first), place_of(second)});
  const Event event = client.ask({.method = "POST", .target = "/a"});
  EXPECT_FALSE(event.ok());
  EXPECT_TRUE(event.sent);
  EXPECT_EQ(event.server, 0u);
  EXPECT_EQ(second.asked().size(), 0u);
  EXPECT_EQ(client.ask({.method = "POST", .target = "/b"}).server, 1u);
}

TEST(HttpFaults, WhatMayBeRepeatedGoesToTheNextServer) {
  HttpPeer first([](HttpPeer::Talk& talk) { talk.close(); });
  HttpPeer second(answer_ok);
  Asking client({place_of(first), place_of(second)});
  const Event event = client.ask({.target = "/", .idempotent = true});
  EXPECT_EQ(event.status, 200) << event.problem;
  EXPECT_EQ(event.server, 1u);
}

TEST(HttpFaults, AServerThatIsSilentIsLeftAfterItsTime) {
  HttpPeer first([](HttpPeer::Talk& talk) { talk.wait_closed(); });
  HttpPeer second(answer_ok);
  Asking client({place_of(first), place_of(second)});
  const Event event = client.ask({.target = "/", .patience = Millis(200)});
  EXPECT_FALSE(event.ok());
  EXPECT_TRUE(event.sent);
  EXPECT_NE(event.problem.find("no answer within 200 ms"), std::string::npos) << event.problem;
  EXPECT_EQ(client.ask({.target = "/"}).server, 1u);
}

TEST(HttpFaults, AServerThatTakesNoConnectionLeavesTimeForTheNext) {
  // Where the queue of a listener is full, connections are not answered.
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const ReservedPort port;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  address.sin_port = ::htons(static_cast<std::uint16_t>(port.number()));
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 0), 0);
  const int waiting = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::connect(waiting, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  HttpPeer peer(answer_ok);
  Settings settings{.servers = {local(port.number()), place_of(peer)}};
  settings.connect_patience = Millis(100);
  Asking client(settings);
  const Event event = client.ask({.method = "POST", .target = "/", .patience = Millis(20'000)});
  EXPECT_EQ(event.status, 200) << event.problem;
  EXPECT_EQ(event.server, 1u);
  ::close(waiting);
  ::close(listener);
}

TEST(HttpFaults, AKeptConnectionThatTheServerHasClosedIsMadeAnew) {
  HttpPeer peer(answer_ok);
  Asking client({place_of(peer)});
  EXPECT_EQ(client.ask({.method = "POST", .target = "/"}).status, 200);
  peer.break_connections();
  const Event event = client.ask({.method = "POST", .target = "/"});
  EXPECT_EQ(event.status, 200) << event.problem;
  EXPECT_EQ(peer.connections(), 2u);
}

TEST(HttpFaults, OnlyTheServerThatIsNamedIsAsked) {
  const ReservedPort nobody;
  HttpPeer peer(answer_ok);
  Asking client({local(nobody.number()), place_of(peer)});
  EXPECT_FALSE(client.ask({.target = "/", .server = 0}).ok());
  EXPECT_EQ(client.ask({.target = "/", .server = 1}).server, 1u);
}

TEST(HttpFaults, AServerThatTheCallerLeavesIsAskedNoMore) {
  HttpPeer first(answer_ok), second(answer_ok);
  Asking client({place_of(first), place_of(second)});
  EXPECT_EQ(client.ask({.target = "/"}).server, 0u);
  client->leave(0);
  client->leave(0);  // of a server that is not the present one
  EXPECT_EQ(client.ask({.target = "/"}).server, 1u);
  client->leave(1);
  EXPECT_EQ(client.ask({.target = "/"}).server, 0u);
}

TEST(HttpFaults, CallsThatWaitTooLongForAConnectionWereNotSent) {
  HttpPeer peer([](HttpPeer::Talk& talk) { talk.wait_closed(); });
  Settings settings{.servers = {place_of(peer)}};
  settings.connections = 1;
  Asking client(settings);
  const auto first = client->ask({.target = "/", .patience = Millis(2000)});
  const auto second = client->ask({.target = "/", .patience = Millis(200)});
  Event event = client.next();
  EXPECT_EQ(event.id, second);
  EXPECT_FALSE(event.sent);
  event = client.next();
  EXPECT_EQ(event.id, first);
  EXPECT_TRUE(event.sent);
  EXPECT_EQ(peer.connections(), 1u);
}

TEST(HttpFaults, AStreamThatBreaksEndsWithAProblem) {
  HttpPeer peer([](HttpPeer::Talk& talk) {
    talk.begin_chunks();
    talk.chunk("line\nhalf a li");
    talk.close();
  });
  Asking client({place_of(peer)});
  client->stream({.target = "/"});
  EXPECT_EQ(client.next().body, "line");
  const Event end = client.next();
  EXPECT_EQ(end.kind, Event::Kind::end);
  EXPECT_NE(end.problem.find("closed the connection"), std::string::npos) << end.problem;
}

TEST(HttpFaults, WhatIsNoHttpIsAProblem) {
  HttpPeer peer([](HttpPeer::Talk& talk) { talk.send("220 mail.example ESMTP\r\n\r\n"); });
  Asking client({place_of(peer)});
  const Event event = client.ask({.target = "/"});
  EXPECT_FALSE(event.problem.empty());
  EXPECT_TRUE(event.sent);
}

TEST(HttpFaults, AHostWithoutAnAddressIsPassedOver) {
  HttpPeer peer(answer_ok);
  Asking client({{"no-such-host.invalid", "80"}, place_of(peer)});
  const Event event = client.ask({.method = "POST", .target = "/", .patience = Millis(20'000)});
  EXPECT_EQ(event.status, 200) << event.problem;
  EXPECT_EQ(event.server, 1u);
}

TEST(HttpFaults, AResolverThatHangsHoldsUpNeitherTheOtherServerNorTheEnd) {
  testing::HangingResolver resolver;
  HttpPeer peer([](HttpPeer::Talk& talk) { talk.answer(200, "here"); });
  {
    Asking client(Settings{.servers = {{"db.hangs", "1"}, place_of(peer)}, .connect_patience = Millis(200)});
    EXPECT_EQ(client.ask({.target = "/", .patience = Millis(5000)}).body, "here");
    const Event none = client.ask({.target = "/", .patience = Millis(300), .server = 0});
    EXPECT_FALSE(none.sent);
    EXPECT_NE(none.problem.find("db.hangs"), std::string::npos) << none.problem;
  }
  EXPECT_TRUE(resolver.await_asked());
}

TEST(HttpFaults, NamesAndIpv6AddressesAreConnected) {
  HttpPeer four(answer_ok);
  Asking by_name({{"localhost", std::to_string(four.port())}});
  EXPECT_EQ(by_name.ask({.target = "/", .patience = Millis(20'000)}).status, 200);
  HttpPeer six([](HttpPeer::Talk& talk) { talk.answer(200, talk.head()); }, nullptr, "::1");
  Asking by_address({{"::1", std::to_string(six.port())}});
  const Event event = by_address.ask({.target = "/"});
  EXPECT_NE(event.body.find("Host: [::1]:" + std::to_string(six.port())), std::string::npos) << event.problem;
}

}  // namespace
}  // namespace ballot::http
