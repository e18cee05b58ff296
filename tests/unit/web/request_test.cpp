// What a request's bytes mean, and which of them mean nothing.
#include "http/header_values.hpp"
#include "http/request_reader.hpp"
#include "http/response_text.hpp"
#include "http/target.hpp"

namespace ballot::web {
namespace {

using Step = RequestReader::Step;

TEST(Target, IsTakenApartAndDecoded) {
  const auto target = parse_target("/api/v1/jobs/a%2Fb%C3%A4?since=2h&q=a+b%2Bc&empty=&flag&&x=1", "");
  ASSERT_TRUE(target) << target.error().what;
  EXPECT_EQ(target->path, (std::vector<std::string>{"api", "v1", "jobs", "a/bä"}));
  EXPECT_EQ(target->query, (Pairs{{"since", "2h"}, {"q", "a b+c"}, {"empty", ""}, {"flag", ""}, {"x", "1"}}));
  EXPECT_TRUE(parse_target("/", "")->path.empty());
  EXPECT_TRUE(parse_target("/ballot", "/ballot")->path.empty());
  EXPECT_TRUE(parse_target("/ballot/?", "/ballot")->path.empty());
}

TEST(Target, ThatCouldBeUnderstoodInTwoWaysIsRefused) {
  for (const char* wrong : {"", "*", "api", "http://h/api", "/a//b", "/a/", "/./a", "/a/..", "/%2e%2e/a", "/a%", "/a%0",
                            "/a%zz", "/a%00", "/a%0a", "/a%7f", "/%ff", "/a#b", "/a?b=%", "/a?b=%0d%0a"})
    EXPECT_FALSE(parse_target(wrong, "")) << wrong;
  EXPECT_EQ(parse_target("/other/a", "/ballot").error().code, Errc::not_found);
  std::string many = "/a?";
  for (int i = 0; i < 128; ++i) many += "x=1&";
  EXPECT_TRUE(parse_target(many, "")) << "a list of a hundred jobs, as the page asks for";
  EXPECT_FALSE(parse_target(many + "x=1", ""));
}

class Requests : public ::testing::Test {
 protected:
  /// The status that the head is refused with; 0: it is not.
  int fault_of(const std::string& head) const {
    std::string bytes = head + "\r\n";
    RequestReader reader(limits_);
    const Step step = reader.feed(bytes);
    if (step == Step::fault) return reader.fault().status;
    EXPECT_EQ(step, Step::head) << head;
    RequestHead read;
    const auto fault = read_head(reader.fields(), settings_, read);
    return fault ? fault->status : 0;
  }
  RequestHead head_of(const std::string& head) const {
    std::string bytes = head + "\r\n";
    RequestReader reader(limits_);
    EXPECT_EQ(reader.feed(bytes), Step::head);
    RequestHead read;
    EXPECT_FALSE(read_head(reader.fields(), settings_, read));
    return read;
  }
  /// Fed piece by piece: the body, or the status of the fault.
  std::string body_of(const std::string& bytes, std::size_t piece) const {
    RequestReader reader(limits_);
    std::string buffer;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      buffer += bytes.substr(at, piece);
      Step step = reader.feed(buffer);
      if (step == Step::head) step = reader.feed(buffer);
      if (step == Step::whole) return reader.take_body();
      if (step == Step::fault) return std::to_string(reader.fault().status);
    }
    return "more";
  }

