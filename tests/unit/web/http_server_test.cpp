// The server, as clients that know how to behave see it.
#include <sys/stat.h>

#include "support/servers/tls_files.hpp"
#include "unit/web/web_server.hpp"

namespace ballot::web {
namespace {

const std::string questions = "POST /api/v1/questions";

TEST_F(WebServer, AnswersAQuestionWithTheLinesOfItsAnswerAndInTheNameOfTheToken) {
  serve();
  WebClient one = client();
  for (int i = 0; i < 3; ++i) {  // on one connection
    const auto answer = one.ask(questions, {bearer("seer")}, R"({"do":"jobs"})");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Content-Type"), "application/x-ndjson");
    EXPECT_EQ(answer.body,
              "{\"number\":1}\n{\"number\":2}\n"
              "{\"by\":\"token seer from 127.0.0.1\",\"key\":\"token seer\",\"last\":true}\n");
  }
  EXPECT_EQ(server->counts(), (HttpServer::Counts{{{"/api/v1/questions", 200}, 3}}));
}

TEST_F(WebServer, TakesAQuestionInChunks) {
  serve();
  WebClient one = client();
  one.send(questions + " HTTP/1.1\r\nHost: h\r\n" + bearer("seer") +
           "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const char* piece : {"5\r\n{\"do\"", "\r\n", "8\r\n:\"jobs\"}\r\n", "0\r", "\n\r", "\n"}) one.send(piece);
  EXPECT_EQ(one.answer().status, 200);
}

TEST_F(WebServer, SendsAHeadAndThenTheBodyToWhoExpectsToBeTold) {
  serve();
  WebClient one = client();
  one.send(questions + " HTTP/1.1\r\nHost: h\r\n" + bearer("seer") +
           "\r\nContent-Type: application/json\r\nContent-Length: 13\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(one.answer(false).status, 100);
  one.send("{\"do\":\"jobs\"}");
  EXPECT_EQ(one.answer().status, 200);
  one.send(questions + " HTTP/1.1\r\nHost: h\r\nContent-Length: 13\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(one.answer().status, 401) << "before the body is sent";
}

TEST_F(WebServer, RefusesWhoShowsNoTokenOrAWrongOne) {
  serve();
  const auto nobody = client().ask(questions, {}, R"({"do":"jobs"})");
  EXPECT_EQ(nobody.status, 401);
  EXPECT_EQ(nobody.header("WWW-Authenticate"), "Bearer realm=\"ballot\"");
  EXPECT_EQ(nobody.header("Content-Type"), "application/problem+json");
  EXPECT_EQ(nobody.body, R"({"detail":"show a token: Authorization: Bearer TOKEN","status":401,"title":"Unauthorized",)"
                         R"("type":"about:blank"})");
  for (const char* wrong : {"Bearer wrong", "bearer token-of-see", "Basic dXNlcjpwYXNz", "Bearer", "Bearer a b"}) {
    const auto answer = client().ask(questions, {std::string("Authorization: ") + wrong}, R"({"do":"jobs"})");
    EXPECT_EQ(answer.status, 401) << wrong;
    EXPECT_NE(answer.header("WWW-Authenticate").find("invalid_token"), std::string::npos) << wrong;
    EXPECT_EQ((answer.head + answer.body).find("token-of-see"), std::string::npos) << "it is said to nobody";
  }
}

TEST_F(WebServer, RefusesAUserOfAProxyWhoseGroupsHaveNoRole) {
  settings.trusted_proxies = {"127.0.0.1"};
  settings.proxy_user_header = "X-User";
  settings.proxy_groups_header = "X-Groups";
  settings.proxy_roles = {{"ops", "viewer"}};
  serve();
  const auto status_of = [&](const std::string& groups) {
    return client().ask(questions, {"X-User: ann", "X-Groups: " + groups}, R"({"do":"jobs"})").status;
  };
  EXPECT_EQ(status_of("dev"), 403);
  EXPECT_EQ(status_of("dev, ops"), 200);
}

TEST_F(WebServer, TakesNoQuestionThatChangesSomething) {
  serve();
  for (const char* word : {"trigger", "pause", "evict"})
    EXPECT_EQ(client().ask(questions, {bearer("boss")}, std::string(R"({"do":")") + word + "\"}").status, 403) << word;
  EXPECT_EQ(client().ask(questions, {bearer("seer")}, "[]").status, 400);
  EXPECT_EQ(client().ask(questions, {bearer("seer")}, "{\"do\":").status, 400);
  EXPECT_EQ(client().ask(questions, {bearer("seer")}, "{\"do\":[" + std::string(10'001, ',') + "]}").status, 400);
}

TEST_F(WebServer, SaysHowAnAdminAsksForWhatNoQuestionMayChange) {
  serve();
  const auto said = [&](const char* word) {
    return client().ask(questions, {bearer("boss")}, std::string(R"({"do":")") + word + "\"}").body;
  };
  EXPECT_NE(said("evict").find("a question changes nothing: 'evict' is asked by `ballot election evict` on the node, "
                               "and not by the API"),
            std::string::npos)
      << said("evict");
  EXPECT_NE(said("kill").find("by `ballot kill` on the node, or by its own route"), std::string::npos) << said("kill");
}

TEST_F(WebServer, RefusesAnAskOfARouteThatTakesAHigherRole) {
  serve({{Method::post, "/act", io::Role::viewer, [](const ExchangePtr& exchange) {
            exchange->ask(io::Message().set("do", "trigger"), [exchange](const AnswerLine& line) {
              const auto error = io::to_error(line.message().operator*());
              exchange->finish(error ? problem(*error) : HttpResponse{});
            });
          }}});
  EXPECT_EQ(client().ask("POST /act", {bearer("worker")}).status, 200);
  const auto refused = client().ask("POST /act", {bearer("seer")});
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.body.find("token seer from 127.0.0.1 has the role viewer"), std::string::npos) << refused.body;
}

TEST_F(WebServer, KnowsPathsAndMethods) {
  serve({{Method::get, "/api/v1/jobs/{name}", io::Role::viewer,
          [](const ExchangePtr& exchange) {
            exchange->finish({200, "text/plain", {}, exchange->request().parameter("name")});
          }},
         {Method::put, "/api/v1/jobs/{name}", io::Role::admin, [](const ExchangePtr& exchange) {
            exchange->finish({204, ""});
          }}});
  WebClient one = client();
  EXPECT_EQ(one.ask("GET /api/v1/jobs/a%20b", {bearer("seer")}).body, "a b");
  const auto head = one.ask("HEAD /api/v1/jobs/abc", {bearer("seer")});
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "3");
  EXPECT_EQ(one.ask("GET /api/v1/nothing", {bearer("seer")}).status, 404);
  const auto wrong = one.ask("DELETE /api/v1/jobs/abc", {bearer("seer")});
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("Allow"), "GET, HEAD, OPTIONS, PUT");
  const auto options = one.ask("OPTIONS /api/v1/jobs/abc");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("Allow"), "GET, HEAD, OPTIONS, PUT");
  EXPECT_EQ(one.ask("PUT /api/v1/jobs/abc", {bearer("worker")}).status, 403);
  EXPECT_EQ(one.ask("PUT /api/v1/jobs/abc", {bearer("boss")}).status, 204);
}

TEST_F(WebServer, SaysInEachResponseWhatBrowsersMayDoWithIt) {
  serve();
  for (const char* line : {"GET /healthz", "GET /nothing", "POST /healthz"}) {
    const auto answer = client().ask(line);
    EXPECT_TRUE(answer.header("Content-Security-Policy")
                    .starts_with("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                                 "img-src 'self' data:"));
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff") << line;
    EXPECT_EQ(answer.header("Cache-Control"), "no-store") << line;
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "") << line;
  }
}

TEST_F(WebServer, LiesBelowItsBasePath) {
  settings.base_path = "/ballot";
  serve();
  EXPECT_EQ(client().ask("GET /ballot/healthz").status, 200);
  EXPECT_EQ(client().ask("GET /healthz").status, 404);
  EXPECT_EQ(client().ask("GET /ballots/healthz").status, 404);
  EXPECT_EQ(server->url(), "http://127.0.0.1:" + std::to_string(server->port()) + "/ballot");
}

TEST_F(WebServer, IsReadyWhereTheNodeIsAndAsksTheLoopOnceASecond) {
  serve();
  WebClient one = client();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(one.ask("GET /readyz").body, "ready\n");
  EXPECT_LT(asked_ready, 25);
  EXPECT_EQ(one.ask("GET /healthz", {"Authorization: Bearer old"}).body, "ok\n") << "whatever is shown";
}

TEST_F(WebServer, IsNotReadyWhereTheNodeIsNot) {
  is_ready = false;
  serve();
  const auto answer = client().ask("GET /readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, "not ready\nbackend\n");
  EXPECT_EQ(client().ask("GET /healthz").status, 200);
}

TEST_F(WebServer, ListensOnASocketWhoseUsersHaveTheirRoles) {
  settings.listen = folder / "api.sock";
  settings.tokens = "";
  serve();
  WebClient one(settings.listen);
  const auto answer = one.ask(questions, {}, R"({"do":"jobs"})");
  EXPECT_NE(answer.body.find("\"by\":\"uid " + std::to_string(::geteuid()) + "\""), std::string::npos) << answer.body;
  EXPECT_EQ(server->port(), 0);
  EXPECT_EQ(server->url(), "");
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(settings.listen));
}

TEST_F(WebServer, ListensAnewWhereItsSocketsFileIsRemoved) {
  settings.listen = folder / "api.sock";
  serve();
  WebClient before(settings.listen);
  const auto answers = [this] {
    try {
      return WebClient(settings.listen).ask("GET /healthz").status == 200;
    } catch (const std::runtime_error&) {  // nobody listens there yet
      return false;
    }
  };
  for (int i = 0; i < 2; ++i) {
    std::filesystem::remove(settings.listen);
    std::filesystem::remove(settings.listen + ".lock");
    EXPECT_TRUE(testing::wait_until(answers));
  }
  EXPECT_EQ(before.ask("GET /healthz").status, 200) << "who is connected stays so";
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(settings.listen));
}

TEST_F(WebServer, IsNotStartedWhereItsSocketCannotBeMadeAndNamesIt) {
  settings.listen = folder / "none/api.sock";
  const auto served = try_serve();
  ASSERT_FALSE(served);
  EXPECT_EQ(served.error().what,
            "[http] listen: cannot open the API's socket " + settings.listen + ": make its folder");
}

TEST_F(WebServer, ListensOnBothFamiliesWhereItIsTold) {
  settings.listen = "[::]:0";
  serve();
  EXPECT_EQ(client().ask("GET /healthz").status, 200) << "over IPv4";
}

TEST_F(WebServer, LetsEverybodySeeWhatAViewerSeesWhereItIsToldSo) {
  settings.anonymous_viewer = true;
  serve();
  const auto answer = client().ask(questions, {}, R"({"do":"jobs"})");
  EXPECT_NE(answer.body.find("somebody from 127.0.0.1"), std::string::npos) << answer.body;
  EXPECT_EQ(client().ask(questions, {"Authorization: Bearer wrong"}, R"({"do":"jobs"})").status, 401)
      << "a token that is wrong makes nobody of somebody";
}

/// A page of a name that resolves to this machine, and a page that makes a browser send something.
TEST_F(WebServer, RefusesWhatAPageOfAnotherSiteMayHaveMadeABrowserSend) {
  settings.anonymous_viewer = true;
  settings.advertise = "https://ballot.example/x";
  serve();
  const auto status_of = [&](const std::string& host, const std::string& more) {
    WebClient one = client();
    one.send(questions + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\n" + more +
             "Content-Length: 13\r\n\r\n{\"do\":\"jobs\"}");
    return one.answer().status;
  };
  for (const char* own : {"localhost", "127.0.0.1:8780", "[::1]:8780", "host-1", "ballot.example"})
    EXPECT_EQ(status_of(own, ""), 200) << own;
  for (const char* foreign : {"evil.example", "ballot.example.evil.example", "host-12", "host-1.evil.example"})
    EXPECT_EQ(status_of(foreign, ""), 421) << foreign;
  EXPECT_EQ(status_of("evil.example", bearer("seer") + "\r\n"), 200) << "no page has the token";
  EXPECT_EQ(status_of("localhost", "Origin: http://localhost\r\n"), 200);
  EXPECT_EQ(status_of("localhost", "Origin: https://ballot.example\r\n"), 200) << "a proxy's name";
  EXPECT_EQ(status_of("localhost", "Origin: https://evil.example\r\n"), 403);
  EXPECT_EQ(status_of("localhost", "Origin: null\r\n"), 403);
  EXPECT_EQ(status_of("localhost", "Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(status_of("localhost", "Sec-Fetch-Site: same-origin\r\nOrigin: https://a.example\r\n"), 200);
}

TEST_F(WebServer, ReadsItsTokensAgainAndBreaksOffWhoseTokenIsGone) {
  serve();
  WebClient one = client();
  one.send(questions + " HTTP/1.1\r\nHost: h\r\n" + bearer("seer") +
           "\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"do\":\"never\"}");
  while (held == 0) std::this_thread::yield();
  write_tokens({{"other", io::Role::viewer}});
  EXPECT_TRUE(one.is_closed());
  EXPECT_EQ(client().ask(questions, {bearer("seer")}, R"({"do":"jobs"})").status, 401);
  EXPECT_EQ(client().ask(questions, {bearer("other")}, R"({"do":"jobs"})").status, 200);
  folder.write("tokens", "what is this\n");
  while (log_text().find("the tokens before still count") == std::string::npos) std::this_thread::yield();
  EXPECT_EQ(client().ask(questions, {bearer("other")}, R"({"do":"jobs"})").status, 200);
  EXPECT_EQ(log_text().find("token-of"), std::string::npos);
}

/// A token that was to be revoked still counts: that is not for the log alone.
TEST_F(WebServer, SaysThatItsTokensCannotBeReadUntilTheyCan) {
  serve();
  folder.write("tokens", "what is this\n");
  while (trouble_text().empty()) std::this_thread::yield();
  EXPECT_EQ(trouble_text().find("tokens: " + (folder / "tokens") + ": "), 0U) << trouble_text();
  EXPECT_TRUE(trouble_text().ends_with("; the tokens of before still count")) << trouble_text();
  write_tokens({{"other", io::Role::viewer}});
  while (!trouble_text().empty()) std::this_thread::yield();
}

TEST_F(WebServer, TellsTheLoopThatAClientHasGone) {
  serve();
  {
    WebClient one = client();
    one.send(questions + " HTTP/1.1\r\nHost: h\r\n" + bearer("seer") +
             "\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"do\":\"never\"}");
    while (held == 0) std::this_thread::yield();
  }
  while (gone == 0) std::this_thread::yield();
}

TEST_F(WebServer, EndsWhatNobodyAnswers) {
  Route slow{Method::get, "/slow", io::Role::viewer, [this](const ExchangePtr& exchange) {
               exchange->ask(io::Message().set("do", "never"), [exchange](const AnswerLine&) {});
             }};
  slow.longest = Millis(50);
  const Route dropped{Method::get, "/dropped", io::Role::viewer, [](const ExchangePtr&) {}};
  serve({slow, dropped});
  EXPECT_EQ(client().ask("GET /slow", {bearer("seer")}).status, 504);
  EXPECT_EQ(client().ask("GET /dropped", {bearer("seer")}).status, 500);
  EXPECT_EQ(client().ask(questions, {bearer("seer")}, R"({"do":"drop"})").status, 200) << "the daemon's own word";
  while (gone == 0) std::this_thread::yield();
}

TEST_F(WebServer, StreamsAsLongAsTheRouteAndTheClientGoOn) {
  std::atomic<bool> left = false;
  serve({{Method::get, "/stream", io::Role::viewer, [&left](const ExchangePtr& exchange) {
            exchange->begin({200, "text/event-stream", {}, "first\n"});
            exchange->on_gone([&left] { left = true; });
            exchange->after(Millis(20), [exchange] { exchange->send("second\n"); });
          }}});
  WebClient one = client();
  one.send("GET /stream HTTP/1.1\r\nHost: h\r\n" + bearer("seer") + "\r\n\r\n");
  EXPECT_EQ(one.answer(false).header("Transfer-Encoding"), "chunked");
  EXPECT_EQ(one.chunk(), "first\n");
  EXPECT_EQ(one.chunk(), "second\n");
  { const WebClient gone_now = std::move(one); }
  while (!left) std::this_thread::yield();
}

TEST_F(WebServer, StreamsToAnOldClientUntilItCloses) {
  serve({{Method::get, "/stream", io::Role::none, [](const ExchangePtr& exchange) {
            exchange->begin({200, "text/plain", {}, "first "});
            exchange->send("second");
            exchange->end();
          }}});
  WebClient one = client();
  one.send("GET /stream HTTP/1.0\r\n\r\n");
  EXPECT_EQ(one.answer().body, "first second");
}

TEST_F(WebServer, AnswersRequestsThatComeAtOnceOneAfterTheOther) {
  serve();
  WebClient one = client();
  std::string all;
  for (int i = 0; i < 20; ++i) all += "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n";
  one.send(all);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(one.answer().body, "ok\n");
}

TEST_F(WebServer, IsNotStartedWithTokensThatCannotBeTrusted) {
  ::chmod(settings.tokens.c_str(), 0644);
  auto served = try_serve();
  ASSERT_FALSE(served);
  EXPECT_EQ(served.error().code, Errc::refused);
  EXPECT_NE(served.error().what.find("[http] tokens: " + settings.tokens), std::string::npos) << served.error().what;
  settings.tokens = folder / "none";
  served = try_serve();
  ASSERT_FALSE(served);
  EXPECT_EQ(served.error().code, Errc::invalid);
}

TEST_F(WebServer, IsNotStartedWhereAnotherListens) {
  serve();
  settings.listen = "127.0.0.1:" + std::to_string(server->port());
  const auto first = std::move(server);
  const auto served = try_serve();
  ASSERT_FALSE(served);
  EXPECT_EQ(served.error().code, Errc::conflict);
  EXPECT_NE(served.error().what.find("port " + std::to_string(first->port())), std::string::npos);
}

}  // namespace
}  // namespace ballot::web
