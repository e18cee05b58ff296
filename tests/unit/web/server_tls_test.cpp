// The server under TLS.
#include "http/server_tls.hpp"
#include "support/servers/tls_files.hpp"
#include "unit/web/web_server.hpp"

namespace ballot::web {
namespace {

using testing::TlsFiles;

class WebTls : public WebServer {
 protected:
  WebTls() : files(folder.path()) {
    files.make("server", "IP:127.0.0.1,DNS:localhost");
    settings.tls_cert = files.cert("server");
    settings.tls_key = files.key("server");
    tls.ca = files.ca();
  }
  WebClient tls_client() const { return WebClient(server->port(), &tls); }
  long serial() const {
    const std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context(::SSL_CTX_new(::TLS_client_method()),
                                                                      ::SSL_CTX_free);
    const std::unique_ptr<SSL, decltype(&::SSL_free)> ssl(::SSL_new(context.get()), ::SSL_free);
    const WebClient plain(server->port());
    ::SSL_set_fd(ssl.get(), plain.fd());
    if (::SSL_connect(ssl.get()) != 1) return -1;
    const std::unique_ptr<X509, decltype(&::X509_free)> cert(::SSL_get1_peer_certificate(ssl.get()), ::X509_free);
    return ::ASN1_INTEGER_get(::X509_get0_serialNumber(cert.get()));
  }

