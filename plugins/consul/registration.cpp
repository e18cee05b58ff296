#include "registration.hpp"

#include <algorithm>
#include <utility>

namespace ballot::consul {

namespace json = http::json;

namespace {

std::string text_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && !text->empty() ? "" : "must be a text that is not empty";
}

std::string list_problem(const OptionValue& value) noexcept {
  return std::holds_alternative<std::vector<std::string>>(value) ? "" : "must be a list of IDs of checks";
}

std::string text_at(const json::value& value, const char* name) { return std::string(http::text_at(value, name)); }

json::array tags_without(const json::value& tags, const std::string& tag) {
  json::array rest;
  for (const json::value& one : http::array_of(tags))
    if (http::text_of(one) != tag) rest.push_back(one);
  return rest;
}

}  // namespace

const OptionKey group_keys[4] = {
    {"key", text_problem, OptionType::text, "a key that says who leads, for others"},
    {"primary_tag", text_problem, OptionType::text, "the tag of the leader's service"},
    {"service", text_problem, OptionType::text, "the ID or the name of a service of this host's agent"},
    {"service_checks", list_problem, OptionType::list, "IDs of the checks that decide whether it may lead"},
};

GroupSettings group_settings(const Options& options) {
  const auto text = [&](const char* key) {
    const auto found = options.find(key);
    return found == options.end() ? std::string() : std::get<std::string>(found->second);
  };
  GroupSettings settings{text("service"), {}, text("primary_tag"), text("key")};
  if (const auto found = options.find("service_checks"); found != options.end())
    settings.checks = std::get<std::vector<std::string>>(found->second);
  return settings;
}

void Service::set_tag(const std::string& tag, bool tagged) {
  json::array tags = tags_without(definition["Tags"], tag);
  if (tagged) tags.emplace_back(tag);
  definition["Tags"] = std::move(tags);
}

std::optional<Service> find_service(const json::value& services, const std::string& wanted) {
  std::vector<const json::value*> named;
  if (const json::value& own = http::member_of(services, wanted); own.is_object())
    named.push_back(&own);
  else if (services.is_object())
    for (const auto& entry : services.get_object())
      if (http::text_at(entry.value(), "Service") == wanted) named.push_back(&entry.value());
  if (named.size() != 1) return std::nullopt;
  const json::value& found = *named.front();
  return Service{text_at(found, "ID"), text_at(found, "Service"), text_at(found, "Address"),
                 http::number_at(found, "Port"), found.get_object()};
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

/// What the agent adds to what it was told is not told to it.
std::string with_tag(json::object definition, const std::string& tag, bool tagged) {
  Service service{{}, {}, {}, 0, std::move(definition)};
  service.set_tag(tag, tagged);
  json::object& all = service.definition;
  all["Name"] = all["Service"];
  for (const char* own : {"Service", "ContentHash", "Datacenter", "CreateIndex", "ModifyIndex"}) all.erase(own);
  return json::serialize(all);
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
