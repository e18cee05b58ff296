// The relay between a client and a server: what it lets through, and when.
#include "support/servers/tcp_relay.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "support/servers/reserved_port.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

sockaddr_in at(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

class TcpRelayTest : public ::testing::Test {
 protected:
  TcpRelayTest() : listener_(listen()), relay_(port_.number()) {}
  ~TcpRelayTest() override {
    for (const int one : {listener_, client_, server_})
      if (one >= 0) ::close(one);
  }

  int listen() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = at(port_.number());
    EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket, 4), 0);
    return socket;
  }
  void connect() {
    client_ = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = at(relay_.port());
    ASSERT_EQ(::connect(client_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    server_ = ::accept(listener_, nullptr, nullptr);
    ASSERT_GE(server_, 0);
  }
  static void say(int socket, const std::string& text) {
    ASSERT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  /// What comes within `limit`; "" for nothing, "end" for the end.
  static std::string hear(int socket, std::chrono::milliseconds limit = 5s) {
    pollfd ready{socket, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(limit.count())) <= 0) return "";
    char bytes[64];
    const ssize_t size = ::recv(socket, bytes, sizeof bytes, 0);
    return size > 0 ? std::string(bytes, static_cast<std::size_t>(size)) : "end";
  }

  const ReservedPort port_;
  int listener_, client_ = -1, server_ = -1;
  TcpRelay relay_;
};

TEST_F(TcpRelayTest, ForwardsBothWays) {
  connect();
  say(client_, "ask");
  EXPECT_EQ(hear(server_), "ask");
  say(server_, "answer");
  EXPECT_EQ(hear(client_), "answer");
  EXPECT_EQ(relay_.connections(), 1u);
}

TEST_F(TcpRelayTest, HoldsBackWhatIsSaidWhileItIsCut) {
  connect();
  relay_.cut();
  say(client_, "ask");
  EXPECT_EQ(hear(server_, 50ms), "");
  relay_.heal();
  EXPECT_EQ(hear(server_), "ask");
}

TEST_F(TcpRelayTest, DelaysOneWay) {
  connect();
  relay_.delay(TcpRelay::Way::to_client, 100ms);
  say(client_, "ask");
  EXPECT_EQ(hear(server_), "ask");
  const auto began = std::chrono::steady_clock::now();
  say(server_, "answer");
  EXPECT_EQ(hear(client_), "answer");
  EXPECT_GE(std::chrono::steady_clock::now() - began, 99ms);
}

TEST_F(TcpRelayTest, DropsAnswersAndLetsRequestsThrough) {
  connect();
  relay_.drop_answers(true);
  say(server_, "answer");
  EXPECT_EQ(hear(client_, 50ms), "");
  say(client_, "ask");
  EXPECT_EQ(hear(server_), "ask");
}

TEST_F(TcpRelayTest, TellsBothSidesWhenAConnectionIsBroken) {
  connect();
  relay_.break_connections();
  EXPECT_EQ(hear(client_), "end");
  EXPECT_EQ(hear(server_), "end");
}

TEST_F(TcpRelayTest, MeasuresFramesHoweverTheyArrive) {
  connect();
  say(client_, std::string("\0\0\0\5", 4) + "fi");
  EXPECT_EQ(hear(server_).size(), 6u);
  say(client_, "ve!" + std::string("\0\0\0\2hi\0", 7));
  EXPECT_EQ(hear(server_).size(), 10u);
  EXPECT_EQ(relay_.largest_frame(), 9u);
}

TEST_F(TcpRelayTest, WhatOneProcessHasConnectedIsCutAlone) {
  connect();
  relay_.cut_from(::getpid() + 1);  // another
  say(client_, "one");
  EXPECT_EQ(hear(server_), "one");
  relay_.cut_from(::getpid());
  say(client_, "two");
  EXPECT_EQ(hear(server_, 100ms), "");
  ::close(std::exchange(client_, -1));
  ::close(std::exchange(server_, -1));
  connect();  // it is still cut off
  say(client_, "three");
  EXPECT_EQ(hear(server_, 100ms), "");
  relay_.heal();
  EXPECT_EQ(hear(server_), "three");
}

TEST_F(TcpRelayTest, OneWayThatIsCutLosesBytesAndTheEndOfAConnectionAndTheOtherDoesNot) {
  connect();
  relay_.cut_way(TcpRelay::Way::to_client, ::getpid() + 1);  // of another process
  say(server_, "one");
  EXPECT_EQ(hear(client_), "one");
  relay_.cut_way(TcpRelay::Way::to_client, ::getpid());
  say(server_, "two");
  say(client_, "ask");
  EXPECT_EQ(hear(server_), "ask");
  ::close(std::exchange(server_, -1));
  say(client_, "more");  // which is refused where it arrives
  EXPECT_EQ(hear(client_, 100ms), "");
  relay_.heal();
  EXPECT_EQ(hear(client_), "end");
  ::close(std::exchange(client_, -1));
  connect();
  say(server_, "three");
  EXPECT_EQ(hear(client_), "three");
}

TEST_F(TcpRelayTest, WhereOneWayIsCutNoConnectionComesAbout) {
  relay_.cut_way(TcpRelay::Way::to_server);
  client_ = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = at(relay_.port());
  ASSERT_EQ(::connect(client_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  say(client_, "ask");
  EXPECT_EQ(hear(client_, 100ms), "");
  EXPECT_EQ(relay_.connections(), 0u);
  relay_.heal();
  EXPECT_EQ(hear(client_), "end");
}

}  // namespace
}  // namespace ballot::testing
