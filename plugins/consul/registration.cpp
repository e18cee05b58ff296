#include "registration.hpp"

#include <algorithm>
#include <utility>

namespace ballot::consul {

namespace json = http::json;

namespace {

std::string text_at(const json::value& value, const char* name) { return std::string(http::text_at(value, name)); }

json::array tags_without(const json::value& tags, const std::string& tag) {
  json::array rest;
  for (const json::value& one : http::array_of(tags))
    if (http::text_of(one) != tag) rest.push_back(one);
  return rest;
}

}  // namespace

json::value find_service(const json::value& services, const std::string& wanted) {
  std::vector<const json::value*> named;
  if (const json::value& own = http::member_of(services, wanted); own.is_object())
    named.push_back(&own);
  else if (services.is_object())
    for (const auto& entry : services.get_object())
      if (http::text_at(entry.value(), "Service") == wanted) named.push_back(&entry.value());
  return named.size() == 1 ? *named.front() : json::value();
}

std::string unfitness(const json::value& checks, const std::string& service, const std::vector<std::string>& counted) {
  if (!checks.is_object()) return {};
  for (const auto& [id, check] : checks.get_object()) {
    if (http::text_at(check, "Status") != "critical") continue;
    if (id == "_node_maintenance") return "this host is in maintenance: " + text_at(check, "Notes");
    if (http::text_at(check, "ServiceID") != service) continue;
    if (id == "_service_maintenance:" + service)
      return "service " + service + " is in maintenance: " + text_at(check, "Notes");
    if (!counted.empty() && std::find(counted.begin(), counted.end(), std::string(id)) == counted.end()) continue;
    const std::string output = text_at(check, "Output"), line = output.substr(0, output.find('\n'));
    return "check " + std::string(id) + " of service " + service + " is critical" +
           (line.empty() ? "" : ": " + line.substr(0, 200));
  }
  return {};
}

bool has_tag(const json::value& tags, const std::string& tag) {
  const auto& all = http::array_of(tags);
  return std::any_of(all.begin(), all.end(), [&](const json::value& one) { return http::text_of(one) == tag; });
}

/// Without the fields that the agent adds to a registration.
std::string with_tag(const json::value& service, const std::string& tag, bool tagged) {
  json::object definition = service.is_object() ? service.get_object() : json::object();
  json::array tags = tags_without(definition["Tags"], tag);
  if (tagged) tags.emplace_back(tag);
  definition["Tags"] = std::move(tags);
  definition["Name"] = http::member_of(service, "Service");  // what is in `definition` moves when it grows
  for (const char* own : {"Service", "ContentHash", "Datacenter", "CreateIndex", "ModifyIndex"}) definition.erase(own);
  return json::serialize(definition);
}

std::string without_tag(const json::value& entry, const std::string& tag) {
  json::object service;
  service["Service"] = http::member_of(entry, "ServiceName");
  service["Tags"] = tags_without(http::member_of(entry, "ServiceTags"), tag);
  for (const char* field : {"ID", "Kind", "Address", "TaggedAddresses", "Meta", "Port", "Weights", "EnableTagOverride",
                            "Proxy", "Connect", "SocketPath"})
    if (const json::value& value = http::member_of(entry, "Service" + std::string(field)); !value.is_null())
      service[field] = value;
  json::object body;
  body["Node"] = http::member_of(entry, "Node");
  body["Address"] = http::member_of(entry, "Address");
  body["SkipNodeUpdate"] = true;
  body["Service"] = std::move(service);
  return json::serialize(body);
}

}  // namespace ballot::consul
