#include "config/http_keys.hpp"

#include <map>

#include "config/key_table.hpp"

namespace ballot::config {
namespace {

/// "none" or "viewer".
void read_anonymous(const Value& value, HttpSettings& settings) {
  const auto text = value.string();
  if (!text) return;
  constexpr std::string_view words[] = {"none", "viewer"};
  if (*text != words[0] && *text != words[1])
    return value.error("has no value " + in_quotes(*text) + suggestion(*text, words));
  settings.anonymous_viewer = *text == "viewer";
}

void read_roles(const Value& value, HttpSettings& settings) {
  const toml::table* const table = value.table();
  if (table == nullptr) return;
  for (auto&& [key, node] : *table)
    if (const auto role = Value(key.str(), node, value.findings()).string())
      settings.proxy_roles.emplace_back(key.str(), *role);
}

constexpr Key<HttpSettings> http_keys[] = {
    plain_row<HttpSettings>("advertise", as_string<&HttpSettings::advertise>),
    plain_row<HttpSettings>("anonymous", read_anonymous),
    plain_row<HttpSettings>("base_path", as_string<&HttpSettings::base_path>),
    plain_row<HttpSettings>("job_metrics", as_boolean<&HttpSettings::job_metrics>),
    plain_row<HttpSettings>("listen", as_string<&HttpSettings::listen>),
    plain_row<HttpSettings>("proxy_groups_header", as_string<&HttpSettings::proxy_groups_header>),
    plain_row<HttpSettings>("proxy_roles", read_roles),
    plain_row<HttpSettings>("proxy_user_header", as_string<&HttpSettings::proxy_user_header>),
    plain_row<HttpSettings>("tls_ca", as_path<&HttpSettings::tls_ca>),
    plain_row<HttpSettings>("tls_cert", as_path<&HttpSettings::tls_cert>),
    plain_row<HttpSettings>("tls_client_ca", as_path<&HttpSettings::tls_client_ca>),
    plain_row<HttpSettings>("tls_key", as_path<&HttpSettings::tls_key>),
    plain_row<HttpSettings>("tokens", as_path<&HttpSettings::tokens>),
    plain_row<HttpSettings>("trusted_proxies", as_strings<&HttpSettings::trusted_proxies>),
};
static_assert(is_sorted(http_keys));

}  // namespace

void read_http(const Value& value, HttpSettings& settings) {
  const toml::table* const table = value.table();
  if (table == nullptr) return;
  read_table(*table, http_keys, settings, value.findings());
  for (const HttpProblem& problem : problems_of(settings)) {
    const toml::node* const at = table->get(problem.key);
    value.findings().error(at != nullptr ? position_of(at->source()) : value.position(),
                           "'" + problem.key + "' " + problem.text);
  }
}

}  // namespace ballot::config
