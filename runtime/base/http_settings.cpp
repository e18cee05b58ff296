#include "base/http_settings.hpp"

#include <sys/un.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ip_address.hpp"
#include "base/quoted.hpp"

namespace ballot {
namespace {

constexpr std::size_t longest_text = 256;  // of a header's name, a base path, a URL
constexpr std::string_view letters_and_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool consists_of(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [more](char c) {
    return letters_and_digits.find(c) != std::string_view::npos || more.find(c) != std::string_view::npos;
  });
}

bool iequals(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(value);
}

/// What a URL has for its host and port: "host-1.example", "10.0.0.7:8780", "[::1]:8780".
bool is_authority(std::string_view text) {
  std::string_view host = text, rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    if (!IpAddress::parse(text.substr(1, end - 1))) return false;
    rest = text.substr(end + 1);
  } else {
    host = text.substr(0, text.find(':'));
    rest = text.substr(host.size());
    if (host.empty() || !consists_of(host, "-._")) return false;
  }
  return rest.empty() || (rest.starts_with(':') && rest.size() > 1 && parse_port(rest.substr(1)).value_or(0) != 0);
}

bool is_base_path(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() > longest_text || !text.starts_with('/') || text.ends_with('/')) return false;
  if (!consists_of(text, "-._~/")) return false;
  std::string padded(text);
  padded += '/';
  return padded.find("//") == std::string::npos && padded.find("/./") == std::string::npos &&
         padded.find("/../") == std::string::npos;
}

bool is_url(std::string_view text) {
  for (const std::string_view scheme : {std::string_view("http://"), std::string_view("https://")}) {
    if (!text.starts_with(scheme) || text.size() > longest_text) continue;
    const std::string_view rest = text.substr(scheme.size());
    const std::string_view authority = rest.substr(0, rest.find('/'));
    return is_authority(authority) && is_base_path(rest.substr(authority.size()));
  }
  return false;
}

bool is_header_name(std::string_view text) {
  constexpr std::array taken{"authorization", "connection",        "content-length", "content-type", "cookie",
                             "host",          "transfer-encoding", "origin",         "upgrade"};
  return !text.empty() && text.size() <= longest_text && consists_of(text, "!#$%&'*+-.^_`|~") &&
         std::none_of(taken.begin(), taken.end(), [text](const char* name) { return iequals(name, text); });
}

/// Collects what is wrong, key by key.
class Check {
 public:
  explicit Check(const HttpSettings& settings) : settings_(settings) {}

  std::vector<HttpProblem> all() {
    place();
    texts();
    tls();
    proxy();
    return std::move(found_);
  }

 private:
  void problem(const char* key, std::string text) { found_.push_back({key, std::move(text)}); }

  void place() {
    if (settings_.listen.empty()) return;
    place_ = ListenPlace::parse(settings_.listen);
    if (!place_)
      return problem("listen",
                     "must be an address and a port such as \"127.0.0.1:8780\" or \"[::]:8780\", or the absolute path "
                     "of a socket, not " +
                         quoted(settings_.listen));
    if (place_->is_local()) return;
    const std::string beyond = "= " + quoted(settings_.listen) + " lets other machines connect, ";
    const char* const instead = "; or listen on 127.0.0.1, [::1] or a socket, behind a proxy";
    if (settings_.tls_cert.empty()) problem("listen", beyond + "which takes TLS: set tls_cert and tls_key" + instead);
    if (settings_.tokens.empty())
      problem("listen", beyond + "which takes tokens: set tokens to a file, made by `ballot token new`" + instead);
  }

  void texts() {
    if (!settings_.advertise.empty() && !is_url(settings_.advertise))
      problem("advertise", "must be a URL such as \"https://host-1.example:8780\", not " + quoted(settings_.advertise));
    if (!is_base_path(settings_.base_path))
      problem("base_path",
              "must begin with '/', not end with it, and consist of letters, digits, '-', '.', '_', '~' "
              "and '/', such as \"/ballot\", not " +
                  quoted(settings_.base_path));
  }

