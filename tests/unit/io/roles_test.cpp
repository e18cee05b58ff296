// Which role each request takes, which role a user has, and that the page which people read says the same.
#include "io/roles.hpp"

#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <regex>

#include "core/request/request.hpp"

namespace ballot::io {
namespace {

TEST(Roles, OfRootAndTheDaemonsUserAreAdminAndGroupsNameTheOthers) {
  const Roles roles({.operators = "games", .viewers = "users"});
  const gid_t operators = ::getgrnam("games")->gr_gid, viewers = ::getgrnam("users")->gr_gid;
  const uid_t other = ::geteuid() + 60'000;
  EXPECT_EQ(roles.of({0, {}}), Role::admin);
  EXPECT_EQ(roles.of({::geteuid(), {}}), Role::admin);
  EXPECT_EQ(roles.of({other, {operators}}), Role::operator_);
  EXPECT_EQ(roles.of({other, {viewers, operators}}), Role::operator_);
  EXPECT_EQ(roles.of({other, {viewers}}), Role::viewer);
  EXPECT_EQ(roles.of({other, {viewers + 1}}), Role::none);
  EXPECT_EQ(roles.of({}), Role::none) << "nobody";
}

TEST(Roles, OfGroupsThatTheMachineLacksAreNobodys) {
  Roles roles({.operators = "no-such-group", .viewers = ""});
  EXPECT_EQ(roles.resolve(), std::vector<std::string>{"no-such-group"});
  EXPECT_EQ(roles.access().mode, 0600u);
  EXPECT_EQ(roles.of({::geteuid() + 60'000, {0}}), Role::none);
}

TEST(Roles, OfNobodyButTheDaemonsUserWithoutGroups) {
  EXPECT_EQ(Roles().of({::geteuid() + 60'000, {0}}), Role::none);
  EXPECT_EQ(Roles().of({::geteuid(), {}}), Role::admin);
}

/// The words in backquotes of each row of the table under "## Roles"; of "`election evict`" the last one.
std::map<std::string, Role> roles_on_the_page() {
  std::map<std::string, Role> found;
  std::ifstream page(BALLOT_DOCS "/security.md");
  std::string line;
  while (std::getline(page, line) && line != "## Roles") continue;
  while (std::getline(page, line) && !line.starts_with("## "))
    for (const Role role : {Role::viewer, Role::operator_, Role::admin}) {
      if (!line.starts_with("| " + std::string(to_string(role)) + " |")) continue;
      const std::regex word("`(?:[a-z]+ )?([a-z]+)`");
      for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) found[(*at)[1]] = role;
    }
  return found;
}

TEST(Roles, OfThePageAreThoseOfTheProgram) {
  const auto page = roles_on_the_page();
  EXPECT_GE(page.size(), 14u);
  for (const auto& [word, role] : page) EXPECT_EQ(role_for(word), role) << word;
  using Kind = core::Request::Kind;
  for (const Kind kind :
       {Kind::trigger, Kind::kill, Kind::pause, Kind::resume, Kind::forget, Kind::repair, Kind::evict}) {
    const std::string word(core::to_string(kind));
    EXPECT_TRUE(page.contains(word)) << word;
    EXPECT_GT(role_for(word), Role::viewer) << word << " changes something";
  }
}

}  // namespace
}  // namespace ballot::io