  HttpSettings settings_;
  HttpLimits limits_;
};

const std::string post = "POST / HTTP/1.1\r\nHost: h\r\n";

TEST_F(Requests, AreReadWhateverPiecesTheyComeIn) {
  for (const std::size_t piece : {1u, 2u, 3u, 5u, 7u, 1000u}) {
    EXPECT_EQ(body_of(post + "\r\n", piece), "");
    EXPECT_EQ(body_of(post + "Content-Length: 5\r\n\r\nhello", piece), "hello") << piece;
    EXPECT_EQ(body_of(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n", piece), "hello")
        << piece;
    EXPECT_EQ(body_of(post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nAuthorization: x\r\n\r\n", piece),
              "hello");
    EXPECT_EQ(body_of(post + "X-One: a\r\n b\r\n\r\n", piece), "400") << piece;
    EXPECT_EQ(body_of(post + "Content-Length: 5\r\n\r\n\r\n\r\n ", piece), "\r\n\r\n ") << piece;
  }
}

TEST_F(Requests, ThatTwoReadersCouldReadDifferentlyAreRefused) {
  EXPECT_EQ(fault_of(post), 0);
  EXPECT_EQ(fault_of(post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(fault_of(post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"), 400);
  EXPECT_EQ(fault_of(post + "Content-Length: 3\r\nContent-Length: 3\r\n"), 400);
  EXPECT_EQ(fault_of(post + "Content-Length: 3, 4\r\n"), 400);
  EXPECT_EQ(fault_of(post + "Content-Length: 2, 2\r\n"), 400);
  EXPECT_EQ(fault_of(post + "Content-Length: -1\r\n"), 400);
  EXPECT_EQ(fault_of(post + "X-One: a\r\n b\r\n"), 400);
  EXPECT_EQ(fault_of(post + "X-One: a\r\n\tContent-Length: 3\r\n"), 400);
  EXPECT_EQ(fault_of(post + "Content-Length: 0x10\r\n"), 400);
  EXPECT_EQ(fault_of(post + "Transfer-Encoding: chunked, gzip\r\n"), 501);
  EXPECT_EQ(fault_of(post + "Transfer-Encoding: gzip, chunked\r\n"), 501);
  EXPECT_EQ(fault_of(post + "Transfer-Encoding: xchunked\r\n"), 501);
  EXPECT_EQ(fault_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(fault_of(post + "Host: other\r\n"), 400);
  EXPECT_EQ(fault_of("GET / HTTP/1.1\r\n"), 400);
  EXPECT_EQ(fault_of("GET / HTTP/1.0\r\n"), 0);
  EXPECT_EQ(fault_of("GET / HTTP/2.0\r\nHost: h\r\n"), 505);
  EXPECT_EQ(fault_of("GET / HTTP/1.1\r\nHost : h\r\n"), 400);
  EXPECT_EQ(fault_of("GET / HTTP/1.1\r\nHost: a b\r\n"), 400);
  EXPECT_EQ(fault_of("GET / HTTP/1.1\r\nHost: user@h\r\n"), 400);
  EXPECT_EQ(fault_of("GET  / HTTP/1.1\r\nHost: h\r\n"), 400);
  EXPECT_EQ(fault_of("nonsense\r\n"), 400);
  EXPECT_EQ(fault_of(post + "Authorization: a\r\nAuthorization: b\r\n"), 400);
  settings_.proxy_user_header = "X-User";
  EXPECT_EQ(fault_of(post + "X-User: a\r\nx-user: b\r\n"), 400);
}

TEST_F(Requests, WithATokenInTheirUrlAreRefused) {
  EXPECT_EQ(fault_of("GET /jobs?access_token=x HTTP/1.1\r\nHost: h\r\n"), 400);
  EXPECT_EQ(fault_of("GET /jobs?a=1&token=x HTTP/1.1\r\nHost: h\r\n"), 400);
  for (const char* query :
       {"%74oken=x", "a=1&t%6fken=x", "access%5Ftoken=x", "Token=x", "token", "?a=1&&%74%6f%6b%65%6e=x"})
    EXPECT_EQ(fault_of("GET /jobs?" + std::string(query) + " HTTP/1.1\r\nHost: h\r\n"), 400) << query;
  for (const char* query : {"mytoken=x", "job=token", "a=%74oken=", "%74oke%=x"})
    EXPECT_EQ(fault_of("GET /jobs?" + std::string(query) + " HTTP/1.1\r\nHost: h\r\n"), 0) << query;
}

TEST_F(Requests, ThatAreTooLargeAreRefused) {
  limits_.head_bytes = 256;
  limits_.body_bytes = 64;
  EXPECT_EQ(fault_of(post + "X: " + std::string(300, 'x') + "\r\n"), 431);
  EXPECT_EQ(fault_of("GET /" + std::string(300, 'x') + " HTTP/1.1\r\nHost: h\r\n"), 431);
  EXPECT_EQ(fault_of(post + "Content-Length: 65\r\n"), 413);
  EXPECT_EQ(fault_of(post + "Content-Length: 99999999999999999999\r\n"), 400);
  EXPECT_EQ(body_of(post + "Transfer-Encoding: chunked\r\n\r\n41\r\n" + std::string(65, 'x'), 1000), "413");
  EXPECT_EQ(body_of(post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 1000), "400");
  EXPECT_EQ(body_of(post + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(400, 'x'), 100), "400")
      << "an extension without an end";
  std::string tiny = post + "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 64; ++i) tiny += "1;" + std::string(200, 'x') + "\r\na\r\n";
  EXPECT_EQ(body_of(tiny, 100), "413") << "much around little";
}

TEST_F(Requests, SayWhetherTheirConnectionIsKept) {
  const auto keeps = [&](const std::string& head) {
    std::string bytes = head + "\r\n";
    RequestReader reader(limits_);
    reader.feed(bytes);
    return reader.keep_alive();
  };
  EXPECT_TRUE(keeps(post));
  EXPECT_FALSE(keeps(post + "Connection: close\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n")) << "old clients are not kept";
}

TEST_F(Requests, HandOnTheHeadersThatRoutesAskFor) {
  const RequestHead head = head_of(post + "If-None-Match: \"a\"\r\nCookie: secret\r\nRANGE: bytes=0-\r\n");
  EXPECT_EQ(head.headers, (Pairs{{"if-none-match", "\"a\""}, {"range", "bytes=0-"}}));
}

TEST(HeaderValues, AreReadAsTheyAreMeant) {
  for (const char* taken : {"gzip", "br, gzip;q=0.8", "GZIP", "br;q=0, gzip ; q=0.001", "gzip;q=1", "gzip;x=q=0"})
    EXPECT_TRUE(accepts_coding(taken, "gzip")) << taken;
  for (const char* refused :
       {"", "br", "gzip;q=0", "gzip;q=0.", "gzip;q=0.0", "gzip; q=0.000, br", "gzip;Q=0", "xgzip"})
    EXPECT_FALSE(accepts_coding(refused, "gzip")) << refused;
  for (const char* json : {"application/json", "application/json; charset=utf-8", "Application/JSON ;x=y"})
    EXPECT_TRUE(is_media_type(json, "application/json")) << json;
  for (const char* other : {"", "application/jsonx", "application/json-seq", "text/plain; application/json"})
    EXPECT_FALSE(is_media_type(other, "application/json")) << other;
}

TEST(Responses, EndNoHeaderEarly) {
  const HttpResponse response{200, "text/plain", {{"X-Evil", "a\r\nSet-Cookie: b\0c"}}, ""};
  const std::string text = head_text(response, {Framing::Body::of_length, 5, false}, WallTime(Millis(784'111'777'000)));
  EXPECT_NE(text.find("\r\nX-Evil: aSet-Cookie: b\r\n"), std::string::npos) << text;
  EXPECT_TRUE(text.starts_with("HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n")) << text;
  EXPECT_TRUE(text.ends_with("\r\nContent-Length: 5\r\nConnection: close\r\n\r\n")) << text;
  EXPECT_EQ(chunk_text("hello, hello, hello"), "13\r\nhello, hello, hello\r\n");
  EXPECT_EQ(chunk_text(""), "");
}

TEST(Responses, SayTheirOwnInPlaceOfTheServers) {
  const HttpResponse response{200, "text/plain", {{"cache-control", "no-cache"}}, ""};
  const std::string text = head_text(response, {}, WallTime{});
  EXPECT_NE(text.find("cache-control: no-cache"), std::string::npos);
  EXPECT_EQ(text.find("no-store"), std::string::npos);
}

}  // namespace
}  // namespace ballot::web
