#include "ping/ping.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "base/unique_fd.hpp"
#include "support/process/run_program.hpp"
#include "support/servers/http_server.hpp"

namespace ballot::ping {
namespace {

using namespace std::chrono_literals;
using testing::HttpServer;

const PingSettings quick{.try_limit = 300ms, .tries = 3, .pause = 1ms};

TEST(Ping, AsksOnceWhereItIsAnswered) {
  HttpServer server;
  EXPECT_EQ(ping(server.url("/uuid/start?rid=1"), quick), "");
  EXPECT_EQ(server.asked(), std::vector<std::string>{"GET /uuid/start?rid=1"});
}

TEST(Ping, TriesAgainWhereTheOtherSideMayOnlyHaveStumbled) {
  HttpServer server;
  server.answer(503);
  EXPECT_EQ(ping(server.url("/x"), quick), "it answers HTTP 503");
  EXPECT_EQ(server.asked().size(), 3u);
}

TEST(Ping, DoesNotTryAgainWhatIsRefusedForGood) {
  HttpServer server;
  server.answer(404);
  EXPECT_EQ(ping(server.url("/x"), quick), "it answers HTTP 404");
  EXPECT_EQ(server.asked().size(), 1u);
}

TEST(Ping, GivesUpWhereNobodyAnswers) {
  HttpServer server;
  server.answer(0);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_NE(ping(server.url("/x"), quick), "");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(server.asked().size(), 3u);
}

/// Says 200, and then never stops; counts what it got rid of.
class EndlessServer {
 public:
  EndlessServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_.get(), 4);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    url = "http://127.0.0.1:" + std::to_string(::ntohs(address.sin_port)) + "/";
    thread_ = std::thread([this] { serve(); });
  }
  ~EndlessServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string url;
  std::string head = "HTTP/1.1 200 OK\r\n\r\n";
  std::atomic<std::size_t> sent = 0;

 private:
  void serve() {
    while (true) {
      const UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client) return;
      const int small = 4096;
      ::setsockopt(client.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
      (void)!::send(client.get(), head.data(), head.size(), MSG_NOSIGNAL);
      const std::string line = "X-Endless: " + std::string(1000, 'x') + "\r\n";
      for (ssize_t size = 1; (size = ::send(client.get(), line.data(), line.size(), MSG_NOSIGNAL)) > 0;)
        sent += static_cast<std::size_t>(size);
    }
  }
  UniqueFd listener_;
  std::thread thread_;
};

TEST(Ping, OfAnAnswerWithoutAnEndItReadsTheBeginning) {
  EndlessServer server;
  EXPECT_EQ(ping(server.url, {.try_limit = 10s, .tries = 1}), "");
  EXPECT_LT(server.sent, 16u << 20);
}

TEST(Ping, HeadersWithoutAnEndAreNoAnswer) {
  EndlessServer server;
  server.head = "HTTP/1.1 200 OK\r\n";
  EXPECT_NE(ping(server.url, {.try_limit = 10s, .tries = 1}), "");
  EXPECT_LT(server.sent, 16u << 20);
}

TEST(Ping, GivesUpWhereNobodyListens) {
  std::string url;
  {
    const HttpServer gone;
    url = gone.url("/x");
  }
  EXPECT_NE(ping(url, quick), "");
}

TEST(Ping, IsLedOnThreeTimesAtTheMostAndToHttpOnly) {
  HttpServer server;
  server.answer(302, "Location: " + server.url("/again"));
  EXPECT_NE(ping(server.url("/x"), {.try_limit = 1s, .tries = 1}), "");
  EXPECT_EQ(server.asked().size(), 4u);
  server.answer(302, "Location: file:///etc/passwd");
  EXPECT_NE(ping(server.url("/x"), {.try_limit = 1s, .tries = 1}), "");
}

TEST(Ping, AsksNothingButHttp) {
  EXPECT_NE(ping("file:///etc/passwd", quick), "");
  EXPECT_NE(ping("gopher://127.0.0.1/", quick), "");
}

TEST(PingProgram, TakesTheUrlFromItsInputAndSaysWhyNot) {
  HttpServer server;
  server.answer(404);
  const testing::Ran ran = testing::run_program({"/bin/sh", "-c", "echo '" + server.url("/x") + "' | " + BALLOT_PING});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "it answers HTTP 404\n");
  EXPECT_EQ(testing::run_program({BALLOT_PING}).code, 2) << "no URL";
}

}  // namespace
}  // namespace ballot::ping
