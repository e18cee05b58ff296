// NATS's protocol as bytes, what a client answers to INFO, nkeys, and the ids of writes.
#include <gtest/gtest.h>

#include "http_client/json.hpp"
#include "jetstream/login.hpp"
#include "jetstream/nkey.hpp"
#include "jetstream/protocol.hpp"
#include "nats/write_id.hpp"
#include "support/bounds.hpp"

namespace ballot::jetstream {
namespace {

namespace bounds = support::bounds;

const std::string seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

struct Read {
  std::vector<Frame> frames;
  std::string problem;
};
Read read(const std::string& bytes, std::size_t piece) {
  Read found;
  Reader reader([&](Frame frame) { found.frames.push_back(std::move(frame)); });
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    if (!reader.add(std::string_view(bytes).substr(at, piece))) break;
  found.problem = reader.problem();
  return found;
}

TEST(NatsProtocol, IsReadHoweverItIsCut) {
  const std::string bytes =
      "INFO {\"a\":1}\r\n+OK\r\nMSG a.b 7 5\r\nhe\r\no\r\nMSG  a 1\treply 0\r\n\r\nPING\r\nPONG\r\n"
      "HMSG $KV.b.k 2 _R 28 30\r\nNATS/1.0 100 Idle\r\nA:  b\r\n\r\nxy\r\n-ERR 'Slow Consumer'\r\n";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    const Read found = read(bytes, piece);
    ASSERT_EQ(found.problem, "") << piece;
    ASSERT_EQ(found.frames.size(), 8u);
    EXPECT_EQ(found.frames[0].text, "{\"a\":1}");
    EXPECT_EQ(found.frames[2].data, "he\r\no");
    EXPECT_EQ(found.frames[2].subscription, 7u);
    EXPECT_EQ(found.frames[3].reply, "reply");
    EXPECT_EQ(found.frames[4].kind, Frame::Kind::ping);
    EXPECT_EQ(status_of(found.frames[6].header), 100);
    EXPECT_EQ(value_of(found.frames[6].header, "A"), "b");
    EXPECT_EQ(value_of(found.frames[6].header, "B"), "");
    EXPECT_EQ(found.frames[6].data, "xy");
    EXPECT_EQ(found.frames[7].text, "Slow Consumer");
  }
}

TEST(NatsProtocol, OfAServerThatSaysAnythingElseIsNotReadOn) {
  for (const char* const bytes :
       {"HTTP/1.1 200 OK\r\n", "MSG a 1 2147483647\r\n", "MSG a 1 18446744073709551616\r\n", "MSG a 1 -1\r\n",
        "MSG a 1 5x\r\n", "MSG a\r\n", "MSG a b c d e f\r\n", "HMSG a 1 9 8\r\n", "MSG a 1 1\r\nxyz", "PING\n", "\r\n"})
    EXPECT_NE(read(bytes, 1).problem, "") << bytes;
  EXPECT_NE(read("MSG " + std::string(bounds::line, 'a'), 100).problem, "");
  EXPECT_EQ(read("INFO " + std::string(bounds::line, 'a'), 100).problem, "");
  EXPECT_NE(read("INFO " + std::string(bounds::info, 'a'), 100).problem, "");
}

TEST(NatsProtocol, OfAMessageThatIsTooLargeTheRestIsDropped) {
  const std::size_t size = bounds::message;
  const Read found =
      read("MSG a 1 " + std::to_string(size) + "\r\n" + std::string(size, 'x') + "\r\nPING\r\n", bounds::piece);
  EXPECT_EQ(found.problem, "");
  ASSERT_EQ(found.frames.size(), 2u);
  EXPECT_EQ(found.frames[0].data.size(), bounds::kept);
}

TEST(NatsProtocol, APostIsOneFrameOrNone) {
  EXPECT_EQ(publish_text({"a"}, ""), "PUB a 0\r\n\r\n");
  EXPECT_EQ(publish_text({"a", "xy", {{"N", "1"}}}, "r"), "HPUB a r 18 20\r\nNATS/1.0\r\nN: 1\r\n\r\nxy\r\n");
  EXPECT_EQ(publish_text({"a b"}, ""), "");
  EXPECT_EQ(publish_text({"a"}, "r\r\nPUB"), "");
  EXPECT_EQ(publish_text({"a", "", {{"N", "1\r\nM: 2"}}}, ""), "");
}

TEST(NatsProtocol, TheReplyOfAConsumersMessageSaysWhereItStands) {
  const auto old = places_of("$JS.ACK.KV_b.c1.1.17.4.1700000000123456789.0");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->consumer, "c1");
  EXPECT_EQ(old->stream_sequence, 17u);
  EXPECT_EQ(old->consumer_sequence, 4u);
  EXPECT_EQ(old->stored.time_since_epoch(), Millis(1'700'000'000'123));
  const auto now = places_of("$JS.ACK.domain.account.KV_b.c1.1.17.4.1700000000123456789.0.random");
  ASSERT_TRUE(now);
  EXPECT_EQ(now->consumer, "c1");
  EXPECT_EQ(now->stream_sequence, 17u);
  for (const char* const reply : {"", "$JS.ACK.", "$JS.ACK.a.b.c.d.e.f.g", "_INBOX.x", "$JS.ACK.a.b.1.2.3.4.5.6",
                                  "$JS.ACK.KV_b.c1.1.9223372036854775807.4.1700000000123456789.0"})
    EXPECT_FALSE(places_of(reply)) << reply;
}

