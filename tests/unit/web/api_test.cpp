// The routes of /api/v1: the document that others read says the same of them, each request becomes its question, and
// each answer its response.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <deque>
#include <fstream>
#include <set>

#include "base/hex.hpp"
#include "http/api/api_question.hpp"
#include "http/api/api_table.hpp"

namespace ballot::web {
namespace {

namespace json = boost::json;
using io::Message;

json::value document() {
  std::ifstream file(BALLOT_OPENAPI);
  return json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string in_order(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += " " + name;
  return text;
}

/// "GET /api/v1/jobs viewer: after group limit scope; "
std::set<std::string> routes_of_table() {
  std::set<std::string> routes;
  for (const ApiRoute& route : api_table()) {
    std::set<std::string> query, body;
    for (const Parameter& one : route.query) query.emplace(one.name);
    for (const Parameter& one : route.body) body.emplace(one.name);
    routes.insert(std::string(to_string(route.method)) + " " + std::string(route.path) + " " +
                  std::string(io::to_string(route.role)) + ":" + in_order(query) + ";" + in_order(body));
  }
  return routes;
}

std::set<std::string> routes_of_document() {
  const json::value all = document();
  std::set<std::string> routes;
  for (const auto& [path, verbs] : all.at("paths").as_object())
    for (const auto& [verb, operation] : verbs.as_object()) {
      std::set<std::string> query, body;
      if (const auto* const parameters = operation.as_object().if_contains("parameters"))
        for (const auto& one : parameters->as_array())
          if (one.at("in") == "query") query.insert(json::value_to<std::string>(one.at("name")));
      if (const auto* const given = operation.as_object().if_contains("requestBody")) {
        const auto link =
            json::value_to<std::string>(given->at("content").at("application/json").at("schema").at("$ref"));
        const auto& schema = all.at("components").at("schemas").at(link.substr(link.rfind('/') + 1)).as_object();
        if (const auto* const properties = schema.if_contains("properties"))
          for (const auto& [name, value] : properties->as_object()) body.emplace(name);
      }
      std::string method(verb);
      for (char& c : method) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      routes.insert(method + " " + std::string(path) + " " + json::value_to<std::string>(operation.at("x-role")) + ":" +
                    in_order(query) + ";" + in_order(body));
    }
  return routes;
}

TEST(ApiDocument, HasEachRouteWithItsRoleAndItsValuesAndNoOther) {
  std::set<std::string> routes = routes_of_table();
  routes.insert("POST /api/v1/questions viewer:;");  // of the server itself
  EXPECT_EQ(routes_of_document(), routes);
}

TEST(ApiTable, NoRouteTakesALowerRoleThanItsQuestionDoes) {
  for (const ApiRoute& route : api_table()) EXPECT_GE(route.role, io::role_for(route.word)) << route.path;
}

const ApiRoute& route_of(Method method, std::string_view path) {
  for (const ApiRoute& route : api_table())
    if (route.method == method && route.path == path) return route;
  throw std::logic_error("no such route");
}

HttpRequest request(Method method, std::string_view path, Pairs query = {}, std::string body = {}) {
  HttpRequest request;
  request.method = method;
  request.route = path;
  request.query = std::move(query);
  request.body = std::move(body);
  return request;
}

TEST(ApiQuestion, TakesEachValueInItsForm) {
  const HttpRequest asked =
      request(Method::get, "/api/v1/history",
              {{"job", "a,b"}, {"job", "c"}, {"since", "2025-03-09T07:00:00Z"}, {"limit", "7"}, {"scope", "node"}});
  const auto question = question_of(route_of(asked.method, asked.route), asked);
  ASSERT_TRUE(question) << question.error().what;
  EXPECT_EQ(question->text("do"), "ledger");
  EXPECT_EQ(question->text("ask"), "history");
  EXPECT_EQ(question->text("form"), "shown");
  EXPECT_EQ(question->texts("jobs"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(question->integer("since"), 1'741'503'600'000);
  EXPECT_EQ(question->integer("limit"), 7);
  EXPECT_EQ(question->text("scope"), "node");
}

TEST(ApiQuestion, RefusesWhatItDoesNotKnowAndNamesIt) {
  const auto refusal = [](const HttpRequest& asked) {
    const auto question = question_of(route_of(asked.method, asked.route), asked);
    return question ? "taken" : question.error().what;
  };
  EXPECT_EQ(refusal(request(Method::get, "/api/v1/jobs", {{"page", "2"}})),
            "the query has no 'page': there are after, limit, group, scope");
  EXPECT_EQ(refusal(request(Method::get, "/api/v1/jobs", {{"limit", "1x"}})),
            "limit: '1x' is no whole number from 1 on");
  EXPECT_EQ(refusal(request(Method::get, "/api/v1/jobs", {{"scope", "world"}})),
            "scope: 'world' is neither fleet nor node");
  EXPECT_EQ(refusal(request(Method::get, "/api/v1/status", {{"x", ""}})), "the query has no 'x': there are none");
  EXPECT_EQ(refusal(request(Method::put, "/api/v1/runs/{id}", {}, R"({"job":7})")), "the body's 'job' must be a text");
  EXPECT_EQ(refusal(request(Method::put, "/api/v1/runs/{id}", {}, R"({"user":"root"})")),
            "the body has no 'user': there are job, env, alone, timeout_ms");
  EXPECT_EQ(refusal(request(Method::put, "/api/v1/runs/{id}", {}, R"({"job":"a","timeout_ms":5})")), "taken");
}

/// An exchange whose daemon is the test.
struct FakeExchange : Exchange {
  const HttpRequest& request() const override { return asked; }
  void ask(Message question, std::function<void(AnswerLine)> on_line) override {
    questions.push_back(std::move(question));
    on_lines.push_back(std::move(on_line));
  }
  void after(Millis delay, std::function<void()> then) override { timers.emplace_back(delay, std::move(then)); }
  bool become_stream() override { return true; }
  void finish(HttpResponse made) override { response = std::move(made), over = true; }
  void begin(HttpResponse made) override { response = std::move(made); }
  void send(std::string_view bytes) override { response.body += bytes; }
  void end() override { over = true; }
  std::size_t unread() const override { return unread_bytes; }
  void on_drained(std::function<void()> then) override { drained = std::move(then); }
  bool is_over() const override { return over; }
  void on_gone(std::function<void()>) override {}

  /// The daemon's next answer.
  void answer(Message line, bool is_last = true) {
    const auto on_line = on_lines.at(answered);
    if (is_last) ++answered, line.set("last", true);
    on_line({std::move(line), is_last});
  }
  std::string header(std::string_view name) const {
    for (const auto& [key, value] : response.headers)
      if (key == name) return value;
    return "none";
  }

  /// As the server does once the exchange is over: what waits for answers keeps the exchange.
  void forget() {
    on_lines.clear();
    timers.clear();
    drained = nullptr;
  }

  HttpRequest asked;
  HttpResponse response;
  bool over = false;
  std::size_t unread_bytes = 0, answered = 0;
  std::vector<Message> questions;
  std::vector<std::function<void(AnswerLine)>> on_lines;
  std::deque<std::pair<Millis, std::function<void()>>> timers;
  std::function<void()> drained;
};

std::shared_ptr<FakeExchange> begin(HttpRequest asked) {
  const auto exchange = std::make_shared<FakeExchange>();
  exchange->asked = std::move(asked);
  for (const Route& route : api_routes())
    if (route.method == exchange->asked.method && route.path == exchange->asked.route) route.answer(exchange);
  return {exchange.get(), [exchange](FakeExchange*) { exchange->forget(); }};
}

TEST(ApiAnswer, IsTheDaemonsWithoutWhatTheSocketNeeds) {
  const auto exchange = begin(request(Method::get, "/api/v1/status"));
  exchange->answer(Message().set("state", "healthy"));
  EXPECT_EQ(exchange->response.status, 200);
  EXPECT_EQ(exchange->response.body, R"({"state":"healthy"})");
}

TEST(ApiAnswer, NamesNodesThatAreMissingWithTimesAsTexts) {
  const auto exchange = begin(request(Method::get, "/api/v1/history"));
  const Message node =
      Message().set("node", "n2").set("why", "gone").set("last_heard", std::int64_t{1'741'503'600'250});
  exchange->answer(Message().set("missing", std::vector{node}));
  EXPECT_EQ(exchange->response.body,
            R"({"missing":[{"last_heard":"2025-03-09T07:00:00.250Z","node":"n2","why":"gone"}]})");
}

TEST(ApiAnswer, OfAnErrorIsAProblem) {
  const auto exchange = begin(request(Method::get, "/api/v1/jobs/{name}"));
  exchange->answer(io::to_message({Errc::not_found, "the daemon has no job x"}));
  EXPECT_EQ(exchange->response.status, 404);
  EXPECT_EQ(exchange->response.content_type, "application/problem+json");
  EXPECT_EQ(io::decode(exchange->response.body)->text("detail"), "the daemon has no job x");
}

TEST(ApiAnswer, IsNotSentAgainToWhoHasIt) {
  const Message jobs = Message().set("jobs", std::vector<Message>{}).set("next", {});
  const auto first = begin(request(Method::get, "/api/v1/jobs"));
  first->answer(jobs);
  const std::string tag = first->header("ETag");
  HttpRequest again = request(Method::get, "/api/v1/jobs");
  again.headers = {{"if-none-match", "W/\"0\", W/" + tag}};
  const auto second = begin(again);
  second->answer(jobs);
  EXPECT_EQ(second->response.status, 304);
  EXPECT_EQ(second->response.body, "");
  const auto third = begin(again);
  third->answer(Message(jobs).set("next", "a"));
  EXPECT_EQ(third->response.status, 200);
  EXPECT_NE(third->header("ETag"), tag);
}

TEST(ApiAnswer, SaysWhetherARunIsNew) {
  for (const bool is_new : {true, false}) {
    const auto exchange = begin(request(Method::put, "/api/v1/runs/{id}", {}, R"({"job":"a"})"));
    exchange->answer(Message().set("done", true).set("created", is_new));
    EXPECT_EQ(exchange->response.status, is_new ? 201 : 200);
  }
}

TEST(ApiEvents, AreSentAsTheyComeAndGoOnByTheHeader) {
  HttpRequest asked = request(Method::get, "/api/v1/events", {{"after", "old-1"}});
  asked.headers = {{"last-event-id", "p-4"}};
  const auto exchange = begin(asked);
  EXPECT_EQ(exchange->questions[0].text("after"), "p-4");
  exchange->answer(Message().set("id", "p-4").set("event", "begin").set("data", "{}"), false);
  exchange->answer(Message().set("id", "p-5").set("event", "row").set("data", "{\"job\":\"a\"}"), false);
  EXPECT_EQ(exchange->response.content_type, "text/event-stream");
  EXPECT_EQ(exchange->response.body,
            "id: p-4\nevent: begin\ndata: {}\n\nid: p-5\nevent: row\ndata: {\"job\":\"a\"}\n\n");
  EXPECT_FALSE(exchange->over);
  exchange->timers.front().second();
  EXPECT_TRUE(exchange->response.body.ends_with("\n\n:\n\n")) << "a sign of life";
  EXPECT_EQ(exchange->timers.size(), 2U);
  exchange->answer(io::to_message({Errc::unavailable, "the daemon stops"}));
  EXPECT_TRUE(exchange->over);
}

TEST(ApiEvents, ThatAreRefusedAreAProblem) {
  const auto exchange = begin(request(Method::get, "/api/v1/events"));
  exchange->answer(io::to_message({Errc::unavailable, "too many follow"}));
  EXPECT_EQ(exchange->response.status, 503);
}

// ---- output

struct ApiOutput : ::testing::Test {
  void ask(Pairs query = {}, const std::string& range = {}) {
    HttpRequest asked = request(Method::get, "/api/v1/runs/{id}/output", std::move(query));
    asked.parameters = {{"id", "cdef01"}};
    if (!range.empty()) asked.headers = {{"range", range}};
    exchange = begin(asked);
    EXPECT_EQ(exchange->questions[0].text("ask"), "run");
    exchange->answer(Message().set("run_id", "the-run").set("attempt", std::int64_t{2}));
  }
  void piece(std::int64_t begin, const std::string& bytes, std::int64_t total, bool ended) {
    EXPECT_EQ(exchange->questions.back().text("run"), "the-run");
    exchange->answer(Message().set("begin", begin).set("bytes", to_hex(bytes)).set("total", total).set("ended", ended));
  }
  std::int64_t asked_from() const { return exchange->questions.back().integer("from").value_or(-1); }

  std::shared_ptr<FakeExchange> exchange;
};

TEST_F(ApiOutput, IsTheBytesOfTheLastAttemptWithALineWhereTheMiddleIsGone) {
  ask();
  EXPECT_EQ(exchange->questions.back().integer("attempt"), 2);
  piece(0, "head", 20, true);
  EXPECT_EQ(asked_from(), 4);
  piece(16, "tail", 20, true);
  EXPECT_EQ(exchange->response.body, "head\n[ballot: 12 bytes left out]\ntail");
  EXPECT_TRUE(exchange->over);
  EXPECT_EQ(exchange->header("Ballot-Attempt"), "2");
  EXPECT_EQ(exchange->header("Ballot-Ended"), "true");
}

TEST_F(ApiOutput, OfARunThatGoesOnEndsUnlessItIsFollowed) {
  ask();
  piece(0, "so far", 6, false);
  EXPECT_TRUE(exchange->over);
  EXPECT_EQ(exchange->header("Ballot-Ended"), "false");
  ask({{"follow", "true"}});
  piece(0, "so far", 6, false);
  EXPECT_FALSE(exchange->over);
  exchange->timers.back().second();
  EXPECT_EQ(asked_from(), 6);
  piece(6, ", and more", 16, true);
  EXPECT_TRUE(exchange->over);
  EXPECT_EQ(exchange->response.body, "so far, and more");
}

TEST_F(ApiOutput, ThatIsFollowedEndsAfterALongSilence) {
  ask({{"follow", "true"}});
  piece(0, "", 0, false);
  for (int i = 0; i < 100 && !exchange->over; ++i) {
    exchange->timers.back().second();
    piece(0, "", 0, false);
  }
  EXPECT_TRUE(exchange->over);
}

TEST_F(ApiOutput, IsAskedForNoFasterThanItIsRead) {
  ask();
  exchange->unread_bytes = 4;
  piece(0, "head", 8, true);
  EXPECT_EQ(exchange->questions.size(), 2U);
  exchange->drained();
  EXPECT_EQ(asked_from(), 4);
}

TEST_F(ApiOutput, OfARangeSaysWhichBytesItIs) {
  ask({}, "bytes=2-3");
  EXPECT_EQ(asked_from(), 2);
  piece(2, "cdefgh", 8, true);
  EXPECT_EQ(exchange->response.status, 206);
  EXPECT_EQ(exchange->response.body, "cd");
  EXPECT_EQ(exchange->header("Content-Range"), "bytes 2-3/8");
  ask({}, "bytes=5-");
  piece(7, "h", 8, false);
  EXPECT_EQ(exchange->header("Content-Range"), "bytes 7-7/*") << "what lies before it is not kept, and more may come";
}

TEST_F(ApiOutput, OfARangeThatIsNotKeptIsRefused) {
  ask({}, "bytes=8-");
  piece(8, "", 8, true);
  EXPECT_EQ(exchange->response.status, 416);
  EXPECT_EQ(exchange->header("Content-Range"), "bytes */8");
  ask({}, "bytes=2-3");
  piece(6, "gh", 8, true);
  EXPECT_EQ(exchange->response.status, 416) << "it lies where the middle is gone";
}

TEST_F(ApiOutput, ThatIsLostIsGoneAndNotEmpty) {
  ask();
  exchange->answer(Message().set("lost", true).set("node", "n2").set("begin", std::int64_t{0}));
  EXPECT_EQ(exchange->response.status, 410);
}

TEST_F(ApiOutput, OfAnotherNodeThatDoesNotAnswerIsAProblem) {
  ask();
  exchange->answer(Message().set("elsewhere", true).set("node", "n2").set("begin", std::int64_t{0}));
  EXPECT_EQ(exchange->response.status, 503);
}

}  // namespace
}  // namespace ballot::web
