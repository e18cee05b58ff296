#include "http/reception.hpp"

#include "http/target.hpp"

namespace ballot::web {
namespace {

HttpResponse unauthorized(std::string_view detail, bool shows_token) {
  HttpResponse response = problem(401, detail);
  response.headers.emplace_back(
      "WWW-Authenticate", shows_token ? "Bearer realm=\"ballot\", error=\"invalid_token\"" : "Bearer realm=\"ballot\"");
  return response;
}

HttpResponse too_many(const char* detail) {
  HttpResponse response = problem(429, detail);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

/// `allow`: the path's methods; "": nothing lies there.
HttpResponse without_route(const std::string& method, const std::string& allow) {
  if (allow.empty()) return problem(404, "there is nothing at this path");
  HttpResponse response{204, "", {}, ""};
  if (method != "OPTIONS")
    response = problem(405, "the method " + method + " is not for this path; there are " + allow);
  response.headers.emplace_back("Allow", allow);
  return response;
}

/// The page's files are found below the base path, where that ends with '/': a browser is sent there, by a relative
/// URL, as nobody knows what a proxy has called it.
HttpResponse to_folder(std::string_view base_path) {
  HttpResponse response{308, "", {}, ""};
  response.headers.emplace_back("Location", std::string(base_path.substr(base_path.rfind('/') + 1)) + "/");
  return response;
}

}  // namespace

Reception::Outcome Reception::receive(const RequestHead& head, const Credentials& shown, SteadyTime now) {
  auto target = parse_target(head.target, parts_.settings.base_path);
  if (!target) return refuse_stranger(shown, problem(target.error()), now);
  if (target->is_bare) return to_folder(parts_.settings.base_path);
  auto found = parts_.routes.find(head.method, target->path);
  if (found.route == nullptr) return refuse_stranger(shown, without_route(head.method, found.allow), now);
  Received received;
  received.route = found.route;
  if (found.route->role != io::Role::none) {
    auto caller = check_caller(head, shown, found.route->role, now);
    if (auto* const refused = std::get_if<HttpResponse>(&caller)) return std::move(*refused);
    received.caller = std::get<Caller>(std::move(caller));
  } else if (!found.route->is_probe && !askers_.take(key_of(shown), now)) {
    return too_many("too many requests; ask more slowly");
  }
  HttpRequest& request = received.request;
  request.method = found.route->method;
  request.route = found.route->path;
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  request.headers = head.headers;
  request.parameters = std::move(found.parameters);
  request.asker = received.caller.asker;
  return received;
}

std::variant<Caller, HttpResponse> Reception::check_caller(const RequestHead& head, const Credentials& shown,
                                                           io::Role needed, SteadyTime now) {
  auto caller = parts_.identity.of(shown);
  if (!caller && caller.error().code == Errc::denied)
    return refuse_stranger(shown, unauthorized(caller.error().what, true), now);
  if (!caller) return problem(caller.error());
  if (caller->asker.role == io::Role::none && caller->by == Caller::By::nothing)
    return refuse_stranger(shown, unauthorized("show a token: Authorization: Bearer TOKEN", false), now);
  if (auto refused = refusal(head, *caller)) return *std::move(refused);
  if (caller->asker.role < needed)
    return problem(403, "this takes the role " + std::string(io::to_string(needed)) + "; " + caller->asker.name +
                            " has the role " + std::string(io::to_string(caller->asker.role)));
  if (auto refused = admit(*caller, now)) return *std::move(refused);
  return *std::move(caller);
}

/// By which requests of routes that take no role are counted: by their asker, as the API counts them, or by place.
std::string Reception::key_of(const Credentials& shown) const {
  const auto caller = parts_.identity.of(shown);
  return caller ? caller->asker.key : place_of(shown);
}

/// A client without a role, or that asks for what is not there, gets this answer only so often.
HttpResponse Reception::refuse_stranger(const Credentials& shown, HttpResponse response, SteadyTime now) {
  if (!strangers_.take(place_of(shown), now))
    return too_many("too many requests that no route, or no token that is known, answers for");
  return response;
}

/// What a browser may have been made to send. A token is sent by whoever has it, and by no page of another site.
std::optional<HttpResponse> Reception::refusal(const RequestHead& head, const Caller& caller) const {
  if (is_cross_site(head, parts_.settings)) return problem(403, "a page of another site has sent this (Origin)");
  const bool is_ambient = caller.by == Caller::By::nothing;
  if (is_ambient && !is_own_host(head, parts_.settings, parts_.host_name))
    return problem(421, "this server is not called '" + head.host + "'; `advertise` names it, or show a token");
  return std::nullopt;
}

std::optional<HttpResponse> Reception::admit(const Caller& caller, SteadyTime now) {
  if (!askers_.take(caller.asker.key, now)) return too_many("too many requests; ask more slowly");
  switch (parts_.places.begin_request(caller.asker, caller.by != Caller::By::nothing)) {
    case Places::Admission::begun: return std::nullopt;
    case Places::Admission::too_many_of_asker:
      return too_many("too many requests of yours are being answered; wait until some are");
    case Places::Admission::too_many: break;
  }
  return problem(503, "too many requests are being answered; try again later");
}

}  // namespace ballot::web
