// AskTheFleet: three real daemons with an API each, on a store that other hosts reach: what one of them says of all.
//
//   configure("n1", one), configure("n2", two), configure("n3", three);
//   fleet.job("tick", "schedule = \"* * * * * *\"\n" + fleet.oracle.command({"--for", "50ms"}));
//   fleet.start();
//   EXPECT_EQ(fleet["n3"].ballot({"output", "tick"}).code, 0);
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <regex>
#include <set>

#include "base/random.hpp"
#include "base/wall_text.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/reserved_port.hpp"
#include "support/servers/web_client.hpp"

namespace ballot::testing {

namespace asking {
inline constexpr const char* token = "a-token-of-this-test-that-is-long-enough-to-be-one";
inline constexpr const char* token_sha256 = "af27729467634524ae8515ccf686d2b4500895a58f23cc09709fab7bbd9923ac";
inline constexpr const char* operator_token = "a-token-of-an-operator-that-is-long-enough-to-be-one";
inline constexpr const char* operator_sha256 = "8ad5ccdb37c9e6452e9011f248946ed9e556d0b0e138162fea00b0b23159cede";
}  // namespace asking

class AskTheFleet : public ::testing::Test {
 protected:
  ~AskTheFleet() override {
    if (HasFailure()) std::cout << fleet.logs();
  }
  void configure(const std::string& node, const ReservedPort& port) {
    BallotDaemon& daemon = fleet[node];
    for (const auto& [name, text] :
         {std::pair<std::string, std::string>("tokens", std::string("fleet viewer ") + asking::token_sha256 +
                                                            "\nnight operator " + asking::operator_sha256),
          {"token", asking::token}}) {
      const std::string path = daemon.folder.write(name, text + "\n");
      std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }
    daemon.configure("[http]\nlisten = \"127.0.0.1:" + std::to_string(port.number()) + "\"\ntokens = \"" +
                     (daemon.folder / "tokens") + "\"\n[fleet]\ntoken_file = \"" + (daemon.folder / "token") + "\"\n");
  }
  /// Slots of `tick` as the JSON of a command names them, each as often as it is there.
  static std::multiset<std::string> slots_in(const std::string& json) {
    static const std::regex slot(R"re("slot":"([^"]*)")re");
    std::multiset<std::string> slots;
    for (auto at = std::sregex_iterator(json.begin(), json.end(), slot); at != std::sregex_iterator(); ++at)
      slots.insert((*at)[1]);
    return slots;
  }
  /// A schedule that is due then, and not again today.
  static std::string cron_of(WallTime at) {
    const std::chrono::hh_mm_ss time(at - std::chrono::floor<std::chrono::days>(at));
    return std::to_string(time.seconds().count()) + " " + std::to_string(time.minutes().count()) + " " +
           std::to_string(time.hours().count()) + " * * *";
  }
  static std::size_t count_of(const std::string& node, const Reports& all) {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Report& report) {
      return report.node == node && report.job == "tick" && report.ended;
    }));
  }
  std::size_t runs_of(const std::string& node) { return count_of(node, fleet.oracle.reports()); }
  bool has_run(const std::string& node, std::size_t count) {
    return fleet.oracle.wait_until([&](const Reports& all) { return count_of(node, all) >= count; });
  }

