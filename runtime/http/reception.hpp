// Reception: what becomes of a request once its head is read: whether it is answered, by which route and in whose name,
// or refused, and how. All that can be refused is, before a byte of a body is taken.
//
// Thread: the server's.
//
//   auto received = reception.receive(head, credentials, now);
//   if (auto* const refused = std::get_if<HttpResponse>(&received)) ...
#pragma once

#include <string>
#include <variant>

#include "http/identity.hpp"
#include "http/places.hpp"
#include "http/rates.hpp"
#include "http/request_head.hpp"
#include "http/route_table.hpp"

namespace ballot::web {

/// A request that is to be answered, but for its body. Where its route takes a role, its place is taken
/// (Places::begin_request).
struct Received {
  HttpRequest request;
  const Route* route = nullptr;
  Caller caller;
};

class Reception {
 public:
  /// All of them live longer.
  struct Parts {
    const HttpSettings& settings;
    const HttpLimits& limits;
    const RouteTable& routes;
    const Identity& identity;
    Places& places;
    const std::string& host_name;
  };
  explicit Reception(Parts parts) : parts_(parts), askers_(parts.limits.asker), strangers_(parts.limits.stranger) {}

  using Outcome = std::variant<Received, HttpResponse>;
  Outcome receive(const RequestHead& head, const Credentials& shown, SteadyTime now);

 private:
  std::variant<Caller, HttpResponse> check_caller(const RequestHead& head, const Credentials& shown, io::Role needed,
                                                  SteadyTime now);
  std::string key_of(const Credentials& shown) const;
  HttpResponse refuse_stranger(const Credentials& shown, HttpResponse response, SteadyTime now);
  std::optional<HttpResponse> refusal(const RequestHead& head, const Caller& caller) const;
  std::optional<HttpResponse> admit(const Caller& caller, SteadyTime now);

  const Parts parts_;
  Rates askers_, strangers_;
};

/// The route of a response that none has answered, as it is counted.
inline constexpr std::string_view no_route = "none";

}  // namespace ballot::web
