// Nodes' APIs as one node asks them: servers in this process that answer, hang, drip, lie, flood.
#include "http/peer_client.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "library/history/fleet.hpp"
#include "support/process/hanging_resolver.hpp"
#include "support/servers/http_peer.hpp"
#include "support/servers/reserved_port.hpp"
#include "support/servers/tls_files.hpp"
#include "support/temp_folder.hpp"

namespace ballot::web {
namespace {

using std::chrono::steady_clock;
using testing::HttpPeer;

std::string url_of(const HttpPeer& peer, const std::string& scheme = "http") {
  return scheme + "://127.0.0.1:" + std::to_string(peer.port()) + "/base/api/v1/questions";
}

Result<std::string> ask(const std::string& url, PeerSettings settings = {}) {
  return ask_peers({{url, R"({"do":"ledger"})"}}, settings).front();
}

void answers(HttpPeer::Talk& talk) { talk.answer(200, "{\"a\":1}\n", "Content-Type: application/x-ndjson\r\n"); }
void hangs(HttpPeer::Talk& talk) { talk.wait_closed(); }

TEST(PeerClient, PostsTheQuestionWithTheTokenAndReturnsTheAnswer) {
  std::string head, body;
  HttpPeer peer([&](HttpPeer::Talk& talk) { head = talk.head(), body = talk.body(), answers(talk); });
  const auto answer = ask(url_of(peer), {.token = "t0ken"});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(*answer, "{\"a\":1}\n");
  EXPECT_EQ(peer.asked(), std::vector<std::string>{"POST /base/api/v1/questions"});
  EXPECT_NE(head.find("Authorization: Bearer t0ken\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("Host: 127.0.0.1:" + std::to_string(peer.port()) + "\r\n"), std::string::npos) << head;
  EXPECT_EQ(body, R"({"do":"ledger"})");
}

TEST(PeerClient, ANodeThatHangsTakesNoneOfTheOthersTime) {
  HttpPeer first(answers), silent(hangs), last(answers);
  HttpPeer drips([](HttpPeer::Talk& talk) {
    talk.begin_chunks();
    while (!talk.is_closed()) talk.chunk("x"), std::this_thread::sleep_for(Millis(20));
  });
  const auto from = steady_clock::now();
  const auto all =
      ask_peers({{url_of(first), "{}"}, {url_of(silent), "{}"}, {url_of(drips), "{}"}, {url_of(last), "{}"}},
                {.within = Millis(300)});
  EXPECT_LT(steady_clock::now() - from, std::chrono::seconds(5));
  EXPECT_TRUE(all[0]) << all[0].error().what;
  EXPECT_EQ(all[1].error().code, Errc::timeout);
  EXPECT_EQ(all[2].error().code, Errc::timeout);
  EXPECT_TRUE(all[3]) << all[3].error().what;
}

TEST(PeerClient, EndsWhenNobodyWaitsAnyMore) {
  HttpPeer silent(hangs);
  const auto from = steady_clock::now();
  const auto all = ask_peers({{url_of(silent), "{}"}}, {.within = std::chrono::seconds(60)}, [] { return false; });
  EXPECT_LT(steady_clock::now() - from, std::chrono::seconds(30));
  ASSERT_FALSE(all[0]);
  EXPECT_EQ(all[0].error().code, Errc::unavailable) << "whoever asks hangs up: that the node is silent nobody knows";
  EXPECT_NE(all[0].error().what.find("called off"), std::string::npos) << all[0].error().what;
}

TEST(PeerClient, AnAnswerThatIsTooLongIsCutOff) {
  HttpPeer floods([](HttpPeer::Talk& talk) {
    talk.begin_chunks();
    for (int i = 0; i < 1000 && !talk.is_closed(); ++i) talk.chunk(std::string(1000, 'x'));
    talk.end_chunks();
  });
  HttpPeer claims([](HttpPeer::Talk& talk) { talk.send("HTTP/1.1 200 X\r\nContent-Length: 9000000000\r\n\r\n"); });
  EXPECT_EQ(ask(url_of(floods), {.most_bytes = 10'000}).error().code, Errc::corrupt);
  EXPECT_EQ(ask(url_of(claims), {.most_bytes = 10'000}).error().code, Errc::corrupt);
}

TEST(PeerClient, TheAnswersOfAllNodesTogetherAreBoundedToo) {
  const auto says = [](HttpPeer::Talk& talk) { talk.answer(200, std::string(60'000, 'x')); };
  HttpPeer first(says), second(says);
  const std::vector<PeerRequest> both{{url_of(first), "{}"}, {url_of(second), "{}"}};
  const PeerSettings patient{.within = std::chrono::seconds(30)};
  PeerSettings bounded = patient;
  bounded.most_bytes_together = 100'000;
  const auto all = ask_peers(both, bounded);
  ASSERT_NE(bool(all[0]), bool(all[1])) << "there is room for one of them";
  EXPECT_EQ((all[0] ? all[1] : all[0]).error().code, Errc::corrupt);
  bounded.most_bytes_together = 120'000;
  for (const auto& answer : ask_peers(both, bounded)) EXPECT_TRUE(answer) << answer.error().what;
}

TEST(PeerClient, TheTokenGoesOverPlainHttpToThisMachineOnly) {
  const testing::HangingResolver hangs_here;
  const PeerSettings with_token{.token = "t0ken", .within = Millis(300)};
  for (const char* url : {"http://192.0.2.1:8780/", "http://host-2.hangs:8780/", "http://[2001:db8::1]:8780/",
                          "http://localhost.hangs:8780/", "http://127.0.0.1.hangs:8780/"}) {
    const auto answer = ask(url, with_token);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::refused) << url;
    EXPECT_NE(answer.error().what.find("plain http"), std::string::npos) << answer.error().what;
  }
  EXPECT_EQ(ask("http://host-2.hangs:8780/", {.within = Millis(300)}).error().code, Errc::timeout)
      << "it is asked without a token";
  HttpPeer peer(answers);
  EXPECT_TRUE(ask("http://localhost:" + std::to_string(peer.port()) + "/", {.token = "t0ken"}));
}

TEST(PeerClient, AnAnswerThatIsNoHttpIsAnError) {
  for (const char* bytes :
       {"\x15\x03\x01\x02 no HTTP\r\n\r\n", "HTTP/1.1 200 X\r\nContent-Length: 10\r\n\r\nhalf", ""}) {
    HttpPeer peer([bytes](HttpPeer::Talk& talk) { talk.send(bytes), talk.close(); });
    EXPECT_EQ(ask(url_of(peer)).error().code, Errc::unavailable) << bytes;
  }
  HttpPeer long_head([](HttpPeer::Talk& talk) {
    talk.send("HTTP/1.1 200 X\r\nA: " + std::string(100'000, 'x') + "\r\n\r\n"), talk.close();
  });
  EXPECT_FALSE(ask(url_of(long_head)));
}

TEST(PeerClient, AStatusOtherThan200SaysNothingOfWhatWasAsked) {
  int status = 0;
  HttpPeer peer([&](HttpPeer::Talk& talk) { talk.answer(status, R"({"title":"X","detail":"no such run"})"); });
  for (const auto& [number, code] : {std::pair(400, Errc::unavailable),
                                     {401, Errc::refused},
                                     {403, Errc::refused},
                                     {404, Errc::unavailable},
                                     {503, Errc::unavailable},
                                     {504, Errc::unavailable}}) {
    status = number;
    const auto error = ask(url_of(peer)).error();
    EXPECT_EQ(error.code, code) << number;
    EXPECT_NE(error.what.find("status " + std::to_string(number) + ": no such run"), std::string::npos) << error.what;
  }
  HttpPeer elsewhere([](HttpPeer::Talk& talk) { talk.answer(302, "", "Location: http://127.0.0.1:1/\r\n"); });
  EXPECT_EQ(ask(url_of(elsewhere)).error().code, Errc::unavailable) << "nothing is followed";
}

TEST(PeerClient, ANodeThatWantsATokenSaysWhetherOneWasShown) {
  HttpPeer peer([](HttpPeer::Talk& talk) { talk.answer(401, R"({"title":"X","detail":"show a token"})"); });
  const std::string none = ask(url_of(peer)).error().what;
  EXPECT_EQ(none.find("no token was shown: set [fleet] token_file on the node that asks"), 0u) << none;
  const std::string other = ask(url_of(peer), {.token = "t0ken"}).error().what;
  EXPECT_EQ(other.find("it does not take the token of [fleet] token_file: its API answers with status 401"), 0u)
      << other;
}

TEST(PeerClient, WhereNobodyListensTheNodeIsUnavailable) {
  const testing::ReservedPort port;
  EXPECT_EQ(ask("http://127.0.0.1:" + std::to_string(port.number()) + "/").error().code, Errc::unavailable);
}

TEST(PeerClient, ANameThatIsNotFoundInTimeHoldsUpNobody) {
  const testing::HangingResolver hangs_here;
  HttpPeer peer(answers);
  const auto all = ask_peers({{"http://host-2.hangs:8780/", "{}"}, {url_of(peer), "{}"}}, {.within = Millis(300)});
  EXPECT_EQ(all[0].error().code, Errc::timeout);
  EXPECT_TRUE(all[1]) << all[1].error().what;
}

TEST(PeerClient, OverTlsTheCertificateMustBeOfTheAuthorityAndOfTheName) {
  const TempFolder folder;
  const testing::TlsFiles files(folder.path());
  files.make("right", "IP:127.0.0.1");
  files.make("other", "DNS:host-9");
  const HttpPeer::Tls right{files.cert("right"), files.key("right")}, other{files.cert("other"), files.key("other")};
  HttpPeer peer(answers, &right), stranger(answers, &other);
  const auto answer = ask(url_of(peer, "https"), {.tls_ca = files.ca()});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(ask(url_of(stranger, "https"), {.tls_ca = files.ca()}).error().code, Errc::refused);
  EXPECT_EQ(ask(url_of(peer, "https")).error().code, Errc::refused) << "no authority of the system has signed it";
  EXPECT_TRUE(peer.asked().size() == 1) << "nobody else has seen the token";
  EXPECT_EQ(ask(url_of(peer, "https"), {.tls_ca = folder / "none.pem"}).error().code, Errc::invalid);
}

TEST(PeerClient, AuthoritiesThatAnybodyMayWriteAreNotUsed) {
  const TempFolder folder;
  const testing::TlsFiles files(folder.path());
  files.make("right", "IP:127.0.0.1");
  const HttpPeer::Tls right{files.cert("right"), files.key("right")};
  HttpPeer peer(answers, &right);
  ASSERT_EQ(::chmod(files.ca().c_str(), 0666), 0);
  const auto answer = ask(url_of(peer, "https"), {.tls_ca = files.ca()});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::refused);
  EXPECT_EQ(answer.error().what.find("[http] tls_ca: " + files.ca() + " is not used: "), 0u) << answer.error().what;
  EXPECT_TRUE(peer.asked().empty());
}

TEST(PeerClient, APipeInThePlaceOfTheAuthoritiesIsNotWaitedFor) {
  const TempFolder folder;
  const testing::TlsFiles files(folder.path());
  files.make("right", "IP:127.0.0.1");
  const HttpPeer::Tls right{files.cert("right"), files.key("right")};
  HttpPeer peer(answers, &right);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(ask(url_of(peer, "https"), {.tls_ca = folder / "pipe"}).error().what,
            "[http] tls_ca: " + (folder / "pipe") + " is no regular file: put one in its place");
}

TEST(PeerClient, ReadsUrlsOfHttpOnly) {
  const auto text = [](const std::string& url) {
    const auto read = PeerUrl::parse(url);
    return read ? read->host + " " + read->port + " " + read->path + (read->is_tls ? " tls" : "") : "none";
  };
  EXPECT_EQ(text("http://host-1:8780/ballot"), "host-1 8780 /ballot");
  EXPECT_EQ(text("https://[::1]:8780"), "::1 8780 / tls");
  EXPECT_EQ(text("https://host-1"), "host-1 443 / tls");
  for (const char* url : {"", "host-1:8780", "ftp://host-1", "http://", "http://:80", "http://a@b:80/", "http://a:b/",
                          "http://a:99999/", "http://a:/", "http://[::1", "http://a/?x", "http://a/#x", "http://a b/"})
    EXPECT_EQ(text(url), "none") << url;
  EXPECT_EQ(ask("host-1:8780").error().code, Errc::invalid);
}

}  // namespace
}  // namespace ballot::web

namespace ballot::library {
namespace {

TEST(FleetAnswer, IsItsLastLine) {
  std::size_t values_left = 100;
  const auto last_line = [&](const std::string& lines) { return library::last_line(lines, values_left); };
  EXPECT_EQ(last_line("{\"rows\":[]}\n{\"last\":true,\"n\":1}\n")->integer("n"), 1);
  EXPECT_EQ(last_line("{\"n\":1}\n").error().code, Errc::corrupt) << "it may go on";
  EXPECT_EQ(last_line("").error().code, Errc::corrupt);
  EXPECT_EQ(last_line("[1]").error().code, Errc::corrupt);
  const std::string failed = io::encode(io::to_message(Error{Errc::not_found, "no such run"}));
  EXPECT_EQ(last_line(failed + "\n").error().code, Errc::not_found);
}

TEST(FleetAnswer, TakesItsValuesFromThoseOfAllAnswersTogether) {
  std::size_t values_left = 5;
  EXPECT_TRUE(last_line("{\"last\":true,\"n\":1}", values_left));
  EXPECT_EQ(last_line("{\"last\":true,\"n\":[1,2]}", values_left).error().code, Errc::unavailable);
  EXPECT_TRUE(last_line("{\"last\":true}", values_left)) << "a smaller one has room";
}

TEST(FleetToken, IsTheFirstLineOfAFileThatNobodyElseMayRead) {
  const TempFolder folder;
  const std::string path = folder.write("token", "t0ken\n");
  EXPECT_EQ(read_fleet_token(path).error().code, Errc::refused);
  ::chmod(path.c_str(), 0600);
  EXPECT_EQ(*read_fleet_token(path), "t0ken");
  const std::string empty = folder.write("empty", "\nt0ken\n");
  ::chmod(empty.c_str(), 0600);
  EXPECT_EQ(read_fleet_token(empty).error().code, Errc::invalid);
  EXPECT_EQ(read_fleet_token(folder / "none").error().code, Errc::invalid);
}

TEST(FleetToken, WhatIsWrongStandsBehindTheFileAndAColon) {
  const TempFolder folder;
  const std::string key = "[fleet] token_file: ", empty = folder.write("empty", "");
  ::chmod(empty.c_str(), 0600);
  EXPECT_EQ(read_fleet_token(folder / "none").error().what, key + (folder / "none") + ": No such file or directory");
  EXPECT_EQ(read_fleet_token(folder.path()).error().what, key + folder.path() + ": is no regular file");
  EXPECT_EQ(read_fleet_token(empty).error().what, key + empty + ": has no token in its first line");
}

}  // namespace
}  // namespace ballot::library
