// HistoryReaders: objects that read the fleet's history, for the threads that answer questions of it: each is used for
// one question at a time, and kept for the next. After one has failed none is used for a while: the nodes are asked.
//
// Threads: any.
//
//   if (auto reader = readers.take(now)) { ... readers.give_back(std::move(reader)); }
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ballot/history.hpp"
#include "library/history/history_feed.hpp"

namespace ballot::library {

class HistoryReaders {
 public:
  /// `sent`: the last change of this node's own ledger that it knows to be handed on. Whether sending fails says
  /// nothing of reading: a replica, or a server that only reads, still answers.
  HistoryReaders(const PluginInfo& plugin, HistoryChoice choice, std::function<std::int64_t()> sent)
      : plugin_(plugin), choice_(std::move(choice)), sent_(std::move(sent)) {}

  /// None: it has failed a moment ago, or cannot be made.
  std::unique_ptr<History> take(SteadyTime now);
  void give_back(std::unique_ptr<History> reader);
  void note_failure(const Error& error, SteadyTime now);
  /// Of the last question that was asked of it; none: it was answered.
  std::optional<Error> failure() const;
  std::int64_t sent() const { return sent_(); }

 private:
  const PluginInfo& plugin_;
  const HistoryChoice choice_;
  const std::function<std::int64_t()> sent_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<History>> free_;
  std::optional<Error> failure_;
  SteadyTime usable_from_{};
};

}  // namespace ballot::library
