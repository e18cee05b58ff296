// HttpSettings: how a daemon is reached over HTTP, as `[http]` of ballot.toml and the settings of an embedded runtime
// have it; and what is wrong with that.
//
// Pure: no file is looked at. Plain values.
//
//   for (const HttpProblem& problem : problems_of(settings)) findings.error(position_of(problem.key), problem.text);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ballot {

struct HttpSettings {
  std::string listen;     // "127.0.0.1:8780", "[::]:8780", or the path of a socket; "": nothing listens
  std::string advertise;  // the URL by which other nodes reach this one; "": made of `listen` and the host's name
  std::string base_path;  // before each path: "/ballot", or ""
  std::string tls_cert, tls_key, tls_client_ca;  // files
  std::string tls_ca;             // file of the authorities by which other nodes' certificates are checked
  std::string tokens;             // file
  bool anonymous_viewer = false;  // who shows no token may see what a viewer sees
  std::string proxy_user_header, proxy_groups_header;
  std::vector<std::pair<std::string, std::string>> proxy_roles;  // a group, and the name of its role
  std::vector<std::string> trusted_proxies;                      // addresses, ranges of them, or "socket"
  bool job_metrics = true;

  bool operator==(const HttpSettings&) const = default;
};

/// `trusted_proxies` has this for a proxy that connects to the socket that is listened on.
inline constexpr std::string_view proxy_on_socket = "socket";

/// Where is listened: an address and a port, or a socket's path.
struct ListenPlace {
  std::string host;  // as it is written, without brackets; "" for a path
  std::uint16_t port = 0;
  std::string path;

  static std::optional<ListenPlace> parse(std::string_view text);
  /// Nobody but users of this machine can connect.
  bool is_local() const;
  bool is_any() const;
};

struct HttpProblem {
  std::string key;   // of [http]
  std::string text;  // follows the key: "must be ..."
};

/// All that is wrong: values that mean nothing, keys that need another one, and a place beyond this machine without TLS
/// or without tokens.
std::vector<HttpProblem> problems_of(const HttpSettings& settings);

/// The URL by which other nodes reach this one, without a slash at its end: `advertise`, or made of `listen`, the port
/// that is listened on and the host's name. "": there is none, as nothing listens, or a socket does.
std::string advertised_url(const HttpSettings& settings, std::uint16_t port, const std::string& host_name);

}  // namespace ballot
