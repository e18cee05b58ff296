// What a runtime answers to questions of its control socket.
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

}  // namespace
}  // namespace ballot
