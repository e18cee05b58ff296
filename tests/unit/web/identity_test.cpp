// Who asks, by what a request shows.
#include <unistd.h>

#include "http/identity.hpp"
#include "support/temp_folder.hpp"

namespace ballot::web {
namespace {

class Identities : public ::testing::Test {
 protected:
  Identities() {
    folder_.write("tokens", token_line("ci", io::Role::operator_, "secret"));
    ::chmod((folder_ / "tokens").c_str(), 0600);
    tokens_ = *TokenFile::open(folder_ / "tokens");
    settings_.proxy_user_header = "X-User";
    settings_.proxy_groups_header = "X-Groups";
    settings_.proxy_roles = {{"staff", "viewer"}, {"ops", "operator"}, {"root team", "admin"}};
    settings_.trusted_proxies = {"10.0.0.0/8"};
  }
  Result<Caller> of(const Credentials& shown) const { return Identity(settings_, tokens_, roles_).of(shown); }
  static Credentials from(const char* address) { return {.address = IpAddress::parse(address)}; }
  static Credentials by_proxy(const char* address, const char* user, const char* groups) {
    Credentials shown = from(address);
    shown.user = user;
    shown.groups = groups;
    return shown;
  }

  const TempFolder folder_;
  HttpSettings settings_;
  TokenFile tokens_ = *TokenFile::open("");
  io::Roles roles_{io::RoleGroups{.operators = "", .viewers = ""}};
};

TEST_F(Identities, AreOfATokenWithItsNameAndRole) {
  Credentials shown = from("192.0.2.7");
  shown.authorization = "bearer  secret";
  const auto caller = of(shown);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->asker.role, io::Role::operator_);
  EXPECT_EQ(caller->asker.key, "token ci");
  EXPECT_EQ(caller->asker.name, "token ci from 192.0.2.7");
  EXPECT_FALSE(caller->asker.is_own);
}

TEST_F(Identities, AreNobodysWhereATokenIsWrongWhateverElseIsShown) {
  settings_.anonymous_viewer = true;
  for (const char* wrong : {"Bearer secre", "Bearer secret ", "Bearer ", "Bearersecret", "", "Basic secret"}) {
    Credentials shown = by_proxy("10.1.2.3", "alice", "root team");
    shown.authorization = wrong;
    const auto caller = of(shown);
    ASSERT_FALSE(caller) << wrong;
    EXPECT_EQ(caller.error().code, Errc::denied);
  }
}

TEST_F(Identities, AreOfUsersThatATrustedProxyNamesWithTheHighestRoleOfTheirGroups) {
  const auto role_of = [&](const char* groups) { return of(by_proxy("10.1.2.3", "alice", groups))->asker.role; };
  EXPECT_EQ(role_of("staff"), io::Role::viewer);
  EXPECT_EQ(role_of("x, ops ,staff"), io::Role::operator_);
  EXPECT_EQ(role_of("root team"), io::Role::admin);
  EXPECT_EQ(role_of("root"), io::Role::none);
  EXPECT_EQ(role_of(""), io::Role::none);
  const auto caller = of(by_proxy("10.1.2.3", "alice", "ops"));
  EXPECT_EQ(caller->asker.key, "user alice");
  EXPECT_EQ(caller->asker.name, "user alice by the proxy at 10.1.2.3");
  settings_.proxy_groups_header = "";
  EXPECT_EQ(role_of("root team"), io::Role::viewer) << "whoever the proxy knows";
}

TEST_F(Identities, OfAProxysUserAreOneWordSoThatNoneReadsAsSomebodyElse) {
  const auto name_of = [&](const char* user) { return of(by_proxy("10.1.2.3", user, "ops"))->asker.name; };
  EXPECT_EQ(name_of("x, token ad"), "user x%2C%20token%20ad by the proxy at 10.1.2.3");
  EXPECT_EQ(name_of("100%20 \"o'hara\""), "user 100%2520%20%22o%27hara%22 by the proxy at 10.1.2.3");
  EXPECT_EQ(name_of("ann@example.com"), "user ann@example.com by the proxy at 10.1.2.3");
  EXPECT_EQ(name_of("J\xc3\xb6rg"), "user J\xc3\xb6rg by the proxy at 10.1.2.3");
}

TEST_F(Identities, OfAProxyThatIsNotTrustedAreIgnored) {
  const Credentials shown = by_proxy("192.0.2.7", "alice", "root team");
  EXPECT_EQ(of(shown)->asker.role, io::Role::none);
  EXPECT_TRUE(Identity(settings_, tokens_, roles_).ignores_proxy(shown));
  EXPECT_FALSE(Identity(settings_, tokens_, roles_).ignores_proxy(from("192.0.2.7")));
  EXPECT_FALSE(Identity(settings_, tokens_, roles_).ignores_proxy(by_proxy("10.0.0.1", "alice", "")));
}

TEST_F(Identities, OfUsersThatNoLogCanShowAreRefused) {
  for (const char* name : {"", "a\nb", "\xff", "a\xe2\x80\xae", "\x7f"})
    EXPECT_EQ(of(by_proxy("10.1.2.3", name, "ops")).error().code, Errc::invalid) << name;
  EXPECT_FALSE(of(by_proxy("10.1.2.3", std::string(65, 'a').c_str(), "ops")));
}

TEST_F(Identities, OfTheSocketAreItsUsers) {
  Credentials own;
  own.peer.uid = ::geteuid();
  EXPECT_EQ(of(own)->asker.role, io::Role::admin);
  EXPECT_TRUE(of(own)->asker.is_own);
  Credentials other;
  other.peer.uid = ::geteuid() + 1;
  EXPECT_EQ(of(other)->asker.role, io::Role::none);
  EXPECT_EQ(of(other)->asker.key, "uid " + std::to_string(::geteuid() + 1));
}

TEST_F(Identities, OfAProxyOnTheSocketHaveNoHigherRoleThanItsUser) {
  Credentials shown;
  shown.user = "alice";
  shown.groups = "root team";
  shown.peer.uid = ::geteuid() + 1;
  EXPECT_EQ(of(shown)->asker.name, "uid " + std::to_string(shown.peer.uid)) << "it is not trusted";
  settings_.trusted_proxies = {"socket"};
  EXPECT_EQ(of(shown)->asker.name, "user alice by the proxy at the socket");
  EXPECT_EQ(of(shown)->asker.role, io::Role::none);
  shown.peer.uid = ::geteuid();
  EXPECT_EQ(of(shown)->asker.role, io::Role::admin);
  shown.groups = "staff";
  EXPECT_EQ(of(shown)->asker.role, io::Role::viewer);
}

TEST_F(Identities, OfAProxyOnTheSocketThatNamesNobodyHaveNoRole) {
  Credentials shown;
  shown.peer.uid = ::geteuid();
  settings_.trusted_proxies = {"socket"};
  EXPECT_EQ(of(shown)->asker.role, io::Role::admin) << "the daemon's own user";
  shown.peer.uid = ::geteuid() + 1;
  shown.peer.groups = {0};
  roles_ = io::Roles(io::RoleGroups{.operators = "root", .viewers = ""});
  EXPECT_EQ(of(shown)->asker.role, io::Role::none);
  settings_.trusted_proxies = {};
  EXPECT_EQ(of(shown)->asker.role, io::Role::operator_);
}

TEST_F(Identities, OfNobodyAreOfTheirAddress) {
  EXPECT_EQ(of(from("192.0.2.7"))->asker.role, io::Role::none);
  EXPECT_EQ(of(from("192.0.2.7"))->asker.key, "address 192.0.2.7");
  EXPECT_EQ(of(from("2001:db8:1:2:3:4:5:6"))->asker.key, "address 2001:db8:1:2::/64")
      << "a host has as many as it wants";
  settings_.anonymous_viewer = true;
  EXPECT_EQ(of(from("192.0.2.7"))->asker.role, io::Role::viewer);
}

}  // namespace
}  // namespace ballot::web
