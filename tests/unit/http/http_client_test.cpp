#include <future>

#include "unit/http/asking.hpp"

namespace ballot::http {
namespace {

using testing::HttpPeer;

constexpr Millis no_event{100};

TEST(HttpClient, SendsWhatIsAskedAndTellsTheAnswer) {
  HttpPeer peer([](HttpPeer::Talk& talk) { talk.answer(201, talk.head() + "|" + talk.body(), "X-Index: 7\r\n"); });
  Asking client({place_of(peer)});
  const Event event =
      client.ask({.method = "PUT", .target = "/a?b=c", .headers = {{"Authorization", "token"}}, .body = "{}"});
  EXPECT_EQ(event.kind, Event::Kind::answer);
  EXPECT_EQ(event.status, 201);
  EXPECT_TRUE(event.ok());
  EXPECT_EQ(event.header("x-index"), "7");
  EXPECT_EQ(event.header("x-none"), "");
  EXPECT_EQ(peer.asked(), std::vector<std::string>{"PUT /a?b=c"});
  for (const char* part : {"Host: 127.0.0.1:", "Authorization: token\r\n", "Content-Length: 2\r\n", "|{}"})
    EXPECT_NE(event.body.find(part), std::string::npos) << part << " in " << event.body;
}

TEST(HttpClient, KeepsTheConnection) {
  HttpPeer peer([](HttpPeer::Talk& talk) { talk.answer(200, ""); });
  Asking client({place_of(peer)});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.ask({.target = "/"}).status, 200);
  EXPECT_EQ(peer.connections(), 1u);
}

TEST(HttpClient, DoesNotKeepAConnectionThatTheServerCloses) {
  HttpPeer peer([](HttpPeer::Talk& talk) {
    talk.answer(200, "", "Connection: close\r\n");
    talk.close();
  });
  Asking client({place_of(peer)});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.ask({.target = "/"}).status, 200);
  EXPECT_EQ(peer.connections(), 3u);
}