  void tls() {
    if (settings_.tls_cert.empty() != settings_.tls_key.empty())
      problem(settings_.tls_cert.empty() ? "tls_key" : "tls_cert", settings_.tls_cert.empty()
                                                                       ? "needs tls_cert, the certificate of that key"
                                                                       : "needs tls_key, the key of that certificate");
    if (!settings_.tls_client_ca.empty() && settings_.tls_cert.empty())
      problem("tls_client_ca", "needs tls_cert and tls_key: without TLS no client shows a certificate");
  }

  void proxy() {
    header("proxy_user_header", settings_.proxy_user_header, settings_.trusted_proxies.empty(),
           "needs trusted_proxies: of everybody else the header is ignored");
    header("proxy_groups_header", settings_.proxy_groups_header, settings_.proxy_user_header.empty(),
           "needs proxy_user_header: who asks has a name");
    if (!settings_.proxy_roles.empty() && settings_.proxy_groups_header.empty())
      return problem("proxy_roles", "needs proxy_groups_header, which says the groups of who asks");
    for (const auto& [group, role] : settings_.proxy_roles)
      if (role != "viewer" && role != "operator" && role != "admin")
        problem("proxy_roles",
                "gives " + quoted(group) + " the role " + quoted(role) + "; there are viewer, operator and admin");
    for (const std::string& proxy : settings_.trusted_proxies) trusted(proxy);
  }

  void header(const char* key, const std::string& name, bool lacks, const char* lack) {
    if (name.empty()) return;
    if (!is_header_name(name))
      return problem(key, "must be the name of a header that the proxy alone sets, such as \"X-Forwarded-User\", not " +
                              quoted(name));
    if (lacks) problem(key, lack);
  }

  void trusted(const std::string& proxy) {
    if (proxy != proxy_on_socket && !AddressRange::parse(proxy))
      return problem("trusted_proxies",
                     "must be addresses, ranges such as \"10.0.0.0/8\", or \"socket\", not " + quoted(proxy));
    if (proxy == proxy_on_socket && place_ && place_->path.empty())
      problem("trusted_proxies", "has \"socket\", but listen is no socket's path");
  }

  const HttpSettings& settings_;
  std::optional<ListenPlace> place_;
  std::vector<HttpProblem> found_;
};

}  // namespace

std::optional<ListenPlace> ListenPlace::parse(std::string_view text) {
  ListenPlace place;
  if (text.starts_with('/')) {
    if (text.size() >= sizeof(sockaddr_un::sun_path) || text.ends_with('/')) return std::nullopt;
    place.path = text;
    return place;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool in_brackets = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (in_brackets) host = host.substr(1, host.size() - 2);
  const auto address = IpAddress::parse(host);
  const auto port = parse_port(text.substr(colon + 1));
  if (!address || !port || in_brackets != (host.find(':') != std::string_view::npos)) return std::nullopt;
  place.host = host;
  place.port = *port;
  return place;
}

bool ListenPlace::is_local() const {
  const auto address = IpAddress::parse(host);
  return !path.empty() || (address && address->is_loopback());
}

bool ListenPlace::is_any() const {
  const auto address = IpAddress::parse(host);
  return address && address->is_any();
}

std::vector<HttpProblem> problems_of(const HttpSettings& settings) { return Check(settings).all(); }

std::string advertised_url(const HttpSettings& settings, std::uint16_t port, const std::string& host_name) {
  if (settings.listen.empty()) return "";
  if (!settings.advertise.empty()) return settings.advertise;
  const auto place = ListenPlace::parse(settings.listen);
  if (!place || !place->path.empty()) return "";
  std::string host = place->is_any() ? host_name : place->host;
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return (settings.tls_cert.empty() ? "http://" : "https://") + host + ":" + std::to_string(port) + settings.base_path;
}

}  // namespace ballot
