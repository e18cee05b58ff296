// HistoryFeed: hands this node's ledger on to the fleet's history, on a thread of its own: no launch and no row waits
// for it. What is handed on is on this node's disk before. storage/history_sender.hpp decides what is done next.
//
// Threads: recorded() and state() from any; the others from the one that makes it.
//
//   HistoryFeed feed(*make_history(plugin, choice, HistoryUse::send), ledger_place(config), log);
//   feed.start(ledger);             // which calls feed.recorded()
//   feed.close();                   // before the ledger's end: what is recorded goes along, as far as that is quick
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ballot/history.hpp"
#include "ballot/log.hpp"
#include "ballot/plugin.hpp"
#include "library/history/file_ledger.hpp"
#include "library/history/partial_outputs.hpp"
#include "storage/history_sender.hpp"
#include "storage/ledger.hpp"
#include "storage/outbox.hpp"

namespace ballot::library {

/// The plugin that keeps the fleet's history, and what it is made with.
struct HistoryChoice {
  std::string plugin;  // its name; "": there is none
  Options options;     // its table
  std::string state_dir;
};

/// Loads the plugin. Errors: not_found, refused, corrupt; invalid (its table).
Result<const PluginInfo*> find_history(const std::string& plugin_dir, const HistoryChoice& choice);

/// An object of the plugin for one use. Errors: the plugin's.
Result<std::unique_ptr<History>> make_history(const PluginInfo& plugin, const HistoryChoice& choice, HistoryUse use);

/// How far a ledger is handed on.
struct FeedState {
  std::string trouble = {};                   // what fails; "": nothing, or not for long
  std::int64_t sent = 0;                      // the last change that the history has
  std::optional<WallTime> unsent_since = {};  // something is recorded that is not sent; none: all is
  std::int64_t too_old = 0;                   // changes that the history has left out
  std::int64_t dropped = 0;                   // rows that had to go from the ledger before they were sent
};

class HistoryFeed {
 public:
  /// `place`: of the ledger, and of what its node's attempts print.
  HistoryFeed(std::unique_ptr<History> history, LedgerPlace place, Log log);
  ~HistoryFeed() { close(); }
  HistoryFeed(const HistoryFeed&) = delete;
  HistoryFeed& operator=(const HistoryFeed&) = delete;

  /// `ledger` outlives close().
  void start(storage::Ledger& ledger);
  void recorded();
  FeedState state() const;
  /// Hands on what is recorded, for two seconds at most, and ends the thread.
  void close();

 private:
  using Do = storage::HistorySender::Do;

  void work();
  void rest(const storage::HistorySender::Step& step);
  void ask();
  Result<LedgerLine> line_of_ledger(bool& goes_on);
  Result<void> open();
  void read(std::int64_t after);
  void put();
  bool sync();
  bool is_ending() const;
  bool is_over(const storage::HistorySender::Step& step) const;
  void look_at_outputs(SteadyTime now);
  bool may_go_on() const;
  template <class Call>
  auto timed(Call call);
  void report();

  const std::unique_ptr<History> history_;
  const LedgerPlace place_;
  const Log log_;
  storage::Ledger* ledger_ = nullptr;
  std::thread thread_;

  // Of the thread.
  storage::HistorySender sender_;
  std::optional<storage::Outbox> outbox_;
  std::optional<LedgerBatch> batch_;  // to be put
  SteadyTime opened_{};               // the outbox
  PartialOutputs outputs_;
  std::vector<OutputRow> partial_;  // to be put with the next batch
  SteadyTime partial_at_{};         // when they are looked at next
  bool said_ = false;               // that there is trouble
  bool hurried_ = false;            // as it ends

  // Of both, under the mutex.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool recorded_ = false;
  std::optional<SteadyTime> ends_;  // at the latest
  std::optional<SteadyTime> asks_;  // since when the history has not answered a call
  FeedState state_;
};

}  // namespace ballot::library