  const TlsFiles files;
  WebClient::Tls tls;
};

TEST_F(WebTls, IsSpokenAndNothingElseIs) {
  serve();
  WebClient one = tls_client();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(one.ask("GET /healthz").body, "ok\n");
  const auto answer = one.ask("POST /api/v1/questions", {bearer("seer"), "Connection: close"}, R"({"do":"jobs"})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(one.is_closed());
  EXPECT_EQ(client().ask("GET /healthz").status, 0) << "without TLS";
  EXPECT_EQ(server->url(), "https://127.0.0.1:" + std::to_string(server->port()));
}

TEST_F(WebTls, TakesACertificateThatIsRenewedWithoutARestart) {
  serve();
  WebClient before = tls_client();
  const long first = serial();
  files.make("server", "IP:127.0.0.1,DNS:localhost");
  while (serial() == first) std::this_thread::yield();
  EXPECT_EQ(tls_client().ask("GET /healthz").status, 200);
  EXPECT_EQ(before.ask("GET /healthz").status, 200) << "who is connected stays so";
  const long second = serial();
  folder.write("server.pem", "nothing of the kind");
  while (log_text().find("the certificate before is still used") == std::string::npos) std::this_thread::yield();
  EXPECT_EQ(serial(), second);
}

TEST_F(WebTls, TakesACertificateThatCouldNotBeReadAtFirstAsSoonAsItCan) {
  auto one = ServerTls::make({settings.tls_cert, settings.tls_key, ""});
  ASSERT_TRUE(one);
  const auto before = one->context();
  files.make("server", "IP:127.0.0.1,DNS:localhost");
  ::chmod(folder.path().c_str(), 0770);  // nothing of the files themselves changes with it
  EXPECT_TRUE(one->refresh());
  EXPECT_FALSE(one->refresh()) << "each reason is told once";
  ::chmod(folder.path().c_str(), 0700);
  EXPECT_FALSE(one->refresh());
  EXPECT_NE(one->context(), before);
}

TEST_F(WebTls, TakesNoPipeInAFilesPlaceAndKeepsTheCertificateBefore) {
  auto one = ServerTls::make({settings.tls_cert, settings.tls_key, files.ca()});
  ASSERT_TRUE(one);
  const auto before = one->context();
  for (const auto& [key, path] : {std::pair("tls_cert: ", settings.tls_cert), std::pair("tls_key: ", settings.tls_key),
                                  std::pair("tls_client_ca: ", files.ca())}) {
    std::filesystem::rename(path, path + ".kept");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const std::string why = "[http] " + (key + path) + " is no regular file: put one in its place";
    const auto failed = one->refresh();
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->what, why);
    EXPECT_EQ(ServerTls::make({settings.tls_cert, settings.tls_key, files.ca()}).error().what, why) << "at the start";
    std::filesystem::rename(path + ".kept", path);
  }
  EXPECT_EQ(one->context(), before);
}

TEST_F(WebTls, KeepsItsCertificateBeforeOneThatIsNotValidNow) {
  auto one = ServerTls::make({settings.tls_cert, settings.tls_key, ""});
  ASSERT_TRUE(one);
  const auto before = one->context();
  const auto refresh = [&](long life, long from) {
    files.make("server", "IP:127.0.0.1,DNS:localhost", life, from);
    const auto failed = one->refresh();
    return failed ? failed->what : "";
  };
  EXPECT_TRUE(refresh(-60, -3600).starts_with("[http] tls_cert: " + settings.tls_cert + " has expired, at "));
  EXPECT_FALSE(one->refresh()) << "each reason is told once";
  EXPECT_TRUE(refresh(7200, 3600).starts_with("[http] tls_cert: " + settings.tls_cert + " is not valid before "));
  EXPECT_EQ(one->context(), before);
  EXPECT_EQ(refresh(7200, -3600), "");
  EXPECT_NE(one->context(), before);
}

TEST_F(WebTls, IsStartedWithACertificateThatIsNotValidNowAndWarns) {
  files.make("server", "IP:127.0.0.1,DNS:localhost", -60);
  serve();
  const long first = serial();
  EXPECT_GT(first, 0);
  EXPECT_TRUE(testing::wait_until([&] { return log_text().find(" has expired, at ") != std::string::npos; }));
  files.make("server", "IP:127.0.0.1,DNS:localhost", 7200, 3600);
  EXPECT_TRUE(testing::wait_until([&] { return serial() == first + 1; })) << "neither is valid: the file's is used";
  EXPECT_TRUE(testing::wait_until([&] { return log_text().find(" is not valid before ") != std::string::npos; }));
}

TEST_F(WebTls, WantsCertificatesOfClientsWhereItIsToldWhose) {
  files.make("client", "DNS:client");
  settings.tls_client_ca = files.ca();
  serve();
  WebClient without = tls_client();  // TLS 1.3: the client is told with the first byte that it reads
  EXPECT_EQ(without.ask("GET /healthz").status, 0);
  tls.cert = files.cert("client");
  tls.key = files.key("client");
  EXPECT_EQ(tls_client().ask("GET /healthz").status, 200);
  const TempFolder elsewhere;
  const TlsFiles others(elsewhere.path());
  others.make("client", "DNS:client");
  tls.cert = others.cert("client");
  tls.key = others.key("client");
  WebClient stranger = tls_client();
  EXPECT_EQ(stranger.ask("GET /healthz").status, 0) << "of another authority";
}

TEST_F(WebTls, IsNotStartedWithFilesThatCannotBeUsed) {
  const auto error_of = [this] {
    const auto served = try_serve();
    return served ? "" : served.error().what;
  };
  ::chmod(settings.tls_key.c_str(), 0604);
  EXPECT_NE(error_of().find("tls_key: " + settings.tls_key + " is not used: everybody may read it"), std::string::npos);
  ::chmod(settings.tls_key.c_str(), 0640);
  EXPECT_EQ(error_of(), "") << "a group may, as Debian's ssl-cert";
  files.make("other", "DNS:other");
  settings.tls_key = files.key("other");
  EXPECT_NE(error_of().find("tls_key: " + settings.tls_key + " cannot be used: "), std::string::npos);
  settings.tls_cert = folder / "none.pem";
  EXPECT_NE(error_of().find("tls_cert: " + settings.tls_cert + ": No such file"), std::string::npos);
}

}  // namespace
}  // namespace ballot::web
