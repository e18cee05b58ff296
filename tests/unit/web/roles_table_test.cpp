// Each route of a daemon, asked for as each role, is refused or allowed as the table of docs/security.md says.
#include <array>

#include "http/daemon_routes.hpp"
#include "support/roles_page.hpp"
#include "unit/web/web_server.hpp"

namespace ballot::web {
namespace {

using testing::how_to_mend;
using testing::roles_lines_of_page;
using testing::roles_row;

struct RolesOfRoutes : WebServer {
  RolesOfRoutes() { serve(daemon_routes(metrics)); }
  ~RolesOfRoutes() override { server.reset(); }

  /// Whether it was let in, as nobody, viewer, operator and admin; what is refused has asked the daemon nothing.
  std::array<bool, 4> asked_as_each(const std::string& line, const std::string& body) {
    std::array<bool, 4> allowed{};
    for (std::size_t role = 0; role < allowed.size(); ++role) {
      const int before = asked;
      const std::string name = std::array{"", "seer", "worker", "boss"}[role];
      const int status = client().ask(line, name.empty() ? Headers{} : Headers{bearer(name)}, body).status;
      allowed[role] = status != 401 && status != 403;
      EXPECT_EQ(status == 401, !allowed[role] && name.empty()) << line << " as " << name << ": " << status;
      EXPECT_NE(status, 0) << line;
      if (!allowed[role]) {
        EXPECT_EQ(asked, before) << line << " as " << name;
      }
      if (allowed[role] && line.find("/api/") != std::string::npos) {
        EXPECT_GT(asked, before) << line << " as " << name << ": " << status;
      }
    }
    return allowed;
  }
  /// A path of the template, and a body that its question can be made of.
  std::array<bool, 4> asked_as_each(const Route& route) {
    std::string path(route.path);
    for (const std::string parameter : {"{name}", "{id}"})
      if (const std::size_t at = path.find(parameter); at != std::string::npos) path.replace(at, parameter.size(), "a");
    const std::string body = route.method == Method::get   ? ""
                             : path == "/api/v1/questions" ? R"({"do":"jobs"})"
                             : route.method == Method::put ? R"({"job":"a"})"
                                                           : "{}";
    return asked_as_each(std::string(to_string(route.method)) + " " + path, body);
  }
  std::set<std::string> rows() {
    std::set<std::string> rows;
    for (const Route& route : server->routes())
      rows.insert(
          roles_row(std::string(to_string(route.method)) + " " + std::string(route.path), asked_as_each(route)));
    return rows;
  }
  static std::set<std::string> rows_of_page() {
    std::set<std::string> rows;
    for (const std::string& row : roles_lines_of_page(BALLOT_DOCS, "| `"))
      if (!row.starts_with("| `ballot ")) rows.insert(row);
    return rows;
  }

  using Headers = std::vector<std::string>;
  Metrics metrics{"1.2.3"};
};

TEST_F(RolesOfRoutes, AreThoseOfThePage) {
  const auto made = rows();
  EXPECT_EQ(rows_of_page(), made) << how_to_mend(made);
}

TEST_F(RolesOfRoutes, LetNobodySeeMoreThanAViewerWhereWhoShowsNoTokenIsOne) {
  server.reset();
  settings.anonymous_viewer = true;
  serve(daemon_routes(metrics));
  for (const Route& route : server->routes()) {
    if (route.role <= io::Role::viewer) continue;
    std::string path(route.path);
    path.replace(path.find('{'), path.find('}') - path.find('{') + 1, "a");
    EXPECT_EQ(client().ask(std::string(to_string(route.method)) + " " + path, {}, "{}").status, 403) << path;
  }
}

TEST_F(RolesOfRoutes, OfQuestionsLetThroughWhatIsOnlyShown) {
  for (const io::RequestWord& one : io::known_words()) {
    const bool is_shown = one.role == io::Role::viewer;
    EXPECT_EQ(asked_as_each("POST /api/v1/questions", R"({"do":")" + std::string(one.word) + "\"}"),
              (std::array{false, is_shown, is_shown, is_shown}))
        << one.word;
  }
}

}  // namespace
}  // namespace ballot::web