  /// Asks again until the command prints that, at most for a minute. What it printed last, and its errors.
  std::string asked_until(const std::string& node, const std::vector<std::string>& command, const std::string& text) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    Ran ran;
    do ran = fleet[node].ballot(command);
    while (ran.out != text && std::chrono::steady_clock::now() < until);
    return ran.out + (ran.out == text ? "" : ran.err);
  }

  Running follows(const std::string& node, const std::string& job) {
    return Running({BALLOT_PROGRAM, "output", job, "--follow", "--config", fleet[node].folder / "ballot.toml"});
  }

  static std::string jobs_by_api(const ReservedPort& port, const std::string& scope) {
    return WebClient(port.number())
        .ask("GET /api/v1/jobs?scope=" + scope, {std::string("Authorization: Bearer ") + asking::token})
        .body;
  }

  static std::string by_api(const ReservedPort& port, const std::string& what) {
    return WebClient(port.number())
        .ask("GET /api/v1/" + what, {std::string("Authorization: Bearer ") + asking::token})
        .body;
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  /// When a node was last heard of, by JSON of a command or of the API: in an object that names the node.
  static std::string heard_in(const std::string& json, const std::string& node) {
    static const std::regex object(R"re(\{[^{}]*\})re"), heard(R"re("last_heard":"([^"]*)")re");
    for (auto at = std::sregex_iterator(json.begin(), json.end(), object); at != std::sregex_iterator(); ++at) {
      const std::string text = at->str();
      std::smatch found;
      const bool is_node = contains(text, R"("node":")" + node) || contains(text, R"("missing":")" + node);
      if (is_node && std::regex_search(text, found, heard)) return found[1];
    }
    return {};
  }

  static WebClient::Answer trigger(const ReservedPort& port, const std::string& job, const RunId& id) {
    return WebClient(port.number())
        .ask("PUT /api/v1/runs/" + id.text(), {std::string("Authorization: Bearer ") + asking::operator_token},
             R"({"job":")" + job + R"("})");
  }
  static int status_of_run(const ReservedPort& port, const RunId& id) {
    return WebClient(port.number())
        .ask("GET /api/v1/runs/" + id.text(), {std::string("Authorization: Bearer ") + asking::token})
        .status;
  }

  static RunId new_id() {
    static Random random(std::random_device{}());
    return random.run_id(WallTime(std::chrono::floor<Millis>(std::chrono::system_clock::now())));
  }
  /// A run of `hand` on n1, which is dead, is asked for again when the job's register has forgotten it.
  void expect_no_second_run(const RunId& run) {
    for (int i = 0; i < 9; ++i) {
      const RunId another = new_id();
      WebClient::Answer answer;
      EXPECT_TRUE(wait_until([&] { return (answer = trigger(three, "hand", another)).status < 300; })) << answer.body;
      EXPECT_TRUE(wait_until([&] { return status_of_run(three, another) == 200; }));
    }
    // The register may not show yet that the newer ones are closed: then it has the run still.
    const WebClient::Answer again = trigger(three, "hand", run);
    EXPECT_NE(again.body.find(again.status == 503 ? "not all ledgers have answered" : R"("created":false)"),
              std::string::npos)
        << again.status << " " << again.body;
    for (const std::string node : {"n2", "n3"})
      for (const Row& row : fleet[node].rows("hand")) EXPECT_NE(row.run, run);
  }

  /// Two nodes are asked for one run at once: both say that it is there, without waiting for each other's time to pass.
  void expect_one_run_of_two_askers() {
    const RunId chosen = Random(8).run_id(WallTime(std::chrono::floor<Millis>(std::chrono::system_clock::now())));
    const auto begin = std::chrono::steady_clock::now();
    auto elsewhere = std::async(std::launch::async, [&] { return trigger(three, "hand", chosen); });
    const WebClient::Answer answers[] = {trigger(two, "hand", chosen), elsewhere.get()};
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(25)) << "a request's time is 30 s";
    int made = 0;
    for (const WebClient::Answer& answer : answers) {
      EXPECT_TRUE(answer.status == 200 || answer.status == 201) << answer.status << " " << answer.body;
      made += answer.status == 201;
    }
    EXPECT_LE(made, 1);
    EXPECT_TRUE(wait_until([&] { return fleet["n1"].rows("hand").size() == 2; }));
  }

  /// n1, which has the only row of that run, was stopped: no answer leaves its ledger out without a word.
  void expect_lacks_n1(const std::string& node, const Row& row) {
    const Ran history = fleet[node].ballot({"history"});
    EXPECT_TRUE(contains(history.err, "n1")) << node << ": " << history.out << history.err;
    const Ran of_run = fleet[node].ballot({"why", row.run->text()});
    EXPECT_EQ(of_run.code, 69) << node << ": " << of_run.out << of_run.err;
    EXPECT_TRUE(contains(of_run.err, "n1")) << node << ": " << of_run.err;
    const Ran of_slot = fleet[node].ballot({"why", row.job, "--at", format_slot(row.slot)});
    EXPECT_TRUE(contains(of_slot.out + of_slot.err, "n1")) << node << ": " << of_slot.out << of_slot.err;
    const Ran backfill = fleet[node].ballot({"backfill", row.job, "--since", "1m"});
    EXPECT_EQ(backfill.code, 69) << node << ": " << backfill.out << backfill.err;
    EXPECT_TRUE(contains(backfill.err, "n1")) << node << ": " << backfill.err;
  }

  /// What a node that lives says while n1 is dead.
  void expect_answers(const std::string& node, const std::string& leader) {
    const Ran history = fleet[node].ballot({"history", "--job", "long,tick", "--format", "json", "--limit", "1000"});
    EXPECT_EQ(history.code, 0) << history.err;
    EXPECT_NE(history.err.find("node n1 has not answered"), std::string::npos) << history.err;
    EXPECT_NE(history.out.find("{\"missing\":\"n1\",\"last_heard\":\"2"), std::string::npos) << history.out;
    EXPECT_NE(history.out.find("\"evidence\":\"store\""), std::string::npos)
        << node << " does not show what the register says of the run on n1:\n"
        << history.out;
    expect_each_once(history.out, [](const Report& report) { return report.node != "n1"; });
    const Ran why = fleet[node].ballot({"why", "long"});
    EXPECT_EQ(why.code, 0) << why.err;
    EXPECT_NE(why.out.find("claimed by node n1"), std::string::npos) << why.out;
    const Ran output = fleet[node].ballot({"output", "long"});
    EXPECT_EQ(output.code, 69) << output.out;
    EXPECT_NE(output.err.find("n1"), std::string::npos) << output.err;
    const Ran next = fleet[node].ballot({"next", "--for", "10s", "--job", "tick", "--format", "json"});
    EXPECT_EQ(next.code, 0) << next.err;
    const auto to_come = slots_in(next.out);
    EXPECT_GE(to_come.size(), 8U) << next.out << next.err;
    EXPECT_EQ(to_come.size(), std::set<std::string>(to_come.begin(), to_come.end()).size()) << next.out;
    EXPECT_NE(next.out.find("\"node\":\"" + leader + "\""), std::string::npos) << next.out;
    EXPECT_EQ(next.out.find("\"node\":\"n1\""), std::string::npos) << next.out;
  }
  /// How the run of `dawn` on n1 ended, which is dead.
  void expect_failed_by_the_store(const std::string& node) {
    const Ran why = fleet[node].ballot({"why", "dawn"});
    EXPECT_NE(why.out.find("failed: exit_code"), std::string::npos) << why.out << why.err;
    EXPECT_NE(why.out.find("(by the store's register; the node that ran it, n1, does not answer)"), std::string::npos)
        << why.out;
    const Ran failed = fleet[node].ballot({"history", "--status", "failed", "--format", "json"});
    EXPECT_NE(failed.out.find("\"job\":\"dawn\""), std::string::npos) << failed.out;
    EXPECT_NE(failed.out.find("\"evidence\":\"store\""), std::string::npos) << failed.out;
    const Ran jobs = fleet[node].ballot({"jobs", "dawn"});
    EXPECT_NE(jobs.out.find("failed: exit_code (store)"), std::string::npos) << jobs.out << jobs.err;
  }
  /// No slot of `tick` is there twice, and each is that such a node has executed a second ago or before.
  void expect_each_once(const std::string& json, const std::function<bool(const Report&)>& is_asked_for) {
    const auto slots = slots_in(json);
    EXPECT_EQ(slots.size(), std::set<std::string>(slots.begin(), slots.end()).size()) << "a slot is shown twice:\n"
                                                                                      << json;
    for (const Report& report : asked_before) {
      if (!(report.job == "tick" && report.ended && is_asked_for(report))) continue;
      EXPECT_TRUE(slots.contains(format_slot(report.slot))) << format_slot(report.slot) << " is missing:\n" << json;
    }
  }
  /// The token by which nodes ask each other is in files of its own alone.
  void expect_no_token() {
    EXPECT_EQ(fleet.logs().find(asking::token), std::string::npos);
    for (const std::string node : {"n1", "n2", "n3"})
      for (const char* file : {"cmdline", "environ"})
        EXPECT_EQ(proc_text(fleet[node].pid(), file).find(asking::token), std::string::npos) << node << " " << file;
  }

  Fleet fleet{{"n1", "n2", "n3"}};
  Reports asked_before;  // runs of which any answer has to know
  ReservedPort one, two, three;
};

}  // namespace ballot::testing
