// Login: a client's answer to a server's INFO: whether the server can be used, and CONNECT with the user's secrets.
// Pure.
//
//   const Login login = log_in(parse_info(frame.text), access, secrets);
//   if (!login.refusal.empty()) ... else out += login.text;
#pragma once

#include <string>

#include "access.hpp"

namespace ballot::jetstream {

/// The fields of INFO that this client uses.
struct Info {
  bool understood = false;
  bool headers = false;
  bool wants_tls = false, offers_tls = false;
  std::string nonce = {};
};
Info parse_info(const std::string& text);

/// Why this server cannot be used with `access`, before TLS is spoken; "": it can.
std::string refusal_of(const Info& info, const Access& access);

struct Login {
  std::string refusal = {};  // "": none
  std::string text = {};     // CONNECT and its line end
};
Login log_in(const Info& info, const Access& access, const Secrets& secrets);

}  // namespace ballot::jetstream
