// What a runtime answers to questions of its control socket.
#include <algorithm>
#include <array>
#include <cstdio>

#include "base/wall_text.hpp"
#include "embedding_host.hpp"
#include "io/clocks.hpp"
#include "io/control_client.hpp"

namespace ballot {
namespace {

TEST_F(EmbeddingHost, TakesAChosenRunIdOfTheLastHourAndNoneOfTheTimeToCome) {
  RuntimeSettings with_socket = settings();
  with_socket.control_socket = folder_ / "host.sock";
  Runtime runtime(with_socket);
  ASSERT_TRUE(runtime.add({.name = "job", .function = just_works}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(leads(runtime));
  const auto error_of_id = [&](Millis ahead) {
    const auto made = (io::read_clocks().wall + ahead).time_since_epoch().count();
    std::array<char, 40> id{};
    std::snprintf(id.data(), id.size(), "%08llx-%04llx-7abc-8def-0123456789ab",
                  static_cast<unsigned long long>(made >> 16), static_cast<unsigned long long>(made & 0xffff));
    const auto answer =
        io::ask_once(with_socket.control_socket,
                     io::Message().set("do", "trigger").set("job", "job").set("run", std::string(id.data())), 20s);
    return answer ? "" : answer.error().what;
  };
  EXPECT_EQ(error_of_id(Millis(0)), "");
  EXPECT_EQ(error_of_id(Millis(45s)), "") << "clocks differ";
  EXPECT_EQ(error_of_id(-Millis(59min)), "");
  for (const Millis ahead : {Millis(61min), Millis(75s), Millis(-61min)})
    EXPECT_NE(error_of_id(ahead).find("not within the last hour by this node's clock: choose a new one"),
              std::string::npos)
        << error_of_id(ahead);
}

TEST_F(EmbeddingHost, SaysThatMoreSlotsFollowWhereAnyDo) {
  RuntimeSettings with_socket = settings();
  with_socket.control_socket = folder_ / "host.sock";
  Runtime runtime(with_socket);
  ASSERT_TRUE(runtime.add({.name = "yearly", .schedule = {"0 0 1 1 *"}, .function = just_works}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(leads(runtime));
  const auto says_more = [&](const char* from, const char* to, std::int64_t limit) {
    io::Message asked;
    asked.set("do", "slots").set("form", "shown").set("job", "yearly").set("limit", limit).set("scope", "node");
    asked.set("from", parse_wall(from)->time_since_epoch().count())
        .set("to", parse_wall(to)->time_since_epoch().count());
    const auto answer = io::ask_once(with_socket.control_socket, asked, 20s);
    EXPECT_TRUE(answer) << answer.error().what;
    return answer->flag("planned_more");
  };
  EXPECT_EQ(says_more("2200-01-01T00:00:00Z", "2203-06-01T00:00:00Z", 3), true);
  EXPECT_EQ(says_more("2200-01-01T00:00:00Z", "2203-06-01T00:00:00Z", 4), false) << "these are all";
  EXPECT_EQ(says_more("2200-01-01T00:00:00Z", "9999-01-01T00:00:00Z", 1000), true) << "none is computed after 2399";
}

/// The slots that an answer in public form lists are its one line's: whoever carries it on carries no other.
TEST_F(EmbeddingHost, ListsTheFirstSlotsOfAllJobsWhereMoreAreDueThanItLists) {
  RuntimeSettings with_socket = settings();
  with_socket.control_socket = folder_ / "host.sock";
  Runtime runtime(with_socket);
  const std::vector<std::string> schedules = {"@every 5s",      "@every 7s",  "@every 9s", "*/10 * * * * *",
                                              "*/12 * * * * *", "@every 15s", "@every 20s"};
  for (std::size_t i = 0; i < schedules.size(); ++i)
    ASSERT_TRUE(runtime.add({.name = "job-" + std::to_string(i), .schedule = {schedules[i]}, .function = just_works}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(leads(runtime));
  const auto ask = [&](std::int64_t limit) {
    io::Message asked;
    asked.set("do", "next").set("form", "shown").set("for_ms", std::int64_t{3'600'000}).set("scope", "fleet");
    if (limit > 0) asked.set("limit", limit);
    auto answer = io::ask_once(with_socket.control_socket, asked, 20s);
    EXPECT_TRUE(answer) << answer.error().what;
    return answer ? *answer : io::Message();
  };
  for (const std::int64_t limit : {0, 500, 250, 1}) {
    const io::Message answer = ask(limit);
    std::vector<std::string> slots;
    for (const io::Message& slot : answer.objects("slots")) slots.push_back(*slot.text("slot"));
    EXPECT_EQ(slots.size(), limit == 0 ? 1000U : static_cast<std::size_t>(limit));
    EXPECT_TRUE(std::is_sorted(slots.begin(), slots.end())) << limit;
    EXPECT_EQ(answer.flag("left_out"), true) << limit;
  }
}

TEST_F(EmbeddingHost, ListsOfAJobWhosePauseEndsTheSlotsAfterThat) {
  RuntimeSettings with_socket = settings();
  with_socket.control_socket = folder_ / "host.sock";
  Runtime runtime(with_socket);
  ASSERT_TRUE(runtime.add({.name = "trim", .schedule = {"* * * * *"}, .function = just_works}));
  ASSERT_TRUE(runtime.start());
  ASSERT_TRUE(leads(runtime));
  const auto ask = [&](io::Message asked) {
    auto answer = io::ask_once(with_socket.control_socket, asked, 20s);
    EXPECT_TRUE(answer) << answer.error().what;
    return answer ? *answer : io::Message();
  };
  const auto first = [&] {
    io::Message asked;
    asked.set("do", "next").set("form", "shown").set("for_ms", std::int64_t{2 * 3'600'000}).set("scope", "fleet");
    const auto slots = ask(asked).objects("slots");
    return slots.empty() ? std::nullopt : parse_wall(slots.front().text("slot").value_or(""));
  };
  const auto now = std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
  EXPECT_LT(*first(), now + 3min);
  ask(io::Message().set("do", "pause_with_terms").set("job", "trim").set("for", "1h"));
  const auto after = first();
  ASSERT_TRUE(after);
  EXPECT_GT(*after, now + 1h);
  EXPECT_LT(*after, now + 1h + 3min);
  ask(io::Message().set("do", "pause").set("job", "trim"));
  EXPECT_FALSE(first()) << "somebody has to resume";
}

}  // namespace
}  // namespace ballot
