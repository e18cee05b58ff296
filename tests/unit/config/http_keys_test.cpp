// [http]: what it may say, and that no daemon listens beyond its machine without TLS and tokens.
#include "base/ip_address.hpp"
#include "config/config.hpp"
#include "diagnostics_text.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

class HttpKeys : public ::testing::Test {
 protected:
  LoadedConfig load(const std::string& text) {
    folder_.write("b", "[http]\n" + text + "\n");
    ConfigRequest request;
    request.file = folder_ / "b";
    request.host_name = "h";
    return load_config(request);
  }
  std::string problems_in(const std::string& text) {
    std::string found = text_of(load(text).diagnostics);
    for (std::size_t at = 0; (at = found.find(folder_ / "b")) != std::string::npos;)
      found.erase(at, (folder_ / "b").size() + 1);
    return found;
  }
  TempFolder folder_;
};

TEST_F(HttpKeys, AreReadEachIntoItsPlace) {
  const LoadedConfig loaded = load(
      "listen = \"[::]:8780\"\nadvertise = \"https://h.example:8780/b\"\nbase_path = \"/b\"\ntls_cert = \"/c\"\n"
      "tls_key = \"/k\"\ntls_client_ca = \"/cc\"\ntls_ca = \"/ca\"\ntokens = \"/t\"\nanonymous = \"viewer\"\n"
      "proxy_user_header = \"X-User\"\nproxy_groups_header = \"X-Groups\"\nproxy_roles = { ops = \"operator\" }\n"
      "trusted_proxies = [\"10.0.0.0/8\", \"::1\"]\njob_metrics = false");
  EXPECT_EQ(text_of(loaded.diagnostics), "");
  HttpSettings wanted{.listen = "[::]:8780",
                      .advertise = "https://h.example:8780/b",
                      .base_path = "/b",
                      .tls_cert = "/c",
                      .tls_key = "/k",
                      .tls_client_ca = "/cc",
                      .tls_ca = "/ca",
                      .tokens = "/t",
                      .anonymous_viewer = true,
                      .proxy_user_header = "X-User",
                      .proxy_groups_header = "X-Groups",
                      .proxy_roles = {{"ops", "operator"}},
                      .trusted_proxies = {"10.0.0.0/8", "::1"},
                      .job_metrics = false};
  EXPECT_EQ(loaded.config.http, wanted);
}

TEST_F(HttpKeys, AreOffWithoutAPlaceToListen) { EXPECT_EQ(load("tokens = \"/t\"").config.http.listen, ""); }

TEST_F(HttpKeys, DoNotListenBeyondThisMachineWithoutTlsOrTokens) {
  const std::string tls = "\ntls_cert = \"/c\"\ntls_key = \"/k\"", tokens = "\ntokens = \"/t\"";
  for (const char* beyond : {"0.0.0.0:8780", "[::]:8780", "192.0.2.7:0", "[2001:db8::1]:1"}) {
    const std::string listen = "listen = \"" + std::string(beyond) + "\"";
    EXPECT_EQ(problems_in(listen + tls + tokens), "") << beyond;
    EXPECT_NE(problems_in(listen + tokens)
                  .find("2:10: error: 'listen' = '" + std::string(beyond) +
                        "' lets other machines connect, which takes TLS: set tls_cert and tls_key"),
              std::string::npos)
        << problems_in(listen + tokens);
    EXPECT_NE(problems_in(listen + tls).find("which takes tokens"), std::string::npos) << beyond;
  }
  for (const char* own : {"127.0.0.1:8780", "127.8.8.8:0", "[::1]:8780", "/run/ballot/api.sock"})
    EXPECT_EQ(problems_in("listen = \"" + std::string(own) + "\""), "") << own;
}

TEST_F(HttpKeys, NameTheKeyThatAnotherOneNeeds) {
  for (const auto& [text, wanted] :
       {std::pair("tls_cert = \"/c\"", "2:12: error: 'tls_cert' needs tls_key"),
        std::pair("tls_key = \"/c\"", "2:11: error: 'tls_key' needs tls_cert"),
        std::pair("tls_client_ca = \"/c\"", "error: 'tls_client_ca' needs tls_cert and tls_key"),
        std::pair("proxy_user_header = \"X\"", "error: 'proxy_user_header' needs trusted_proxies"),
        std::pair("proxy_groups_header = \"X\"", "error: 'proxy_groups_header' needs proxy_user_header"),
        std::pair("proxy_roles = { a = \"viewer\" }", "error: 'proxy_roles' needs proxy_groups_header"),
        std::pair(
            "proxy_user_header = \"X\"\nproxy_groups_header = \"Y\"\ntrusted_proxies = [\"::1\"]\nproxy_roles = { a "
            "= \"root\" }",
            "5:15: error: 'proxy_roles' gives 'a' the role 'root'; there are viewer, operator and admin"),
        std::pair("listen = \"127.0.0.1:1\"\ntrusted_proxies = [\"socket\"]",
                  "'trusted_proxies' has \"socket\", but listen is no socket's path")})
    EXPECT_NE(problems_in(text).find(wanted), std::string::npos) << problems_in(text);
}

TEST(IpAddress, IsInTheRangesThatBeginAsItDoes) {
  const auto in = [](const char* range, const char* address) {
    return AddressRange::parse(range)->contains(*IpAddress::parse(address));
  };
  EXPECT_TRUE(in("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(in("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(in("10.1.2.128/25", "10.1.2.200"));
  EXPECT_FALSE(in("10.1.2.128/25", "10.1.2.100"));
  EXPECT_TRUE(in("10.0.0.0/8", "::ffff:10.2.3.4")) << "as a socket of both families has it";
  EXPECT_TRUE(in("0.0.0.0/0", "192.0.2.1"));
  EXPECT_FALSE(in("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(in("2001:db8::/32", "2001:db8:ffff::1"));
  EXPECT_TRUE(in("::1", "::1"));
  EXPECT_FALSE(in("::1", "::2"));
  for (const char* wrong :
       {"", "10.0.0", "10.0.0.0/", "10.0.0.0/33", "::1/129", "10.0.0.0/-1", "10.0.0.0/8x", "fe80::1%eth0"})
    EXPECT_FALSE(AddressRange::parse(wrong)) << wrong;
}

TEST(AdvertisedUrl, IsMadeOfWhatIsListenedOn) {
  const auto url = [](const char* listen, const char* cert = "", const char* base = "", const char* advertise = "") {
    HttpSettings settings;
    settings.listen = listen;
    settings.advertise = advertise;
    settings.base_path = base;
    settings.tls_cert = cert;
    return advertised_url(settings, 8780, "host-1");
  };
  EXPECT_EQ(url("127.0.0.1:0"), "http://127.0.0.1:8780");
  EXPECT_EQ(url("0.0.0.0:8780", "/c"), "https://host-1:8780");
  EXPECT_EQ(url("[::]:8780", "/c", "/b"), "https://host-1:8780/b");
  EXPECT_EQ(url("[2001:db8::1]:0", "/c"), "https://[2001:db8::1]:8780");
  EXPECT_EQ(url("0.0.0.0:0", "/c", "/b", "https://x.example"), "https://x.example");
  EXPECT_EQ(url("/run/api.sock"), "");
  EXPECT_EQ(url(""), "");
}

}  // namespace
}  // namespace ballot::config
