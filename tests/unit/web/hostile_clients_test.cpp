// Clients that hang, drip, flood and lie, a thousand of them, beside one that behaves.
#include <sys/resource.h>

#include "http/api/api_table.hpp"
#include "support/process/peak_memory.hpp"
#include "support/servers/hostile_clients.hpp"
#include "unit/web/web_server.hpp"

namespace ballot::web {
namespace {

const std::string with_body = "POST /api/v1/questions HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";

class HostileClients : public WebServer {
 protected:
  HostileClients() {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  int status_of_a_good_one() const {
    return client().ask("POST /api/v1/questions", {bearer("seer")}, R"({"do":"jobs"})").status;
  }
};

TEST_F(HostileClients, AThousandOfThemTakeNoPlaceAndNoMemoryOfOthers) {
  serve();
  const testing::PeakMemory peak;
  std::vector<std::string> lies = testing::lies_of_clients(bearer("worker") + "\r\n");
  lies.push_back(with_body + bearer("worker") + "\r\nContent-Length: 14\r\n\r\n{\"do\":\"never\"}");
  std::vector<WebClient> clients;
  for (int i = 0; i < 1000; ++i) {
    clients.push_back(client());
    clients.back().send(lies[static_cast<std::size_t>(i) % lies.size()]);
    if (i % 100 == 99) {
      EXPECT_EQ(status_of_a_good_one(), 200) << "beside " << i + 1;
    }
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(status_of_a_good_one(), 200);
  if (testing::PeakMemory::can_tell) {
    EXPECT_LT(peak.mib_over_rest(), 48);
  }
}

TEST_F(HostileClients, WhoAskTooMuchAtOnceWaitAndOthersDoNot) {
  serve({}, {.requests_of_asker = 2});
  std::vector<WebClient> waiting;
  for (int i = 0; i < 2; ++i) {
    waiting.push_back(client());
    waiting.back().send(with_body + bearer("worker") + "\r\nContent-Length: 14\r\n\r\n{\"do\":\"never\"}");
  }
  while (held < 2) std::this_thread::yield();
  const auto refused = client().ask("POST /api/v1/questions", {bearer("worker")}, R"({"do":"jobs"})");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(status_of_a_good_one(), 200);
  waiting.clear();
  while (gone < 2) std::this_thread::yield();
  EXPECT_EQ(client().ask("POST /api/v1/questions", {bearer("worker")}, R"({"do":"jobs"})").status, 200);
}

TEST_F(HostileClients, WhoFollowLeavePlacesForQuestionsAndForOperators) {
  has_events = true;
  serve(api_routes(), {.requests = 8, .requests_of_asker = 8, .streams = 4, .kept_for_operators = 2});
  std::vector<WebClient> followers;
  const auto follow = [&](const char* name) {
    followers.push_back(client());
    followers.back().send("GET /api/v1/events HTTP/1.1\r\nHost: h\r\n" + bearer(name) + "\r\n\r\n");
    return followers.back().answer(false).status;
  };
  for (int i = 0; i < 2; ++i) EXPECT_EQ(follow("seer"), 200);
  EXPECT_EQ(follow("seer"), 503) << "the last two are operators'";
  EXPECT_EQ(client().ask("GET /api/v1/runs/1/output?follow=true", {bearer("seer")}).status, 503);
  EXPECT_EQ(client().ask("POST /api/v1/questions", {bearer("seer")}, R"({"do":"events"})").status, 503);
  EXPECT_EQ(follow("worker"), 200);
  for (int i = 0; i < 4; ++i) {
    followers.push_back(client());
    followers.back().send(with_body + bearer("seer") + "\r\nContent-Length: 14\r\n\r\n{\"do\":\"never\"}");
  }
  EXPECT_TRUE(testing::wait_until([&] { return held == 7; }));
  EXPECT_EQ(status_of_a_good_one(), 503) << "of all requests the last two are operators' too";
  EXPECT_EQ(client().ask("POST /api/v1/questions", {bearer("worker")}, R"({"do":"jobs"})").status, 200);
  followers.erase(followers.begin());
  EXPECT_TRUE(testing::wait_until([&] { return gone == 1; }));
  EXPECT_EQ(status_of_a_good_one(), 200);
  EXPECT_EQ(follow("seer"), 200);
}

TEST_F(HostileClients, WhoAskTooOftenAreToldSoAndOthersAreNot) {
  serve({}, {.asker = {0.001, 3}, .stranger = {0.001, 2}});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client().ask("POST /api/v1/questions", {bearer("boss")}, "{}").status, 200);
  EXPECT_EQ(client().ask("POST /api/v1/questions", {bearer("boss")}, "{}").status, 429);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client().ask("POST /api/v1/questions", {}, "{}").status, 401);
  EXPECT_EQ(client().ask("POST /api/v1/questions", {}, "{}").status, 429);
  EXPECT_EQ(client().ask("POST /api/v1/questions", {"Authorization: Bearer guess"}, "{}").status, 429);
  for (const char* target : {"GET /nothing", "GET //", "GET *"}) EXPECT_EQ(client().ask(target).status, 429) << target;
  EXPECT_EQ(status_of_a_good_one(), 200) << "from the same address, with a token";
  EXPECT_EQ(client().ask("GET /healthz").status, 200);
}

TEST_F(HostileClients, WhoDoNotReadAreCutOff) {
  std::atomic<int> left = 0;
  const Route flood{Method::get, "/flood", io::Role::viewer, [&left](const ExchangePtr& exchange) {
                      exchange->on_gone([&left] { ++left; });
                      exchange->begin({200, "text/plain"});
                      while (!exchange->is_over()) exchange->send(std::string(65'536, 'x'));
                    }};
  std::atomic<int> cut = 0;
  const Route much{Method::get, "/much", io::Role::viewer, [&cut](const ExchangePtr& exchange) {
                     exchange->on_gone([&cut] { ++cut; });
                     exchange->begin({200, "text/plain", {}, std::string(16 << 20, 'x')});
                     exchange->on_drained([exchange] { exchange->end(); });
                   }};
  serve({flood, much}, {.patience = Millis(200)});
  const std::string get = " HTTP/1.1\r\nHost: h\r\n" + bearer("seer") + "\r\n\r\n";
  WebClient one = client(), two = client();
  one.send("GET /flood" + get);
  while (left == 0) std::this_thread::yield();
  two.send("GET /much" + get);
  while (cut == 0) std::this_thread::yield();
  EXPECT_EQ(client().ask("GET /much", {bearer("seer")}).body.size(), std::size_t{16} << 20) << "who reads gets all";
}

TEST_F(HostileClients, WhoTakeTooLongAreToldSo) {
  serve({}, {.head = Millis(100), .body = Millis(100), .idle = Millis(100)});
  WebClient silent = client(), half = client(), body = client(), idle = client();
  EXPECT_EQ(idle.ask("GET /healthz").status, 200);
  half.send("GET /healthz HTTP/1.1\r\n");
  body.send(with_body + bearer("seer") + "\r\nContent-Length: 10\r\n\r\n{");
  EXPECT_TRUE(silent.is_closed());
  EXPECT_EQ(half.answer().status, 408);
  EXPECT_EQ(body.answer().status, 408);
  EXPECT_TRUE(idle.is_closed());
}

TEST_F(HostileClients, HoldNoPlaceByABodyThatDoesNotCome) {
  serve({}, {.connections = 8});
  std::vector<WebClient> half;
  for (int i = 0; i < 20; ++i) {
    half.push_back(client());
    half.back().send("GET /healthz HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n{");
  }
  EXPECT_EQ(half.front().answer().status, 400);
  EXPECT_EQ(status_of_a_good_one(), 200);
}

TEST_F(HostileClients, WhoDoNotReadWhatAnybodyMayAskHoldNoPlace) {
  std::atomic<int> asked = 0;
  std::vector<ExchangePtr> kept;  // the server's thread's
  const Route never{Method::get, "/never", io::Role::none, [&](const ExchangePtr& exchange) {
                      exchange->begin({200, "text/plain"});
                      kept.push_back(exchange);
                      ++asked;
                    }};
  serve({never}, {.connections = 8});
  std::vector<WebClient> unread;
  for (int i = 0; i < 8; ++i) {
    unread.push_back(client());
    unread.back().send("GET /never HTTP/1.1\r\nHost: h\r\n\r\n");
    ASSERT_TRUE(testing::wait_until([&] { return asked > i; }));
  }
  EXPECT_EQ(status_of_a_good_one(), 200);
  server.reset();
}

TEST_F(HostileClients, TakeThePlacesOfThoseWhoOnlyWait) {
  serve({}, {.connections = 8});
  std::vector<WebClient> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(client());
  EXPECT_EQ(status_of_a_good_one(), 200);
  EXPECT_TRUE(silent.front().is_closed());
}

}  // namespace
}  // namespace ballot::web
