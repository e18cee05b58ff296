// The routes of a daemon's API and page, but for those that every server has: what docs/security.md has a line each of.
#pragma once

#include "http/exchange.hpp"
#include "http/metrics.hpp"

namespace ballot::web {

/// Requires: the metrics outlive the server.
Routes daemon_routes(const Metrics& metrics);

}  // namespace ballot::web
