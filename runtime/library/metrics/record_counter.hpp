// RecordCounter: counts what a node records, for its metrics. Each attempt, slot and election counts once over all
// nodes: where the node records it that executed, settled or won it. Of a run whose node is gone that is the leader,
// which records it as lost.
//
// Thread: the loop's.
//
//   RecordCounter counter("host-1", metrics);
//   node.add_observer(counter.observer());
#pragma once

#include <deque>
#include <set>
#include <string>
#include <utility>

#include "http/metrics.hpp"
#include "io/engine.hpp"

namespace ballot::library {

class RecordCounter {
 public:
  /// `metrics` outlives it.
  RecordCounter(std::string node, web::Metrics& metrics) : node_(std::move(node)), metrics_(metrics) {}

  void on_row(const core::RecordRow& record);
  void on_term(const core::RecordTerm& record);
  void on_notify(const core::Notify& notice);

  io::Engine::Observer observer();

 private:
  bool is_first_end(const Row& row);

  const std::string node_;
  web::Metrics& metrics_;
  using Attempt = std::pair<RunId, int>;
  std::set<Attempt> ended_;    // the last ones: some ends are recorded again
  std::deque<Attempt> order_;  // the same, oldest first
};

}  // namespace ballot::library
