// `ballot info` and `ballot election list` and `watch` on a real ZooKeeper server: what they show of an election in
// each state that it can be in, and that they are in nobody's way.
#include <atomic>
#include <boost/json.hpp>
#include <cctype>
#include <deque>
#include <regex>
#include <set>
#include <thread>

#include "integration/elections/zookeeper_elections.hpp"

namespace ballot::testing {
namespace {

namespace json = boost::json;
using Names = std::set<std::string>;

struct InfoOnZookeeper : ElectionsOnZookeeper {
  InfoOnZookeeper() : ElectionsOnZookeeper(4s) {}

  CandidateProcess& add(const std::string& name, Arguments flags = {}) {
    flags.insert(flags.end(), {"--log-level", "debug"});
    return all.emplace_back(folder, once(name, flags, shell(until_ended())));
  }
  /// The first one leads, the others queue behind it in this order.
  void start(const Arguments& names) {
    for (const std::string& name : names) {
      add(name);
      ASSERT_TRUE(wait_until([&] { return place.queue("default").size() == all.size(); }));
    }
    ASSERT_TRUE(folder.wait_until_said("START"));
  }
  json::object info(const std::string& group = "default") const {
    const Ran ran = ballot({"info", group, "--format", "json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    json::error_code error;
    const json::value parsed = json::parse(ran.out, error);
    EXPECT_FALSE(error) << ran.out;
    return parsed.is_object() ? parsed.as_object() : json::object();
  }
  static std::string text(const json::value& object, const char* name) {
    return json::value_to<std::string>(object.at(name));
  }
  /// Without the times in them.
  static Arguments notes(const json::value& of) {
    Arguments all;
    for (const json::value& note : of.at("notes").as_array())
      all.push_back(
          std::regex_replace(json::value_to<std::string>(note), std::regex("\\b([0-9]+(w|d|h|ms|m|s))+\\b"), "D"));
    return all;
  }
  static bool has(const Arguments& notes, const std::string& note) {
    return std::find(notes.begin(), notes.end(), note) != notes.end();
  }
  static void add_names(const json::value& of, Names& names) {
    if (const auto* items = of.if_array())
      for (const json::value& item : *items) add_names(item, names);
    if (const auto* fields = of.if_object())
      for (const auto& [name, value] : *fields) names.insert(std::string(name)), add_names(value, names);
  }
  static std::string snake_case(const std::string& name) {
    std::string snake;
    for (const char c : name)
      if (std::isupper(static_cast<unsigned char>(c)))
        (snake += '_') += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else
        snake += c;
    return snake;
  }
  static Names names_in_yaml(const std::string& text) {
    Names names;
    const std::regex name("(^|\n)[ -]*([A-Za-z]+):");
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
      names.insert(snake_case((*at)[2]));
    return names;
  }

  std::deque<CandidateProcess> all;
};

const Arguments healthy{"last heartbeat D ago", "proposal node created D ago"};

TEST_F(InfoOnZookeeper, IsEmptyWhereNobodyEverWas) {
  EXPECT_EQ(info(), json::object());
  EXPECT_EQ(ballot({"info", "default"}).out, "{}\n");
  EXPECT_EQ(ballot({"election", "list", "--format", "json"}).out, "[]\n");
  start({"a"});
  EXPECT_EQ(info("nobody"), json::object());
}

TEST_F(InfoOnZookeeper, ShowsTheLeaderAndTheQueueInItsOrderWithTheSameNamesInBothFormatsButForTheirForm) {
  start({"a", "b", "c"});
  const json::object found = info();
  EXPECT_EQ(text(found, "group"), "default");
  EXPECT_EQ(text(found, "backend"), "zookeeper");
  EXPECT_EQ(std::to_string(found.at("epoch").to_number<std::uint64_t>()), field(start_of(0), 4));
  const json::value& leader = found.at("leader");
  EXPECT_EQ(text(leader, "node"), "a");
  EXPECT_EQ(leader.at("pid").to_number<pid_t>(), all[0].pid());
  EXPECT_EQ(text(leader, "session_timeout"), "4s");
  EXPECT_NE(text(leader, "host"), "");
  EXPECT_EQ(notes(leader), (Arguments{"is leader", "last heartbeat D ago"}));
  const json::array& queue = found.at("all_candidates").as_array();
  ASSERT_EQ(queue.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(text(queue[i], "node"), std::string(1, static_cast<char>('a' + i)));
  EXPECT_EQ(notes(queue[0]), (Arguments{"this candidate id claimed leadership", healthy[0], healthy[1]}));
  EXPECT_EQ(notes(queue[1]), healthy);
  EXPECT_EQ(notes(queue[2]), healthy);
  Names names;
  add_names(found, names);
  EXPECT_EQ(names_in_yaml(ballot({"info", "default"}).out), names);
}

TEST_F(InfoOnZookeeper, ShowsThatNobodyLeadsDuringAHandOver) {
  start({"a", "b"});
  all[1].send(SIGSTOP);
  all[0].stop(SIGTERM);
  const json::object found = info();
  all[1].send(SIGCONT);
  EXPECT_TRUE(found.at("leader").is_null());
  const json::array& queue = found.at("all_candidates").as_array();
  ASSERT_EQ(queue.size(), 1u);
  EXPECT_EQ(text(queue[0], "node"), "b");
  EXPECT_EQ(notes(queue[0]), (Arguments{"election may be in progress",
                                        "possibly waiting for previous leader resignation", healthy[0], healthy[1]}));
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_EQ(text(info().at("leader"), "node"), "b");
}

/// An operator keeps the session of the dead one open, so that its node stays for longer than its heartbeat.
TEST_F(InfoOnZookeeper, ShowsACrashedLeaderAndThatItIsSilent) {
  start({"a", "b"});
  const clientid_t session = session_in(folder.folder / "state/zookeeper-ballot-a@default.session");
  kill_with_guard(all[0]);
  const Millis killed = wall_now();
  {
    const ZookeeperClient keeps_open(place.server().address(), &session);
    const json::object soon = info();
    EXPECT_EQ(text(soon.at("leader"), "node"), "a") << "its session has not expired";
    ASSERT_TRUE(wait_until_time(killed + 4s));
    const json::object late = info();
    EXPECT_EQ(notes(late.at("leader")),
              (Arguments{"is leader", "last heartbeat D ago", "possibly resigning", "election may be in progress"}))
        << json::serialize(late);
    const json::array& queue = late.at("all_candidates").as_array();
    ASSERT_EQ(queue.size(), 2u);
    EXPECT_EQ(notes(queue[0]), (Arguments{"this candidate id claimed leadership", "possibly resigning", healthy[0],
                                          "gone", healthy[1]}));
    EXPECT_EQ(notes(queue[1]), healthy);
    EXPECT_EQ(folder.said("START").size(), 1u);
  }
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_EQ(text(info().at("leader"), "node"), "b");
}

TEST_F(InfoOnZookeeper, ShowsAnEntryThatCannotBeReadAndWhoLeadsAllTheSame) {
  start({"a"});
  ZookeeperClient operator_(place.server().address());
  ASSERT_EQ(operator_.create(place.path("e/default/dead-0000000099"), ZOO_PERSISTENT, "{\"id\": 7}"), ZOK);
  const json::array behind = info().at("all_candidates").as_array();
  ASSERT_EQ(behind.size(), 2u);
  EXPECT_EQ(notes(behind[1]), Arguments{"unparseable"});
  EXPECT_EQ(text(behind[1], "id"), "dead");
  EXPECT_TRUE(behind[1].at("proposal_time").is_null());
  ASSERT_EQ(operator_.create(place.path("e/default/beef--0000000001")), ZOK);
  const json::object found = info();
  ASSERT_TRUE(found.at("leader").is_object());
  EXPECT_EQ(text(found.at("leader"), "node"), "a");
  const json::array& queue = found.at("all_candidates").as_array();
  ASSERT_EQ(queue.size(), 3u);
  EXPECT_EQ(notes(queue[0]), (Arguments{"should be leader but another candidate is claiming the role",
                                        "possibly waiting for previous leader resignation", "unparseable"}));
  EXPECT_EQ(text(queue[1], "node"), "a");
}

TEST_F(InfoOnZookeeper, ShowsHowFarACandidatesClockIsFromTheStores) {
  start({"a"});
  ZookeeperClient operator_(place.server().address());
  ASSERT_EQ(operator_.create(place.path("e/default/beef-0000000099"), ZOO_PERSISTENT,
                             "b " + std::to_string((wall_now() - 1h).count())),
            ZOK);
  const json::array queue = info().at("all_candidates").as_array();
  ASSERT_EQ(queue.size(), 2u);
  EXPECT_FALSE(has(notes(queue[0]), "time drift of D between it and the store"));
  EXPECT_TRUE(has(notes(queue[1]), "time drift of D between it and the store")) << json::serialize(queue[1]);
}

/// What is listed has gone when it is read.
TEST_F(InfoOnZookeeper, LeavesOutWhatVanishesMeanwhile) {
  start({"a"});
  std::atomic<bool> stop{false};
  std::thread comes_and_goes([&] {
    ZookeeperClient operator_(place.server().address());
    for (int i = 0; !stop; ++i) {
      const std::string path = place.path("e/default/beef-" + std::to_string(100 + i));
      operator_.create(path, ZOO_PERSISTENT, "b 1");
      operator_.remove(path);
    }
  });
  for (int round = 0; round < 20; ++round) {
    const json::object found = info();
    EXPECT_EQ(text(found.at("leader"), "node"), "a");
    EXPECT_LE(found.at("all_candidates").as_array().size(), 2u);
  }
  stop = true;
  comes_and_goes.join();
}

TEST_F(InfoOnZookeeper, ShowsTheTimeoutThatTheServerGrants) {
  CandidateProcess& a = add("a", {"--session-timeout", "1m"});
  ASSERT_TRUE(folder.wait_until_said("START"));
  EXPECT_EQ(text(info().at("leader"), "session_timeout"), "20s");
  const std::string warning = "session_timeout is 20000 ms and not 60000 ms";
  EXPECT_EQ(a.count(warning), 1u);
  const Ran warned = ballot({"info", "default", "--format", "json", "--session-timeout", "1m"});
  EXPECT_NE(warned.err.find(warning), std::string::npos);
  EXPECT_TRUE(json::parse(warned.out).is_object()) << "a warning is not in its way";
}

TEST_F(InfoOnZookeeper, DisturbsNobody) {
  start({"a", "b"});
  const Arguments queue = place.queue("default");
  for (int round = 0; round < 20; ++round) EXPECT_EQ(info().at("all_candidates").as_array().size(), 2u);
  EXPECT_EQ(ballot({"election", "list", "^d", "--format", "csv"}).out.find("group,leader,epoch,candidates"), 0u);
  EXPECT_EQ(place.queue("default"), queue);
  for (const CandidateProcess& one : all) EXPECT_EQ(one.count("leads no more") + one.count("election failed"), 0u);
  EXPECT_EQ(folder.said("START").size(), 1u);
}

TEST_F(InfoOnZookeeper, SaysThatTheStoreCannotBeReachedAndPrintsNothingElse) {
  const ReservedPort nobodys;
  const std::string dead = "127.0.0.1:" + std::to_string(nobodys.number());
  for (const Arguments& command :
       {Arguments{"info", "default"}, {"election", "list"}, {"election", "watch", "default"}}) {
    Arguments away = command;
    away.insert(away.end(), {"--zookeeper-servers", dead, "--session-timeout", "2s"});
    const Ran ran = ballot(away);
    EXPECT_EQ(ran.code, 69) << command[0];
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find(dead), std::string::npos) << ran.err;
  }
  place.server().freeze();
  const Ran frozen = ballot({"info", "default"});
  place.server().thaw();
  EXPECT_EQ(frozen.code, 69);
  EXPECT_EQ(frozen.out, "");
}

TEST_F(InfoOnZookeeper, SaysThatItIsNotPermittedAndNotThatThereAreNone) {
  const std::string password = folder.folder.write("password", "x\n");
  std::filesystem::permissions(password, std::filesystem::perms::owner_read);
  Arguments own = once("a", {"--namespace", "own", "--on-child-success", "exit"}, {"/bin/true"});
  own.insert(own.begin(), BALLOT_PROGRAM);
  own.insert(own.begin() + 3, {"--config", folder.config()});
  ASSERT_EQ(run_program(own, {"BALLOT_ZOOKEEPER_AUTH=digest:u:" + password}).code, 0);
  for (const Arguments& command :
       {Arguments{"info"}, {"info", "default"}, {"election", "list"}, {"election", "watch", "default"}}) {
    Arguments others = command;
    others.insert(others.end(), {"--namespace", "own"});
    const Ran ran = ballot(others);
    EXPECT_EQ(ran.code, 1) << command[0];
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("auth"), std::string::npos) << ran.err;
  }
}

struct WatchOnZookeeper : InfoOnZookeeper {
  /// Without the time.
  std::string line() {
    const std::string text = watch.line();
    return text.substr(std::min(text.find(',') + 1, text.size()));
  }
  static std::string shows(const std::string& leader, const std::string& epoch, const std::string& followers) {
    return "default," + leader + "," + epoch + "," + followers;
  }

