// How much of everything there is, and who gives way.
#include "http/places.hpp"
#include "http/rates.hpp"
#include "http/route_table.hpp"

namespace ballot::web {
namespace {

SteadyTime at(int ms) { return SteadyTime(Millis(ms)); }

TEST(Rates, LetSoManyThroughAtOnceAndThenSoManyASecond) {
  Rates rates({.a_second = 10, .at_once = 3});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(rates.take("a", at(0)));
  EXPECT_FALSE(rates.take("a", at(0)));
  EXPECT_TRUE(rates.take("b", at(0))) << "another asker's are another's";
  EXPECT_FALSE(rates.take("a", at(99)));
  EXPECT_TRUE(rates.take("a", at(200)));
  EXPECT_TRUE(rates.take("a", at(200)));
  EXPECT_FALSE(rates.take("a", at(200)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(rates.take("a", at(1'000'000))) << "and never more at once";
  EXPECT_FALSE(rates.take("a", at(1'000'000)));
  EXPECT_FALSE(rates.take("a", at(0))) << "a clock that goes back gives nothing";
}

TEST(Rates, OfMoreAskersThanAreKeptAreOneTogether) {
  Rates rates({.a_second = 1, .at_once = 1});
  for (int i = 0; i < 4096; ++i) EXPECT_TRUE(rates.take(std::to_string(i), at(0)));
  EXPECT_TRUE(rates.take("one more", at(0)));
  EXPECT_FALSE(rates.take("and another", at(0)));
  EXPECT_TRUE(rates.take("later", at(5000))) << "who has asked nothing since is forgotten";
  EXPECT_TRUE(rates.take("later still", at(5000)));
}

class PlacesTest : public ::testing::Test {
 protected:
  static io::Asker asker(const std::string& key, bool is_own = false) { return {io::Role::viewer, key, key, is_own}; }
  HttpLimits limits_{.connections = 4, .requests = 6, .requests_of_asker = 2, .streams = 3, .kept_for_operators = 0};
  Places places_{limits_};
};

TEST_F(PlacesTest, AreGivenUpFirstByWhoHasMostAndHasWaitedLongest) {
  places_.add(1, "lone");
  places_.add(2, "many");
  places_.add(3, "many");
  EXPECT_FALSE(places_.is_full());
  places_.add(4, "many");
  EXPECT_TRUE(places_.is_full());
  EXPECT_EQ(places_.weakest(), 2u);
  places_.is_answered(2);
  EXPECT_EQ(places_.weakest(), 3u);
  places_.remove(3);
  places_.add(5, "third");
  EXPECT_EQ(places_.weakest(), 1u) << "of one each the oldest";
}

TEST_F(PlacesTest, OfWhoHasARoleAreGivenUpLastAndThoseThatAreAnsweredNever) {
  places_.add(1, "a");
  places_.add(2, "a");
  places_.waits(1, true);
  EXPECT_EQ(places_.weakest(), 2u);
  places_.is_answered(2);
  EXPECT_EQ(places_.weakest(), 1u);
  places_.is_answered(1);
  EXPECT_EQ(places_.weakest(), std::nullopt);
  places_.waits(2, false);
  EXPECT_EQ(places_.weakest(), 2u);
}

TEST_F(PlacesTest, ForRequestsAreSoManyForEachAndSoManyInAll) {
  using Admission = Places::Admission;
  EXPECT_EQ(places_.begin_request(asker("a"), true), Admission::begun);
  EXPECT_EQ(places_.begin_request(asker("a"), true), Admission::begun);
  EXPECT_EQ(places_.begin_request(asker("a"), true), Admission::too_many_of_asker);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(places_.begin_request(asker("own", true), true), Admission::begun);
  EXPECT_EQ(places_.begin_request(asker("own", true), true), Admission::too_many_of_asker);
  EXPECT_EQ(places_.begin_request(asker("b"), true), Admission::begun);
  EXPECT_EQ(places_.begin_request(asker("c"), true), Admission::too_many);
  places_.end_request(asker("a"));
  EXPECT_EQ(places_.begin_request(asker("c"), true), Admission::begun);
}

TEST_F(PlacesTest, ForRequestsOfWhoShowsNothingAreAtMostHalfOfAll) {
  using Admission = Places::Admission;
  for (const char* from : {"x", "y", "z"}) EXPECT_EQ(places_.begin_request(asker(from), false), Admission::begun);
  EXPECT_EQ(places_.begin_request(asker("w"), false), Admission::too_many);
  EXPECT_EQ(places_.begin_request(asker("a"), true), Admission::begun);
  places_.end_request(asker("x"));
  EXPECT_EQ(places_.begin_request(asker("w"), false), Admission::begun);
}

TEST_F(PlacesTest, ForRequestsAreKeptForOperatorsAndAdmins) {
  using Admission = Places::Admission;
  limits_.kept_for_operators = 2;
  io::Asker boss = asker("boss"), worker = asker("worker");
  boss.role = io::Role::admin;
  worker.role = io::Role::operator_;
  for (const char* viewer : {"a", "b", "c", "d"})
    EXPECT_EQ(places_.begin_request(asker(viewer), true), Admission::begun);
  EXPECT_EQ(places_.begin_request(asker("e"), true), Admission::too_many);
  EXPECT_EQ(places_.begin_request(boss, true), Admission::begun);
  EXPECT_EQ(places_.begin_request(worker, true), Admission::begun);
  EXPECT_EQ(places_.begin_request(worker, true), Admission::too_many);
  places_.end_request(boss);
  EXPECT_EQ(places_.begin_request(asker("e"), true), Admission::too_many);
  places_.end_request(asker("a"));
  EXPECT_EQ(places_.begin_request(asker("e"), true), Admission::begun);
}

TEST_F(PlacesTest, ForStreamsAreAPartOfThoseForRequests) {
  limits_.kept_for_operators = 1;
  io::Asker worker = asker("worker");
  worker.role = io::Role::operator_;
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(places_.begin_stream(asker("a")));
  EXPECT_FALSE(places_.begin_stream(asker("b")));
  EXPECT_TRUE(places_.begin_stream(worker));
  EXPECT_FALSE(places_.begin_stream(worker));
  places_.end_stream(asker("a"));
  EXPECT_TRUE(places_.begin_stream(worker)) << "what is kept is the least that they have";
  EXPECT_FALSE(places_.begin_stream(asker("b")));
}

TEST(RouteTable, TriesLiteralSegmentsFirstAndKnowsWhatAPathAllows) {
  const auto nothing = [](const ExchangePtr&) {};
  const RouteTable table({{Method::get, "/a/{x}", io::Role::viewer, nothing},
                          {Method::get, "/a/b", io::Role::viewer, nothing},
                          {Method::post, "/a/{y}/c", io::Role::admin, nothing},
                          {Method::delete_, "/a/{x}", io::Role::admin, nothing},
                          {Method::get, "/", io::Role::none, nothing}});
  EXPECT_EQ(table.find("GET", {"a", "b"}).route->path, "/a/b");
  EXPECT_EQ(table.find("GET", {"a", "q"}).parameters, (Pairs{{"x", "q"}}));
  EXPECT_EQ(table.find("DELETE", {"a", "b"}).parameters, (Pairs{{"x", "b"}})) << "for this method there is that one";
  EXPECT_EQ(table.find("POST", {"a", "1", "c"}).parameters, (Pairs{{"y", "1"}}));
  EXPECT_EQ(table.find("HEAD", {}).route->path, "/");
  EXPECT_EQ(table.find("POST", {"a", "b"}).route, nullptr);
  EXPECT_EQ(table.find("POST", {"a", "b"}).allow, "DELETE, GET, HEAD, OPTIONS");
  EXPECT_EQ(table.find("GET", {"a"}).allow, "");
  EXPECT_EQ(table.find("GET", {"a", "b", "d"}).allow, "");
}

}  // namespace
}  // namespace ballot::web
