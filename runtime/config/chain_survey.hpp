// ChainSurvey: the chains of all jobs, each job looked at once: how long the longest row of jobs is that ends with it,
// whether it is in a circle, and whose schedule it has.
//
//   ChainSurvey survey(find);
//   survey.of("load").row          // 2: it comes after one that comes after none
//
// Work is linear in the names in `after`, however many ways lead from one job to another. Threads: one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schedule/definition.hpp"

namespace ballot::config {

/// The definition of a job by its common name, as its file has it; null: there is none.
using FindJob = std::function<schedule::DefinitionPtr(std::string_view)>;

class ChainSurvey {
 public:
  struct Place {
    schedule::DefinitionPtr job;    // null: no file defines it
    std::size_t row = 1;            // of so many jobs the longest row up to it; those of a circle count as none
    bool is_in_circle = false;      // it is waited for by one of those that it waits for
    schedule::DefinitionPtr first;  // whose schedule it has; null: it is not there, or in a circle
    bool is_enabled = true;         // the job is, and each one by way of which it has that schedule
  };

  /// `find` has the same answers as long as this is asked.
  explicit ChainSurvey(FindJob find) : find_(std::move(find)) {}

  /// By its common name.
  const Place& of(std::string_view name);
  const schedule::DefinitionPtr& job(std::string_view name) { return of(name).job; }
  /// Each of the two waits for the other.
  bool are_in_one_circle(std::string_view one, std::string_view other);

 private:
  struct Node {
    Place place;
    std::size_t order = 0, low = 0;  // by Tarjan's algorithm
    std::size_t circle = 0;          // the order of the first of its circle that was looked at; 0: it is in none
    bool is_open = true;             // its circle, if any, is not closed
  };
  struct Step {  // a job whose parents are being looked at
    Node* node;
    std::size_t next = 0;
  };

  Node& enter(std::string_view name);
  void close_circle(Node& root);
  void settle(Node& node, bool is_in_circle);

  FindJob find_;
  std::unordered_map<std::string, Node> nodes_;  // by common name
  std::vector<Step> way_;                        // from the job that was asked for
  std::vector<Node*> open_;
};

}  // namespace ballot::config
