// JobTree: in which order jobs are listed, and how far each is indented, so that one sees what comes after what.
//
//   a job that comes after                                 | is listed
//   none, or none of those in the list                     | in its place in the list
//   others                                                 | below the first of them that is in the list, a step
//   further
//
// Each job is listed once, also where it comes after several.
//
// Pure.
//
//   for (const TreePlace& one : job_tree(jobs)) print(std::string(2 * one.depth, ' ') + jobs[one.job].name);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ballot::app {

struct ListedJob {
  std::string name;
  std::vector<std::string> after;
};

struct TreePlace {
  std::size_t job = 0;  // in the list
  std::size_t depth = 0;
  bool says_all = true;  // where it stands says all that it comes after
};

/// `jobs`: each name once.
std::vector<TreePlace> job_tree(const std::vector<ListedJob>& jobs);

}  // namespace ballot::app
