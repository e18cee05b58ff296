// PeerClient: asks other nodes' APIs, all at once: one POST a node, over HTTP or TLS, on a connection of its own.
// Blocks until all have answered or `within` is over; a node that hangs, drips, lies or never ends takes none of the
// others' time, and no more memory than `most_bytes`.
//
// Nothing is followed (no redirects), nothing is kept. Looking up a name may take longer than `within`: it goes on
// on a thread of its own, which ends by itself.
//
// Thread: the one that calls. Errors of a node: unavailable (it cannot be reached, or answers no HTTP), timeout,
// refused (its certificate or its name is not trusted; it refuses the token), corrupt (its answer is too long), and
// those of the API: not_found, invalid, conflict, io.
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
  std::size_t most_bytes = std::size_t{16} << 20;  // of an answer's body
};

/// What stands in a URL. None: it is no URL of http or https, or has a user, a query or a fragment.
struct PeerUrl {
  bool is_tls = false;
  std::string host, port, path;  // the host without brackets

  static std::optional<PeerUrl> parse(const std::string& text);
};

/// The bodies of the answers, in the order of the requests. `goes_on`: asked often; false ends all that is under way.
std::vector<Result<std::string>> ask_peers(const std::vector<PeerRequest>& requests, const PeerSettings& settings,
                                           const std::function<bool()>& goes_on = {});

}  // namespace ballot::web
