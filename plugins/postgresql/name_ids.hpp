// NameIds: the numbers that names of jobs, groups and nodes have in the tables, and which jobs are of which groups, as
// far as this connection has seen them there. A new connection may be to a server that has forgotten some, so it begins
// anew.
//
//   names.learn({"backup", "nightly"});     // those that are new are written, in a transaction of their own
//   names.of("backup")
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "connection.hpp"

namespace ballot::postgresql {

class NameIds {
 public:
  /// The connection outlives it.
  explicit NameIds(Connection& connection) : connection_(connection) {}

  /// Requires: the connection is open.
  void learn(const std::set<std::string>& names);
  /// 0 for "". Requires: it was learnt.
  std::int32_t of(const std::string& name) const;

  /// Of a job and a group, whether they were not known to be together; from now on they are.
  bool is_new_pair(std::int32_t job, std::int32_t group) { return pairs_.emplace(job, group).second; }
  /// What was said to be known since may not have been written.
  void forget_pairs() { pairs_.clear(); }

 private:
  Connection& connection_;
  std::uint64_t generation_ = 0;
  std::unordered_map<std::string, std::int32_t> ids_;
  std::set<std::pair<std::int32_t, std::int32_t>> pairs_;
};

}  // namespace ballot::postgresql
