// Who may connect to a control socket, and ask for what.
#include <grp.h>
#include <poll.h>
#include <sys/stat.h>

#include "io/control_socket.hpp"
#include "unit/io/control_fixture.hpp"

namespace ballot::io {
namespace {

/// Groups that every Debian and every Fedora has.
constexpr const char* some_operators = "games";
constexpr const char* some_viewers = "users";
gid_t id_of(const char* name) { return ::getgrnam(name)->gr_gid; }

TEST_F(Control, SocketIsOpenToTheGroupsThatHaveRoles) {
  struct Expected {
    RoleGroups groups;
    mode_t mode;
  };
  for (const auto& [groups, mode] : {Expected{{.operators = ""}, 0600},
                                     {{.operators = some_operators}, 0660},
                                     {{.operators = "", .viewers = some_viewers}, 0660},
                                     {{.operators = some_operators, .viewers = some_viewers}, 0666}}) {
    roles = Roles(groups);
    serve([](const Question&, const Reply&) {});
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_TRUE(S_ISSOCK(status.st_mode));
    EXPECT_EQ(status.st_mode & 07777, mode == 0660 && ::geteuid() != 0 ? 0666 : mode) << "only root gives files away";
    EXPECT_EQ(status.st_uid, ::geteuid());
    if (mode == 0660 && ::geteuid() == 0) {
      EXPECT_EQ(status.st_gid, id_of(groups.viewers.empty() ? some_operators : some_viewers));
    }
    server.reset();
  }
}

TEST_F(Control, AskedForMoreThanARoleMayRefusesAndNamesTheRoleAndItsGroups) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  roles = Roles({.operators = some_operators, .viewers = some_viewers});
  std::vector<std::string> handled;
  serve([&](const Question& question, const Reply& reply) {
    handled.push_back(question.message.text("do").value_or(""));
    reply.finish({});
  });
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const auto refused = [&](const std::vector<gid_t>& groups) {  // a bit for each
    return as_another_user(
        [&] {
          int bits = 0, bit = 1;
          for (const char* what : {"jobs", "ledger", "trigger", "evict"}) {
            const auto answer = ask_once(path, ask_for(what), Millis(5000));
            if (!answer && answer.error().code == Errc::refused) bits |= bit;
            bit *= 2;
          }
          return bits;
        },
        groups);
  };
  EXPECT_EQ(refused({}), 0b1111);
  EXPECT_EQ(refused({id_of(some_viewers)}), 0b1100);
  EXPECT_EQ(refused({id_of(some_operators)}), 0b1000);
  EXPECT_EQ(handled, (std::vector<std::string>{"jobs", "ledger", "jobs", "ledger", "trigger"}));
  EXPECT_TRUE(answer_to(ask_for("evict"))) << "root may all";
  EXPECT_EQ(roles.refusal(Role::viewer).what,
            "this takes the role viewer, which this user does not have here: be root or the daemon's user, or in the "
            "group games or users (docs/security.md: Roles)");
  EXPECT_EQ(roles.refusal(Role::admin).what,
            "this takes the role admin, which this user does not have here: be root or the daemon's user "
            "(docs/security.md: Roles)");
}

TEST_F(Control, AskedEachWordThatADaemonKnowsTakesItsRole) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  roles = Roles({.operators = some_operators, .viewers = some_viewers});
  serve([&](const Question&, const Reply& reply) { reply.finish({}); });
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const auto wrong_as = [&](Role role, const std::vector<gid_t>& groups) {  // the number of a word, from 1 on
    const auto ask_all = [&] {
      int number = 0;
      for (const RequestWord& one : known_words()) {
        ++number;
        const auto answer = ask_once(path, ask_for(std::string(one.word)), Millis(5000));
        const bool refused = !answer && answer.error().code == Errc::refused;
        if (refused != (role < one.role) || (!refused && !answer)) return number;
      }
      return 0;
    };
    return as_another_user(ask_all, groups);
  };
  EXPECT_EQ(wrong_as(Role::none, {}), 0);
  EXPECT_EQ(wrong_as(Role::viewer, {id_of(some_viewers)}), 0);
  EXPECT_EQ(wrong_as(Role::operator_, {id_of(some_operators)}), 0);
  for (const RequestWord& one : known_words()) EXPECT_TRUE(answer_to(ask_for(std::string(one.word)))) << one.word;
}

