#include "http/daemon_routes.hpp"

#include "http/api/api_table.hpp"
#include "http/metrics_route.hpp"

namespace ballot::web {

Routes daemon_routes(const Metrics& metrics) {
  Routes routes = api_routes();
  routes.push_back(metrics_route(metrics));
  return routes;
}

}  // namespace ballot::web
