#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/wait_notice.hpp"

namespace ballot::support {
namespace {

struct Waits : ::testing::Test, Host {
  void post(BackendEvent) noexcept override {}
  void log(Level, std::string_view text) noexcept override { lines.emplace_back(text); }

  std::vector<std::string> lines, posted;
  WaitNotice notice{*this, [this](Event event) {
                      const auto& vacancy = std::get<backend::Vacancy>(event);
                      posted.push_back(vacancy.group + (vacancy.is_vacant ? " is vacant" : " is led"));
                    }};
};

TEST_F(Waits, ForALeaderAreLoggedOnceAndSoIsAnother) {
  for (int i = 0; i < 2; ++i) notice.waits("g", "n1", "the leader");
  notice.waits("g", "n2", "the leader");
  EXPECT_EQ(lines,
            (std::vector<std::string>{"group g: waits for n1, the leader", "group g: waits for n2, the leader"}));
  EXPECT_TRUE(posted.empty()) << "a group counts as led";
}

TEST_F(Waits, PostAVacancyWhenItBeginsAndWhenAnotherLeads) {
  for (int i = 0; i < 3; ++i) notice.vacant("g");
  notice.waits("g", "n1", "the leader");
  notice.waits("g", "n1", "the leader");
  notice.vacant("g");
  EXPECT_EQ(posted, (std::vector<std::string>{"g is vacant", "g is led", "g is vacant"}));
}

TEST_F(Waits, PostNothingOfAGroupThatThisSessionLeads) {
  notice.vacant("g");
  notice.over("g");
  notice.waits("g", "n1", "the leader");
  EXPECT_EQ(posted, (std::vector<std::string>{"g is vacant"})) << "Elected says it";
}

}  // namespace
}  // namespace ballot::support
