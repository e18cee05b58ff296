// Chains: which jobs come `after` which, as this node's files define them.
//
//   chains.define("load", {&extract, &clean});   // after = ["extract", "clean"]
//   for (const JobMachine* parent : chains.parents("load")) ...
//
// Pure. Knows names and whom they are of; used by Core, and by jobs through their Context.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace ballot::core {

class JobMachine;

class Chains {
 public:
  using Jobs = std::vector<const JobMachine*>;

  /// As the definition has it; none: it comes after no job, or is not defined. Whom it points to outlives it.
  void define(const JobMachine& job, Jobs parents);

  /// The jobs that it comes after, in the order of its file.
  const Jobs& parents(const std::string& job) const { return of(job).parents; }
  /// The jobs that come after it.
  const Jobs& children(const std::string& job) const { return of(job).children; }

 private:
  struct Links {
    Jobs parents, children;
  };
  const Links& of(const std::string& job) const;

  std::unordered_map<std::string, Links> links_;  // of jobs that have any
};

}  // namespace ballot::core
