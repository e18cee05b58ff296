// PeerClient: asks other nodes' APIs, all at once: one POST a node, over HTTP or TLS, on a connection of its own.
// Blocks until all have answered or `within` is over; a node that hangs, drips, lies or never ends takes none of the
// others' time, and no more memory than `most_bytes`, all of them no more than `most_bytes_together`.
//
// Nothing is followed (no redirects), nothing is kept. Looking up a name may take longer than `within`: it goes on
// on a thread of its own, which ends by itself.
//
// The token goes over TLS, or to this machine: a node with a URL of plain http elsewhere is not asked with one.
//
// Thread: the one that calls. Errors of a node: unavailable (it cannot be reached, answers no HTTP or with a status
// other than 200, or the call is called off), timeout (only where `within` was over), refused (its certificate or its
// name is not trusted; it refuses the token, or would get it over plain http), corrupt (its answer is too long).
//
//   const auto answers = ask_peers({{"https://host-2:8780/api/v1/questions", body}}, {.tls_ca = ca, .token = token});
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/time.hpp"

namespace ballot::web {

struct PeerRequest {
  std::string url;   // http or https, with the path
  std::string body;  // JSON
};

struct PeerSettings {
  std::string tls_ca = {};  // file of authorities; "": the system's
  std::string token = {};   // "": none is shown
  Millis within = std::chrono::seconds(2);
  std::size_t most_bytes = std::size_t{16} << 20;           // of an answer's body
  std::size_t most_bytes_together = std::size_t{64} << 20;  // of all bodies that are there at once
};

/// What stands in a URL. None: it is no URL of http or https, or has a user, a query or a fragment.
struct PeerUrl {
  bool is_tls = false;
  std::string host, port, path;  // the host without brackets

  static std::optional<PeerUrl> parse(const std::string& text);
};

/// Whether the file of authorities can be used; "": the system's. Error: invalid, [http] tls_ca and the file.
Result<void> check_authorities(const std::string& tls_ca);
/// The first of its authorities that nobody's certificate is taken by now, and why: as of check_authorities(). None:
/// all are valid, or cannot be used.
std::optional<std::string> untimely_authority(const std::string& tls_ca);

/// The bodies of the answers, in the order of the requests. `goes_on`: asked often; false ends all that is under way.
std::vector<Result<std::string>> ask_peers(const std::vector<PeerRequest>& requests, const PeerSettings& settings,
                                           const std::function<bool()>& goes_on = {});

}  // namespace ballot::web