  TcpRelay relay{place.server().port()};
  Running watch{{BALLOT_PROGRAM, "election", "watch", "default", "--format", "csv", "--config", folder.config(),
                 "--zookeeper-servers", place.at(relay.address())}};
};

TEST_F(WatchOnZookeeper, PrintsEachChangeOnce) {
  EXPECT_EQ(line(), "group,leader,epoch,followers");
  EXPECT_EQ(line(), shows("", "", ""));
  start({"a"});
  const std::string first = field(start_of(0), 4);
  for (std::string seen; (seen = line()) != shows("a", first, "");) ASSERT_EQ(seen, shows("", "", "a"));
  add("b");
  EXPECT_EQ(line(), shows("a", first, "b"));
  all[0].stop(SIGTERM);
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  const std::string second = field(start_of(1), 4);
  for (std::string seen; (seen = line()) != shows("b", second, "");) ASSERT_EQ(seen, shows("", first, "b"));
}

TEST_F(WatchOnZookeeper, GoesOnWhereItsConnectionBreaksOrHangsForLessThanItsTimeout) {
  line();
  line();
  start({"a"});
  const std::string epoch = field(start_of(0), 4);
  while (line() != shows("a", epoch, "")) continue;
  relay.break_connections();
  add("b");
  EXPECT_EQ(line(), shows("a", epoch, "b"));
  relay.cut();
  const Millis cut = wall_now();
  add("c");
  ASSERT_TRUE(wait_until_time(cut + 2s));
  relay.heal();
  EXPECT_EQ(line(), shows("a", epoch, "b c")) << "nothing twice, and nothing is lost";
}

}  // namespace
}  // namespace ballot::testing
