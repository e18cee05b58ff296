// Registration: a service of this host's agent, and of others in the catalog, as Consul shows it and as it is to be
// registered: with a tag or without, all else as it was. And whether its checks let it lead. Pure.
//
//   const auto service = find_service(services, "web");           // by its ID, or by its name
//   const std::string why = unfitness(checks, "web-1", {"web-http"});
//   ... PUT /v1/agent/service/register with with_tag(service, "primary", true)
#pragma once

#include <string>
#include <vector>

#include "http_client/json.hpp"

namespace ballot::consul {

/// Of /v1/agent/services. Null: it is not registered, or several have the name.
http::json::value find_service(const http::json::value& services, const std::string& wanted);
/// Why it may not lead, by /v1/agent/checks: maintenance of it or of its host, a critical check that counts; "": it
/// may.
std::string unfitness(const http::json::value& checks, const std::string& service,
                      const std::vector<std::string>& counted);

bool has_tag(const http::json::value& tags, const std::string& tag);
/// For the agent, where it is registered.
std::string with_tag(const http::json::value& service, const std::string& tag, bool tagged);
/// For the catalog, of an entry of /v1/catalog/service/NAME: everything but the tag.
std::string without_tag(const http::json::value& entry, const std::string& tag);

}  // namespace ballot::consul
