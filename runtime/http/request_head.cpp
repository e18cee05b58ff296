#include "http/request_head.hpp"

#include <algorithm>
#include <array>

#include "base/ip_address.hpp"
#include "http/header_values.hpp"
#include "http/target.hpp"

namespace ballot::web {
namespace {

namespace http = boost::beast::http;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::optional<std::string> value_in(const HttpFields& fields, const std::string& name) {
  const auto found = name.empty() ? fields.end() : fields.find(name);
  return found == fields.end() ? std::nullopt : std::optional<std::string>(view(found->value()));
}

/// "host:port" without the port, or "[v6]:port" without brackets and port; none: it is neither.
std::optional<std::string> host_in(std::string_view text) {
  std::string_view host = text.substr(0, text.find(':'));
  std::string_view rest = text.substr(host.size());
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
    if (!IpAddress::parse(host)) return std::nullopt;
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!rest.empty() && (!rest.starts_with(':') || !std::all_of(rest.begin() + 1, rest.end(), is_digit)))
    return std::nullopt;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789-._:";
  const std::string found = lower_case(host);
  if (found.empty() || found.size() > 255 || found.find_first_not_of(letters) != std::string::npos) return std::nullopt;
  return found;
}

/// Each may be there once, as two readers could take another one of two.
std::optional<HeadFault> check_single(const HttpFields& fields, const HttpSettings& settings) {
  constexpr std::array<std::string_view, 8> once{"host",   "content-length", "transfer-encoding", "authorization",
                                                 "origin", "expect",         "content-type",      "sec-fetch-site"};
  std::vector<std::string> names(once.begin(), once.end());
  for (const std::string& name : {settings.proxy_user_header, settings.proxy_groups_header})
    if (!name.empty()) names.push_back(name);
  for (const std::string& name : names)
    if (fields.count(name) > 1) return HeadFault{400, "the header " + name + " is there twice"};
  return std::nullopt;
}

std::optional<HeadFault> check_framing(const HttpFields& fields) {
  const std::string length = value_in(fields, "Content-Length").value_or("0");
  if (length.empty() || length.find_first_not_of("0123456789") != std::string::npos)
    return HeadFault{400, "the header Content-Length is one number"};
  const auto coding = value_in(fields, "Transfer-Encoding");
  if (!coding) return std::nullopt;
  if (fields.version() < 11) return HeadFault{400, "HTTP/1.0 has no Transfer-Encoding"};
  if (lower_case(*coding) != "chunked")
    return HeadFault{501, "a body is sent as it is, or chunked, and in no other coding"};
  if (fields.count("Content-Length") > 0) return HeadFault{400, "the body's length is said twice"};
  return std::nullopt;
}

bool shows_token_in_url(std::string_view target) {
  const auto names = query_names(target);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    const std::string known = lower_case(name);
    return known == "token" || known == "access_token";
  });
}

}  // namespace

std::optional<HeadFault> read_head(const HttpFields& fields, const HttpSettings& settings, RequestHead& head) {
  if (fields.version() != 10 && fields.version() != 11) return HeadFault{505, "this server speaks HTTP/1.1"};
  if (auto fault = check_single(fields, settings)) return fault;
  if (auto fault = check_framing(fields)) return fault;
  head.method = view(fields.method_string());
  head.target = view(fields.target());
  const auto host = value_in(fields, "Host");
  if (!host && fields.version() == 11) return HeadFault{400, "the header Host is missing"};
  const auto name = host ? host_in(*host) : std::optional<std::string>("");
  if (!name) return HeadFault{400, "the header Host names no host"};
  head.host = *name;
  if (shows_token_in_url(head.target))
    return HeadFault{400, "a token stands in no URL, which logs keep: send it in the header Authorization"};
  head.has_body = fields.count("Transfer-Encoding") > 0 || value_in(fields, "Content-Length").value_or("0") != "0";
  head.expects_continue = lower_case(value_in(fields, "Expect").value_or("")) == "100-continue";
  head.authorization = value_in(fields, "Authorization");
  head.origin = value_in(fields, "Origin");
  head.fetch_site = value_in(fields, "Sec-Fetch-Site");
  head.user = value_in(fields, settings.proxy_user_header);
  head.groups = value_in(fields, settings.proxy_groups_header);
  for (const std::string_view wanted : request_headers)
    if (auto value = value_in(fields, std::string(wanted))) head.headers.emplace_back(wanted, *std::move(value));
  return std::nullopt;
}

bool is_cross_site(const RequestHead& head, const HttpSettings& settings) {
  if (head.method == "GET" || head.method == "HEAD" || head.method == "OPTIONS") return false;
  if (head.fetch_site) return *head.fetch_site != "same-origin" && *head.fetch_site != "none";
  if (!head.origin) return false;
  const auto host_of_url = [](std::string_view url) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) return std::optional<std::string>();
    const std::string_view rest = url.substr(scheme + 3);
    return host_in(rest.substr(0, rest.find('/')));
  };
  const auto from = host_of_url(*head.origin);
  return !from || (*from != head.host && from != host_of_url(settings.advertise));
}

bool is_own_host(const RequestHead& head, const HttpSettings& settings, const std::string& host_name) {
  if (head.host.empty() || head.host == "localhost" || IpAddress::parse(head.host)) return true;
  if (head.host == lower_case(host_name)) return true;  // in another domain anybody may have a host of that name
  const std::string advertised = lower_case(settings.advertise);
  const std::size_t at = advertised.find("://" + head.host);
  if (at == std::string::npos) return false;
  const std::size_t end = at + 3 + head.host.size();
  return end == advertised.size() || advertised[end] == ':' || advertised[end] == '/';
}

}  // namespace ballot::web
