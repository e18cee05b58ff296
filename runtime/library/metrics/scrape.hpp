// Scrape: takes a node's figures for its metrics: groups, reasons of a degraded node, the ledger, and each job that the
// node leads. Page by page, in one pass: however many jobs there are, the loop is held up by none of them. Who asks
// while one is being taken gets that one.
//
// Thread: the loop's. Requires: the node and the metrics live longer.
//
//   Scrape scrape(node, metrics, {true, [&](auto done, auto& beside) { answers.status(done, beside); },
//                                 [&] { return server.counts(); }});
//   scrape.take([&] { show(metrics.exposition()); });
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "http/metrics.hpp"
#include "library/node.hpp"
#include "library/state_views.hpp"

namespace ballot::library {

class Scrape {
 public:
  struct Options {
    bool by_job = true;
    std::function<void(std::function<void(const NodeStatus&)>, const StateViews::Beside&)> status;
    std::function<decltype(web::Figures::requests)()> requests;  // that were answered so far
  };

  Scrape(Node& node, web::Metrics& metrics, Options options)
      : node_(node), metrics_(metrics), options_(std::move(options)) {}

  /// Publishes the figures to the metrics, then calls `done`.
  void take(std::function<void()> done);

 private:
  void add(const core::GroupView& group);
  void add(const core::JobView& job);
  void finish(const NodeStatus& status);

  Node& node_;
  web::Metrics& metrics_;
  const Options options_;
  web::Figures figures_;                        // that are being taken
  std::vector<std::function<void()>> waiting_;  // for them
};

}  // namespace ballot::library
