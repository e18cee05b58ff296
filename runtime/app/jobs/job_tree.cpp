#include "app/jobs/job_tree.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace ballot::app {
namespace {

class Tree {
 public:
  explicit Tree(const std::vector<ListedJob>& jobs) : jobs_(jobs), children_(jobs.size()), seen_(jobs.size()) {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < jobs.size(); ++i) places.emplace(jobs[i].name, i);
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto& after = jobs[i].after;
      const auto parent =
          std::find_if(after.begin(), after.end(), [&](const auto& one) { return places.contains(one); });
      (parent == after.end() ? first : children_[places.at(*parent)]).push_back(i);
    }
    for (const std::size_t job : first) add(job, 0);
    for (std::size_t i = 0; i < jobs.size(); ++i) add(i, 0);  // of a circle, as files of two versions may have one
  }

  std::vector<TreePlace> take() { return std::move(places_); }

 private:
  void add(std::size_t first, std::size_t depth) {
    std::vector<TreePlace> left{{first, depth}};
    while (!left.empty()) {
      TreePlace one = left.back();
      left.pop_back();
      if (seen_[one.job]) continue;
      seen_[one.job] = true;
      one.says_all = jobs_[one.job].after.size() == (one.depth == 0 ? 0 : 1);
      places_.push_back(one);
      const auto& children = children_[one.job];
      for (auto child = children.rbegin(); child != children.rend(); ++child) left.push_back({*child, one.depth + 1});
    }
  }

  const std::vector<ListedJob>& jobs_;
  std::vector<std::vector<std::size_t>> children_;  // by the job that they are listed below
  std::vector<bool> seen_;
  std::vector<TreePlace> places_;
};

}  // namespace

std::vector<TreePlace> job_tree(const std::vector<ListedJob>& jobs) { return Tree(jobs).take(); }

}  // namespace ballot::app
