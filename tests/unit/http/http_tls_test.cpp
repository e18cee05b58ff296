#include "support/servers/tls_files.hpp"
#include "support/temp_folder.hpp"
#include "unit/http/asking.hpp"

namespace ballot::http {
namespace {

using testing::HttpPeer;
using testing::TlsFiles;

class HttpTls : public ::testing::Test {
 protected:
  HttpTls() : files_(folder_.path()) {
    files_.make("server", "IP:127.0.0.1,DNS:db.example");
    files_.make("client", "DNS:client.example");
  }
  HttpPeer::Tls of_server(const std::string& clients_ca = "") const {
    return {files_.cert("server"), files_.key("server"), clients_ca};
  }
  static void answer_ok(HttpPeer::Talk& talk) { talk.answer(200, "ok"); }
  Event ask(const HttpPeer& peer, const Tls& tls) const {
    Settings settings{.servers = {place_of(peer)}};
    settings.tls = tls;
    return Asking(settings).ask({.target = "/", .patience = Millis(20'000)});
  }

  TempFolder folder_;
  const TlsFiles files_;
};

TEST_F(HttpTls, AServerWithTheRightCertificateIsAsked) {
  const auto tls = of_server();
  HttpPeer peer(answer_ok, &tls);
  EXPECT_EQ(ask(peer, {.ca_file = files_.ca()}).body, "ok");
  EXPECT_EQ(ask(peer, {.ca_file = files_.ca(), .server_name = "db.example"}).body, "ok");
}

TEST_F(HttpTls, AConnectionIsKeptAndMadeAnewWhereItBroke) {
  const auto tls = of_server();
  HttpPeer peer(answer_ok, &tls);
  Settings settings{.servers = {place_of(peer)}};
  settings.tls = Tls{.ca_file = files_.ca()};
  settings.connect_patience = Millis(10'000);
  Asking client(settings);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.ask({.target = "/", .patience = Millis(20'000)}).status, 200);
  EXPECT_EQ(peer.connections(), 1u);
  peer.break_connections();
  const Event event = client.ask({.method = "POST", .target = "/", .patience = Millis(20'000)});
  EXPECT_EQ(event.status, 200) << event.problem;
}

TEST_F(HttpTls, AServerOfAnotherAuthorityIsSentNothing) {
  const auto tls = of_server();
  HttpPeer peer(answer_ok, &tls);
  const TempFolder elsewhere;
  const TlsFiles others(elsewhere.path());
  for (const std::string& ca : {others.ca(), std::string()}) {
    const Event event = ask(peer, {.ca_file = ca});
    EXPECT_FALSE(event.sent);
    EXPECT_NE(event.problem.find("its certificate: "), std::string::npos) << event.problem;
  }
  EXPECT_EQ(peer.asked().size(), 0u);
}

TEST_F(HttpTls, AServerOfAnotherNameIsSentNothing) {
  files_.make("server", "DNS:db.example");
  const auto tls = of_server();
  HttpPeer peer(answer_ok, &tls);
  for (const char* name : {"", "other.example"}) {
    const Event event = ask(peer, {.ca_file = files_.ca(), .server_name = name});
    EXPECT_FALSE(event.sent);
    EXPECT_NE(event.problem.find("mismatch"), std::string::npos) << event.problem;
  }
  EXPECT_EQ(peer.asked().size(), 0u);
  EXPECT_EQ(ask(peer, {.ca_file = files_.ca(), .verify = false}).body, "ok");
}

TEST_F(HttpTls, ShowsItsOwnCertificateWhereTheServerWantsOne) {
  const auto tls = of_server(files_.ca());
  HttpPeer peer(answer_ok, &tls);
  EXPECT_FALSE(ask(peer, {.ca_file = files_.ca()}).ok());
  const Event event =
      ask(peer, {.ca_file = files_.ca(), .cert_file = files_.cert("client"), .key_file = files_.key("client")});
  EXPECT_EQ(event.body, "ok") << event.problem;
}

TEST_F(HttpTls, FilesThatCannotBeUsedAreNamed) {
  const auto made = [&](const Tls& tls) {
    auto client = Client::make({.servers = {{"127.0.0.1", "1"}}, .tls = tls}, std::make_shared<support::Wakeup>());
    return client ? "made" : client.error().what;
  };
  EXPECT_NE(made({.ca_file = "/no/ca.pem"}).find("/no/ca.pem"), std::string::npos);
  EXPECT_NE(made({.cert_file = files_.key("client")}).find(files_.key("client")), std::string::npos);
  // The key of another certificate.
  EXPECT_NE(made({.cert_file = files_.cert("client"), .key_file = files_.key("server")}).find(files_.key("server")),
            std::string::npos);
}

TEST_F(HttpTls, AServerThatSpeaksNoTlsIsAProblem) {
  HttpPeer peer([](HttpPeer::Talk&) {});
  Settings settings{.servers = {place_of(peer)}};
  settings.tls = Tls{.ca_file = files_.ca()};
  settings.connect_patience = Millis(200);
  const Event event = Asking(settings).ask({.target = "/", .patience = Millis(20'000)});
  EXPECT_FALSE(event.sent);
  EXPECT_FALSE(event.problem.empty());
}

}  // namespace
}  // namespace ballot::http