TEST_F(Control, UsersWithoutARoleTakeNoPlaceOfThoseWhoHaveOne) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  roles = Roles({.operators = some_operators, .viewers = some_viewers});
  serve([](const Question&, const Reply& reply) { reply.finish({}); }, {.clients = 8});
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  std::vector<UniqueFd> strangers;
  const auto connect_as = [&](uid_t uid) {
    ASSERT_EQ(::setresuid(static_cast<uid_t>(-1), uid, static_cast<uid_t>(-1)), 0);
    for (int i = 0; i < 2; ++i) strangers.push_back(connected());
    ASSERT_EQ(::setresuid(static_cast<uid_t>(-1), 0, static_cast<uid_t>(-1)), 0);
  };
  for (uid_t uid = 60001; uid < 60010; ++uid) connect_as(uid);
  const auto answered = [&] { return ask_once(path, ask_for("jobs"), Millis(5000)) ? 0 : 1; };
  EXPECT_EQ(as_another_user(answered, {id_of(some_viewers)}), 0);
  EXPECT_NE(as_another_user(answered), 0);
}

TEST_F(Control, ReadsOnlyALittleOfWhatAUserWithoutARoleSays) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  roles = Roles({.operators = some_operators, .viewers = some_viewers});
  serve([](const Question&, const Reply& reply) { reply.finish({}); });
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const auto refused_for_its_length = [&] {
    const auto answer = ask_once(path, ask_for(std::string(5000, 'x')), Millis(5000));
    return !answer && answer.error().what == "a request is at most 4096 bytes" ? 1 : 0;
  };
  EXPECT_EQ(as_another_user(refused_for_its_length), 1);
  EXPECT_EQ(as_another_user(refused_for_its_length, {id_of(some_viewers)}), 0);
}

TEST_F(Control, RequestsOfManyValuesAreRefusedUnlessTheyAreOfTheDaemonsOwnUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  roles = Roles({.operators = some_operators, .viewers = some_viewers});
  serve([](const Question&, const Reply& reply) { reply.finish({}); });
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const auto is_refused = [&](std::size_t objects) {
    Message request = ask_for("ledger");
    request.set("list", std::vector<Message>(objects));
    const auto answer = ask_once(path, request, Millis(5000));
    return !answer && answer.error().what == "a request has at most 10000 values" ? 1 : 0;
  };
  const std::vector<gid_t> viewer{id_of(some_viewers)};
  EXPECT_EQ(as_another_user([&] { return is_refused(4000); }, viewer), 0);
  EXPECT_EQ(as_another_user([&] { return is_refused(100'000); }, viewer), 1);
  EXPECT_EQ(during([&] { return is_refused(100'000); }), 0);
}

TEST_F(Control, SocketOfAnotherUsersDaemonIsForThatUserAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  ASSERT_EQ(::chown(folder.path().c_str(), 65534, 65534), 0);
  const int mode = as_another_user([&] {
    const auto made = ControlSocket::make(path, Roles(RoleGroups{}).access());
    struct stat status {};
    if (!made || ::stat(path.c_str(), &status) != 0) return 254;
    return (status.st_mode & 0777) == 0600 ? 0 : 1;
  });
  EXPECT_EQ(mode, 0);
}

TEST_F(Control, NoUserTakesAllPlacesAndRootAlwaysGetsThrough) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  roles = Roles({.operators = some_operators});
  std::vector<Reply> kept;
  serve([&](const Question& question,
            const Reply& reply) { question.asker.key == "uid 0" ? reply.finish({}) : kept.push_back(reply); },
        {.clients = 8});
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const auto take_places = [&] {
    std::vector<UniqueFd> clients;
    for (int i = 0; i < 40; ++i) {
      clients.push_back(connected());
      (void)!::send(clients.back().get(), "{}\n", 3, MSG_NOSIGNAL);  // some are closed by then
    }
    int closed = 0;
    for (const UniqueFd& client : clients) {
      pollfd waits{client.get(), POLLIN, 0};
      closed += ::poll(&waits, 1, 200) > 0 ? 1 : 0;
    }
    return closed;
  };
  EXPECT_EQ(as_another_user(take_places, {id_of(some_operators)}), 38) << "a quarter of eight stays";
  std::vector<UniqueFd> idle;
  for (int i = 0; i < 3; ++i) idle.push_back(raw_client(""));
  EXPECT_TRUE(answer_to(ask_for("x")));
}

}  // namespace
}  // namespace ballot::io
