#include "http/route_table.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace ballot::web {
namespace {

bool is_parameter(std::string_view segment) { return segment.starts_with('{') && segment.ends_with('}'); }

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (path.starts_with('/') && path.size() > 1) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    segments.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

bool takes_rest(const std::vector<std::string>& segments) {
  return !segments.empty() && is_parameter(segments.back()) && segments.back().ends_with("...}");
}

/// The values of the template's parameters; none: the path is another one.
std::optional<Pairs> match(const std::vector<std::string>& segments, const std::vector<std::string>& path) {
  const bool has_rest = takes_rest(segments);
  if (has_rest ? segments.size() > path.size() : segments.size() != path.size()) return std::nullopt;
  Pairs parameters;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (has_rest && i >= segments.size())
      parameters.back().second += '/' + path[i];
    else if (has_rest && i + 1 == segments.size())
      parameters.emplace_back(segments[i].substr(1, segments[i].size() - 5), path[i]);
    else if (is_parameter(segments[i]))
      parameters.emplace_back(segments[i].substr(1, segments[i].size() - 2), path[i]);
    else if (segments[i] != path[i])
      return std::nullopt;
  }
  return parameters;
}

}  // namespace

RouteTable::RouteTable(Routes routes) {
  for (Route& route : routes) {
    auto segments = segments_of(route.path);
    const auto parameters = std::count_if(segments.begin(), segments.end(), is_parameter);
    entries_.push_back({std::move(route), std::move(segments), static_cast<std::size_t>(parameters)});
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.parameters < b.parameters; });
}

RouteTable::Found RouteTable::find(std::string_view method, const std::vector<std::string>& path) const {
  const std::string_view wanted = method == "HEAD" ? std::string_view("GET") : method;
  Found found;
  std::set<std::string_view> allowed;
  for (const Entry& entry : entries_) {
    auto parameters = match(entry.segments, path);
    if (!parameters) continue;
    const std::string_view has = to_string(entry.route.method);
    allowed.insert(has);
    if (has == "GET") allowed.insert("HEAD");
    if (found.route != nullptr || has != wanted) continue;
    found.route = &entry.route;
    found.parameters = *std::move(parameters);
  }
  if (!allowed.empty()) allowed.insert("OPTIONS");
  for (const std::string_view one : allowed) found.allow += (found.allow.empty() ? "" : ", ") + std::string(one);
  return found;
}

Routes RouteTable::all() const {
  Routes routes;
  for (const Entry& entry : entries_) routes.push_back(entry.route);
  return routes;
}

}  // namespace ballot::web
