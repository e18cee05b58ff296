#include "login.hpp"

#include "http_client/json.hpp"
#include "nkey.hpp"

namespace ballot::jetstream {

using namespace http;

Info parse_info(const std::string& text) {
  const json::value said = parse_json(text);
  Info info;
  info.understood = said.is_object();
  info.headers = truth_at(said, "headers");
  info.wants_tls = truth_at(said, "tls_required");
  info.offers_tls = info.wants_tls || truth_at(said, "tls_available");
  info.nonce = text_at(said, "nonce");
  return info;
}

std::string refusal_of(const Info& info, const Access& access) {
  if (!info.understood) return "its INFO is not understood";
  if (!info.headers) return "it knows no headers: NATS is needed in version 2.9 or later";
  if (info.wants_tls && access.ca.empty()) return "it wants TLS: set ca in [nats]";
  if (!info.offers_tls && !access.ca.empty()) return "it does not speak TLS, and ca is set in [nats]";
  return {};
}

Login log_in(const Info& info, const Access& access, const Secrets& secrets) {
  json::object connect{{"verbose", false},     {"pedantic", false}, {"tls_required", !access.ca.empty()},
                       {"name", "ballot"},     {"lang", "c++"},     {"version", "1"},
                       {"protocol", 1},        {"echo", true},      {"headers", true},
                       {"no_responders", true}};
  if (!access.user.name.empty()) {
    connect["user"] = access.user.name;
    connect["pass"] = secrets.password;
  }
  if (!secrets.token.empty()) connect["auth_token"] = secrets.token;
  if (!secrets.jwt.empty()) connect["jwt"] = secrets.jwt;
  if (!access.nkey.name.empty()) connect["nkey"] = access.nkey.name;
  if (!secrets.seed.empty()) {
    if (info.nonce.empty()) return {"it asks for no signature: it does not know users by nkey or JWT", {}};
    const auto signature = sign(secrets.seed, info.nonce);
    if (!signature) return {signature.error().what, {}};
    connect["sig"] = *signature;
  }
  return {{}, "CONNECT " + json::serialize(connect) + "\r\n"};
}

}  // namespace ballot::jetstream
