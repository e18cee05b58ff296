#include "ping/ping.hpp"

#include <gtest/gtest.h>

#include "support/http_server.hpp"
#include "support/run_program.hpp"

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