TEST(HttpClient, CallsShareFewConnectionsAndLongPollsHaveTheirOwn) {
  std::promise<void> release;
  HttpPeer peer([released = release.get_future().share()](HttpPeer::Talk& talk) {
    if (talk.asked() == "GET /poll") released.wait();
    talk.answer(200, talk.asked());
  });
  Settings settings{.servers = {place_of(peer)}};
  settings.connections = 2;
  Asking client(settings);
  for (int i = 0; i < 3; ++i) client->ask({.target = "/poll", .patience = Millis(30'000), .long_poll = true});
  for (int i = 0; i < 20; ++i) client->ask({.target = "/call", .patience = Millis(30'000)});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.next().body, "GET /call");
  EXPECT_EQ(peer.connections(), 5u);
  release.set_value();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.next().body, "GET /poll");
}

TEST(HttpClient, TakesBodiesOfManyMegabytesInChunksOrWhole) {
  const std::string large(5 * 1024 * 1024, 'x');
  HttpPeer peer([&](HttpPeer::Talk& talk) {
    if (talk.asked() == "GET /whole") return talk.answer(200, large);
    talk.begin_chunks();
    for (std::size_t at = 0; at < large.size(); at += 100'001) talk.chunk(large.substr(at, 100'001));
    talk.end_chunks();
  });
  Asking client({place_of(peer)});
  EXPECT_EQ(client.ask({.target = "/whole", .patience = Millis(30'000), .largest = large.size()}).body.size(),
            large.size());
  EXPECT_EQ(client.ask({.target = "/chunks", .patience = Millis(30'000), .largest = large.size()}).body, large);
  EXPECT_EQ(peer.connections(), 1u);
}

TEST(HttpClient, ABodyBeyondTheLimitIsAProblem) {
  HttpPeer peer([](HttpPeer::Talk& talk) { talk.answer(200, std::string(2000, 'x')); });
  Asking client({place_of(peer)});
  const Event event = client.ask({.target = "/", .largest = 1000});
  EXPECT_FALSE(event.ok());
  EXPECT_TRUE(event.too_large);
  EXPECT_NE(event.problem.find("more than 1000 bytes"), std::string::npos) << event.problem;
}

TEST(HttpClient, TellsEachLineOfAStreamAndItsEnd) {
  const std::string large(3 * 1024 * 1024, 'y');
  HttpPeer peer([&](HttpPeer::Talk& talk) {
    talk.begin_chunks();
    talk.chunk("one\ntw");
    talk.chunk("o\r\n\n" + large.substr(0, 1'000'000));
    talk.chunk(large.substr(1'000'000) + "\nlast");
    talk.end_chunks();
  });
  Asking client({place_of(peer)});
  const auto id = client->stream({.target = "/", .largest = large.size()});
  for (const std::string& line : {std::string("one"), std::string("two"), std::string(), large, std::string("last")}) {
    const Event event = client.next();
    EXPECT_EQ(event.id, id);
    EXPECT_EQ(event.kind, Event::Kind::line);
    EXPECT_TRUE(event.body == line) << event.body.substr(0, 100);
  }
  const Event end = client.next();
  EXPECT_EQ(end.kind, Event::Kind::end);
  EXPECT_TRUE(end.ok()) << end.problem;
}

TEST(HttpClient, AStreamHasNoTimeOutOnceItIsAnswered) {
  std::promise<void> release;
  HttpPeer peer([released = release.get_future().share()](HttpPeer::Talk& talk) {
    talk.begin_chunks();
    talk.chunk("first\n");
    released.wait();
    talk.chunk("second\n");
    talk.wait_closed();
  });
  Asking client({place_of(peer)});
  client->stream({.target = "/", .patience = Millis(2000)});
  EXPECT_EQ(client.next().body, "first");
  EXPECT_EQ(client.next(Millis(2200)).id, 0u);
  release.set_value();
  EXPECT_EQ(client.next().body, "second");
  peer.break_connections();
  const Event end = client.next();
  EXPECT_EQ(end.kind, Event::Kind::end);
  EXPECT_FALSE(end.ok());
}

TEST(HttpClient, AStreamThatIsRefusedEndsWithTheAnswer) {
  HttpPeer peer([](HttpPeer::Talk& talk) { talk.answer(503, "no leader\n"); });
  Asking client({place_of(peer)});
  client->stream({.target = "/"});
  const Event end = client.next();
  EXPECT_EQ(end.kind, Event::Kind::end);
  EXPECT_EQ(end.status, 503);
  EXPECT_EQ(end.body, "no leader\n");
}

TEST(HttpClient, LinesWaitUntilTheyAreTaken) {
  const std::string line(9'999, 'z');
  HttpPeer peer([&](HttpPeer::Talk& talk) {
    talk.begin_chunks();
    for (int i = 0; i < 2'000; ++i) talk.chunk(line + "\n");
    talk.end_chunks();
  });
  Asking client({place_of(peer)});
  client->stream({.target = "/", .patience = Millis(30'000), .largest = 10'000});
  for (int i = 0; i < 2'000; ++i) ASSERT_EQ(client.next().body, line) << i;
  EXPECT_TRUE(client.next().ok());
}

TEST(HttpClient, NothingIsToldOfWhatIsCancelled) {
  HttpPeer peer([](HttpPeer::Talk& talk) {
    if (talk.asked() == "GET /never") return talk.wait_closed();  // which it is
    talk.answer(200, "");
  });
  Asking client({place_of(peer)});
  const auto poll = client->ask({.target = "/never", .patience = Millis(60'000), .long_poll = true});
  const auto stream = client->stream({.target = "/never", .patience = Millis(60'000)});
  EXPECT_EQ(client.ask({.target = "/"}).status, 200);
  client->cancel(poll);
  client->cancel(stream);
  EXPECT_EQ(client.next(no_event).id, 0u);
  EXPECT_EQ(client.ask({.target = "/"}).status, 200);
}

TEST(HttpClient, IsDestroyedWhileServersAreSilent) {
  HttpPeer peer([](HttpPeer::Talk& talk) { talk.wait_closed(); });
  const auto begin = support::boot_now();
  {
    Asking client({place_of(peer)});
    client->ask({.target = "/", .patience = Millis(60'000)});
    client->stream({.target = "/", .patience = Millis(60'000)});
    client.next(no_event);
  }
  EXPECT_LT(support::boot_now() - begin, Millis(10'000));
}

}  // namespace
}  // namespace ballot::http
