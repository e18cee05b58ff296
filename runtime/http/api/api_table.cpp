#include "http/api/api_table.hpp"

#include "http/api/api_answers.hpp"

namespace ballot::web {
namespace {

using Kind = Parameter::Kind;
using io::Role;

constexpr Parameter scope{"scope"};
constexpr Parameter groups_page[] = {{"after"}, {"limit", Kind::count}};
constexpr Parameter jobs_page[] = {{"after"}, {"limit", Kind::count}, {"group"}, scope};
constexpr Parameter only_scope[] = {scope};
constexpr Parameter terms[] = {{"since", Kind::time}, {"limit", Kind::count}, scope};
constexpr Parameter newest[] = {{"limit", Kind::count}, scope};
constexpr Parameter slots[] = {{"from", Kind::time}, {"to", Kind::time}, {"limit", Kind::count}, {"cursor"}, scope};
constexpr Parameter rows[] = {{"job", Kind::list, "jobs"},
                              {"group", Kind::list, "groups"},
                              {"node", Kind::list, "nodes"},
                              {"status", Kind::list, "statuses"},
                              {"failed", Kind::yes_no},
                              {"reason", Kind::list, "reasons"},
                              {"run"},
                              {"since", Kind::time},
                              {"until", Kind::time},
                              {"limit", Kind::count},
                              {"cursor"},
                              scope};
constexpr Parameter counts[] = {{"job", Kind::list, "jobs"},
                                {"group", Kind::list, "groups"},
                                {"node", Kind::list, "nodes"},
                                {"status", Kind::list, "statuses"},
                                {"failed", Kind::yes_no},
                                {"reason", Kind::list, "reasons"},
                                {"since", Kind::time},
                                {"until", Kind::time},
                                {"per"},
                                scope};
constexpr Parameter strips[] = {
    {"job", Kind::list, "jobs"}, {"last", Kind::count}, {"since", Kind::time}, {"until", Kind::time}, scope};
constexpr Parameter usual[] = {{"job", Kind::list, "jobs"}, scope};
constexpr Parameter next[] = {
    {"from", Kind::time}, {"for_ms", Kind::count}, {"job"}, {"group"}, {"node"}, {"limit", Kind::count}, scope};
constexpr Parameter why[] = {{"slot", Kind::time}, {"run"}, scope};
constexpr Parameter load[] = {{"from", Kind::time}, {"to", Kind::time}};
constexpr Parameter requests[] = {{"kind", Kind::list, "kinds"},
                                  {"job", Kind::list, "jobs"},
                                  {"group", Kind::list, "groups"},
                                  {"node", Kind::list, "nodes"},
                                  {"by"},
                                  {"run"},
                                  {"since", Kind::time},
                                  {"until", Kind::time},
                                  {"limit", Kind::count},
                                  {"cursor"},
                                  scope};
constexpr Parameter definitions[] = {{"job", Kind::list, "jobs"},
                                     {"group", Kind::list, "groups"},
                                     {"node", Kind::list, "nodes"},
                                     {"since", Kind::time},
                                     {"until", Kind::time},
                                     {"limit", Kind::count},
                                     {"cursor"},
                                     scope};
constexpr Parameter output[] = {{"attempt", Kind::whole}, {"from", Kind::whole}, {"follow", Kind::yes_no}, scope};
constexpr Parameter events[] = {{"after"}};
constexpr Parameter asked[] = {{"timeout_ms", Kind::whole}};
constexpr Parameter paused[] = {{"for"}, {"until"}, {"reason"}, {"timeout_ms", Kind::whole}};
constexpr Parameter backfilled[] = {{"since"},
                                    {"until"},
                                    {"which"},
                                    {"parallel", Kind::whole},
                                    {"dry_run", Kind::yes_no},
                                    {"stop", Kind::yes_no},
                                    {"timeout_ms", Kind::whole}};
constexpr Parameter triggered[] = {{"job"}, {"env", Kind::list}, {"alone", Kind::yes_no}, {"timeout_ms", Kind::whole}};

constexpr Method get = Method::get, post = Method::post, put = Method::put;

constexpr ApiRoute table[] = {
    {get, "/api/v1/jobs", Role::viewer, "jobs", "", "", jobs_page, {}, Shape::tagged},
    {get, "/api/v1/jobs/{name}", Role::viewer, "job", "", "job", only_scope, {}, Shape::tagged},
    {get, "/api/v1/jobs/{name}/slots", Role::viewer, "slots", "", "job", slots},
    {get, "/api/v1/jobs/{name}/why", Role::viewer, "ledger", "why", "job", why},
    {post, "/api/v1/jobs/{name}/pause", Role::operator_, "pause", "", "job", {}, paused},
    {post, "/api/v1/jobs/{name}/resume", Role::operator_, "resume", "", "job", {}, asked},
    {post, "/api/v1/jobs/{name}/backfill", Role::operator_, "backfill", "", "job", {}, backfilled},
    {get, "/api/v1/history", Role::viewer, "ledger", "history", "", rows},
    {get, "/api/v1/history/summary", Role::viewer, "ledger", "summary", "", counts},
    {get, "/api/v1/history/strips", Role::viewer, "ledger", "strips", "", strips},
    {get, "/api/v1/history/usual", Role::viewer, "ledger", "usual", "", usual},
    {get, "/api/v1/history/definitions", Role::viewer, "ledger", "definitions", "", definitions},
    {get, "/api/v1/next", Role::viewer, "next", "", "", next},
    {get, "/api/v1/load", Role::viewer, "load", "", "", load},
    {get, "/api/v1/whoami", Role::viewer, "whoami"},
    {get, "/api/v1/runs", Role::viewer, "runs"},
    {get, "/api/v1/runs/{id}", Role::viewer, "ledger", "run", "run", only_scope},
    {put, "/api/v1/runs/{id}", Role::operator_, "trigger", "", "run", {}, triggered, Shape::made},
    {get, "/api/v1/runs/{id}/output", Role::viewer, "ledger", "output", "run", output, {}, Shape::output},
    {post, "/api/v1/runs/{id}/kill", Role::operator_, "kill", "", "run", {}, asked},
    {get, "/api/v1/groups", Role::viewer, "groups", "", "", groups_page},
    {get, "/api/v1/groups/{name}/terms", Role::viewer, "ledger", "terms", "group", newest},
    {get, "/api/v1/terms", Role::viewer, "ledger", "terms_since", "", terms},
    {post, "/api/v1/groups/{name}/pause", Role::operator_, "pause", "", "group", {}, paused},
    {post, "/api/v1/groups/{name}/resume", Role::operator_, "resume", "", "group", {}, asked},
    {get, "/api/v1/nodes", Role::viewer, "nodes"},
    {get, "/api/v1/requests", Role::viewer, "ledger", "requests", "", requests},
    {get, "/api/v1/status", Role::viewer, "status"},
    {get, "/api/v1/events", Role::viewer, "events", "", "", events, {}, Shape::events},
};

}  // namespace

std::span<const ApiRoute> api_table() { return table; }

Routes api_routes() {
  Routes routes;
  for (const ApiRoute& route : table)
    routes.push_back(
        {route.method, route.path, route.role, [&route](const ExchangePtr& exchange) { answer(route, exchange); }});
  return routes;
}

}  // namespace ballot::web
