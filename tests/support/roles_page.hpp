// The table of "Roles" in docs/security.md: a row each command that asks a daemon and each route of the API, with what
// becomes of it by the role of whoever asks. Tests ask as each role, and compare what they have seen with the page.
//
//   rows.insert(roles_row("`GET /api/v1/jobs`", {false, true, true, true}));
//   EXPECT_EQ(roles_rows_of_page(docs, "`GET "), rows) << how_to_mend(rows);
#pragma once

#include <array>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

namespace ballot::testing {

/// "| `ballot kill` | refused | refused | allowed | allowed |": without a role, as viewer, operator, admin.
inline std::string roles_row(const std::string& asked, const std::array<bool, 4>& is_allowed) {
  std::string row = "| `" + asked + "` |";
  for (const bool allowed : is_allowed) row += allowed ? " allowed |" : " refused |";
  return row;
}

/// Lines of the page's section about roles that begin so.
inline std::set<std::string> roles_lines_of_page(const std::string& docs, const std::string& begin) {
  std::ifstream page(docs + "/security.md");
  std::set<std::string> lines;
  std::string line;
  while (std::getline(page, line) && line != "## Roles") continue;
  while (std::getline(page, line) && !line.starts_with("## "))
    if (line.starts_with(begin)) lines.insert(line);
  if (lines.empty()) throw std::runtime_error("docs/security.md has no line '" + begin + "...' under Roles");
  return lines;
}

/// For a table that is not as the page has it.
inline std::string how_to_mend(const std::set<std::string>& rows) {
  std::string text = "docs/security.md, Roles: where what was asked is right, the rows are\n";
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

}  // namespace ballot::testing
