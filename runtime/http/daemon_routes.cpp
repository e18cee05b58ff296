#include "http/daemon_routes.hpp"

#include "http/api/api_table.hpp"
#include "http/metrics_route.hpp"
#include "http/page_routes.hpp"

namespace ballot::web {

Routes daemon_routes(const Metrics& metrics) {
  Routes routes = api_routes();
  routes.push_back(metrics_route(metrics));
  for (Route& route : page_routes()) routes.push_back(std::move(route));
  return routes;
}

}  // namespace ballot::web
