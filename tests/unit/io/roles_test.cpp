// Which role each request takes, which role a user has, and that the page which people read says the same.
#include "io/roles.hpp"

#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "core/request/request.hpp"
#include "support/roles_page.hpp"

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

/// The page has a row each command: what changes something takes the role of its word.
TEST(Roles, OfRequestsAreThoseOfThePage) {
  using Kind = core::Request::Kind;
  for (const Kind kind :
       {Kind::trigger, Kind::kill, Kind::pause, Kind::resume, Kind::forget, Kind::repair, Kind::evict}) {
    const std::string word(core::to_string(kind));
    EXPECT_GT(role_for(word), Role::viewer) << word << " changes something";
    const std::string row = testing::roles_row("ballot " + std::string(kind == Kind::evict ? "election " : "") + word,
                                               {false, false, role_for(word) == Role::operator_, true});
    EXPECT_TRUE(testing::roles_lines_of_page(BALLOT_DOCS, "| `ballot ").contains(row)) << row;
  }
}

TEST(Roles, OfWordsAreKnownOfThoseOnlyThatADaemonAnswers) {
  std::set<std::string_view> words;
  for (const RequestWord& one : known_words()) {
    EXPECT_TRUE(words.insert(one.word).second) << one.word;
    EXPECT_TRUE(is_known(one.word));
    EXPECT_GT(one.role, Role::none) << one.word << " is for nobody without a role";
    EXPECT_EQ(role_for(one.word), one.role);
  }
  for (const char* unknown : {"", "release", "replace", "Jobs", "jobs "}) EXPECT_FALSE(is_known(unknown)) << unknown;
}

}  // namespace
}  // namespace ballot::io
