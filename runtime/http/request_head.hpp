// RequestHead: what the head of a request says, once it has been checked: nothing in it can be understood in two ways,
// as a proxy in front and this server might.
//
// Pure.
//
//   const auto head = check_head(parser.get(), "X-Forwarded-User", "");   // Result
#pragma once

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/http_settings.hpp"
#include "http/exchange.hpp"

namespace ballot::web {

struct RequestHead {
  std::string method, target;
  std::string host;  // without the port, in lower case
  bool keep_alive = true;
  bool expects_continue = false;
  bool has_body = false;
  Pairs headers;  // of request_headers
  std::optional<std::string> authorization, origin, fetch_site, user, groups;
};

/// What cannot be answered as it was meant, and the status for it.
struct HeadFault {
  int status = 400;
  std::string text;
};

using HttpFields = boost::beast::http::request_header<boost::beast::http::fields>;

/// A fault: an HTTP version but 1.0 and 1.1; no Host, or a header twice that may be there once; a length that is said
/// twice or is no number, or a transfer coding but "chunked"; a token in the URL.
std::optional<HeadFault> read_head(const HttpFields& fields, const HttpSettings& settings, RequestHead& head);

/// Whether a page of another site has made a browser send this: a request that changes something, with an Origin, or a
/// Sec-Fetch-Site, that is not this server's.
bool is_cross_site(const RequestHead& head, const HttpSettings& settings);

/// Whether `head.host` is this machine's: an address, localhost, its name or that of `advertise`. A page of another
/// name that resolves to this machine is refused what needs no token.
bool is_own_host(const RequestHead& head, const HttpSettings& settings, const std::string& host_name);

}  // namespace ballot::web
