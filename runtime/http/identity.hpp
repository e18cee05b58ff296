// Identity: who asks, by what a request shows. The first of these that it shows counts, and where that is wrong none of
// the others does:
//
//   a token                                | name and role of its line; one that is not known is refused
//   a proxy's headers, of a trusted proxy  | the user that they name, with the highest role of the groups
//   a socket's peer                        | the role that its user and groups have on the control socket
//   nothing, where `anonymous = "viewer"`  | a viewer
//   nothing                                | nobody: role none
//
// The name of a proxy's user is one word of the asker's name: blanks, commas, quotes and '%' are percent-encoded.
// A proxy on the socket lends no more than it has: users behind it have at most the role of its own user there.
// Thread: one; what it refers to lives longer.
//
//   const Identity identity(settings, tokens, roles);
//   const auto caller = identity.of({.address = peer, .authorization = header});
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "base/http_settings.hpp"
#include "base/ip_address.hpp"
#include "http/token_file.hpp"
#include "io/asker.hpp"
#include "io/roles.hpp"

namespace ballot::web {

/// What a request shows of its sender.
struct Credentials {
  std::optional<IpAddress> address;  // none: the socket's peer
  io::Peer peer = {};
  std::optional<std::string> authorization = {};  // the header
  std::optional<std::string> user = {}, groups = {};
};

/// Clients share places by this before it is known who asks: an address, of IPv6 a network, or a user of the socket.
std::string place_of(const Credentials& shown);

struct Caller {
  enum class By { nothing, token, proxy, socket };
  io::Asker asker;
  By by = By::nothing;
  std::optional<Token> token = {};
};

class Identity {
 public:
  Identity(const HttpSettings& settings, const TokenFile& tokens, const io::Roles& roles);

  /// Errors: denied: a token that is not known, or no token; invalid: a name that no user has.
  Result<Caller> of(const Credentials& shown) const;
  /// Whether a proxy's headers came from where they do not count.
  bool ignores_proxy(const Credentials& shown) const;
  /// Whether the caller is who it was: its token is still in the file.
  bool is_current(const Caller& caller) const;

 private:
  Result<Caller> by_token(const std::string& authorization, const std::string& from) const;
  Result<Caller> by_proxy(const Credentials& shown, const std::string& from) const;
  bool is_trusted(const Credentials& shown) const;
  io::Role role_in(const std::string& groups) const;

  const HttpSettings& settings_;
  const TokenFile& tokens_;
  const io::Roles& roles_;
  std::vector<AddressRange> proxies_;
  bool proxy_on_socket_ = false;
};

}  // namespace ballot::web
