// Requests and events as values: names of endpoints, and headers found in any case. See client.hpp.
#include <algorithm>
#include <cctype>

#include "http_client/client.hpp"

namespace ballot::http {

namespace {

bool same_name(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

}  // namespace

Endpoint endpoint_of(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return {text, ""};
  std::string host = text.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return {host, text.substr(colon + 1)};
}

std::string text_of(const Endpoint& endpoint) {
  const bool ipv6 = endpoint.host.find(':') != std::string::npos;
  return (ipv6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + endpoint.port;
}

std::string_view Event::header(std::string_view name) const {
  for (const auto& [known, value] : headers)
    if (same_name(known, name)) return value;
  return {};
}

}  // namespace ballot::http
