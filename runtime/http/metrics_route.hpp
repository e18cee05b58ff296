// GET /metrics: what a node counts and shows, for Prometheus. The loop is asked for figures first ("metrics", which
// publishes them); what follows is written on the server's thread, as fast as the client reads.
#pragma once

#include "http/exchange.hpp"
#include "http/metrics.hpp"

namespace ballot::web {

/// Requires: the metrics outlive the server.
Route metrics_route(const Metrics& metrics);

}  // namespace ballot::web