TEST(Nkey, ASeedIsCheckedBeforeItSigns) {
  EXPECT_EQ(problem_of_seed(seed), "");
  const auto signature = sign(seed, "nonce");
  ASSERT_TRUE(signature);
  EXPECT_EQ(signature->size(), 86u);
  EXPECT_EQ(*signature, *sign(seed, "nonce"));
  EXPECT_NE(*signature, *sign(seed, "another"));
  for (std::string bad : {std::string(), seed.substr(1), seed + "A", std::string(58, 'A'), "SA" + seed.substr(2)})
    EXPECT_NE(problem_of_seed(bad), "") << bad;
  std::string changed = seed;
  changed[20] = changed[20] == 'A' ? 'B' : 'A';
  EXPECT_NE(problem_of_seed(changed).find("checksum"), std::string::npos);
  EXPECT_EQ(sign(changed, "nonce").error().what.find(changed), std::string::npos) << "it is a secret";
}

TEST(Nkey, CredentialsAreAJwtAndASeed) {
  const Credentials both = parse_credentials(
      "-----BEGIN NATS USER JWT-----\r\neyJ0.a.b\r\n------END NATS USER JWT------\r\n\r\n*** IMPORTANT ***\r\n"
      "-----BEGIN USER NKEY SEED-----\r\n" +
      seed + "\r\n------END USER NKEY SEED------\r\n");
  EXPECT_EQ(both.jwt, "eyJ0.a.b");
  EXPECT_EQ(both.seed, seed);
  EXPECT_EQ(parse_credentials(seed + "\n").seed, seed);
  EXPECT_EQ(parse_credentials("\n\n" + seed).seed, seed);
  EXPECT_EQ(parse_credentials("").seed, "");
}

TEST(NatsLogin, AServerWithoutTlsIsNotTakenWhereTlsIsWanted) {
  Access plain, secure;
  secure.ca = "system";
  EXPECT_EQ(refusal_of(parse_info(R"({"headers":true})"), plain), "");
  EXPECT_NE(refusal_of(parse_info(R"({"headers":true})"), secure), "");
  EXPECT_EQ(refusal_of(parse_info(R"({"headers":true,"tls_available":true})"), secure), "");
  EXPECT_NE(refusal_of(parse_info(R"({"headers":true,"tls_required":true})"), plain).find("set ca"), std::string::npos);
  EXPECT_NE(refusal_of(parse_info(R"({})"), plain), "");
  EXPECT_NE(refusal_of(parse_info("[0,0]"), plain), "");
}

TEST(NatsLogin, SaysWhoThisIs) {
  Access access;
  access.user = {"a\"b", "file"};
  Login login = log_in({}, access, {"pass\r\nPUB", ""});
  EXPECT_EQ(login.text.find("\r\n"), login.text.size() - 2) << "one line";
  access.user = {};
  access.nkey = {"UPUBLIC", "file"};
  const Secrets secrets{.seed = seed};
  EXPECT_NE(log_in({}, access, secrets).refusal, "") << "it asks for no signature";
  login = log_in({.nonce = "nonce"}, access, secrets);
  EXPECT_NE(login.text.find("\"sig\":\"" + *sign(seed, "nonce")), std::string::npos);
  EXPECT_EQ(login.text.find(seed), std::string::npos);
}

TEST(NatsWriteId, FollowsFromTheMessageThatIsWrittenOver) {
  using nats::first_id, nats::next_id;
  const std::string first = first_id("r/j/x");
  EXPECT_NE(first, first_id("r/j/x"));
  EXPECT_TRUE(first.starts_with("r/j/x/") && first.ends_with(".0"));
  const std::string next = next_id("r/j/x", first, 17);
  EXPECT_EQ(next, first.substr(0, first.size() - 1) + "1");
  EXPECT_EQ(next, next_id("r/j/x", first, 99)) << "whatever number a server has it by";
  EXPECT_EQ(next_id("r/j/x", first.substr(0, first.size() - 1) + "9", 17).substr(first.size() - 1), "10");
  for (const std::string& by_hand : {std::string(), std::string("x"), std::string("r/j/x/12"), first + "x"})
    EXPECT_EQ(next_id("r/j/x", by_hand, 17), "r/j/x/17") << by_hand;
}

}  // namespace
}  // namespace ballot::jetstream
