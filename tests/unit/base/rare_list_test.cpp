#include "base/rare_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ballot {
namespace {

using List = RareList<std::string>;

TEST(RareList, TakesAPointerWhereItIsEmpty) { EXPECT_EQ(sizeof(List), sizeof(void*)); }

TEST(RareList, IsAListToWhoeverUsesIt) {
  List list{"b", "c"};
  list.push_back("a");
  list.push_back(list.front());
  std::sort(list.begin(), list.end());
  EXPECT_EQ(list, (std::vector<std::string>{"a", "b", "b", "c"}));
  EXPECT_EQ(list.size(), 4u);
  EXPECT_EQ(list[1], "b");
  EXPECT_EQ(list.back(), "c");
  list.erase(list.begin());
  EXPECT_EQ(erase_if(list, [](const std::string& one) { return one == "b"; }), 2u);
  EXPECT_EQ(list, List{"c"});
}

TEST(RareList, IsEmptyWhicheverWayItBecameSo) {
  List erased{"a"}, filtered{"a"}, cleared{"a"}, moved{"a"};
  erased.erase(erased.begin(), erased.end());
  erase_if(filtered, [](const std::string&) { return true; });
  cleared.clear();
  const List taken = std::move(moved);
  for (const List* list : {&erased, &filtered, &cleared}) {
    EXPECT_TRUE(list->empty());
    EXPECT_EQ(list->begin(), list->end());
    EXPECT_EQ(*list, List());
  }
  EXPECT_EQ(taken, List{"a"});
  EXPECT_TRUE(List(std::vector<std::string>()).empty());
}

TEST(RareList, IsCopiedWithItsOwner) {
  List list{"a"};
  List copy = list;
  copy.push_back("b");
  EXPECT_EQ(list, List{"a"});
  list = copy;
  EXPECT_EQ(list, (List{"a", "b"}));
}

}  // namespace
}  // namespace ballot
