// Fleet3: a fleet of three nodes over ledgers that a test has written, one a node: asked without a network.
//
//   write("host-2", {on("host-2", ran(1))});
//   silent = {"host-3"};
//   EXPECT_EQ(history(*fleet()), ...);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "io/message.hpp"
#include "library/history/file_ledger.hpp"
#include "library/history/fleet_ledger.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"
#include "library/shown/ledger_answers.hpp"
#include "storage/ledger_file.hpp"
#include "unit/storage/storage_test_support.hpp"

namespace ballot::library {

using storage::missed;
using storage::noon;
using storage::ran;
using storage::run_id;

using Texts = std::vector<std::string>;

inline Row on(const std::string& node, Row row) {
  row.node = node;
  return row;
}
inline Row with(Row row, Status status, Reason reason = Reason::none) {
  row.status = status;
  row.reason = reason;
  return row;
}

inline std::string said(const Row& row) {
  std::string text =
      row.job + " " + std::to_string((row.slot - noon).count()) + " " + std::string(to_string(row.status));
  if (row.slots > 1) text += " x" + std::to_string(row.slots);
  if (row.attempt > 1) text += " attempt " + std::to_string(row.attempt);
  return text + (row.node.empty() ? "" : " on " + row.node);
}

/// Nodes host-1 (which is asked), host-2 and host-3.
struct Fleet3 : ::testing::Test {
  void write(const std::string& node, const std::vector<storage::Record>& records) {
    storage::LedgerFile(folder / (node + ".db"), Millis(100)).write(records, storage::Sync::later);
  }
  LedgerPlace place(const std::string& node) const {
    return {folder / (node + ".db"), folder / "no-runner.sock", node, std::chrono::hours(1'000'000)};
  }
  void SetUp() override {
    for (const char* node : {"host-1", "host-2", "host-3"}) write(node, {});
  }
  std::vector<Result<io::Message>> answer(const std::vector<PeerQuestion>& questions) {
    std::vector<Result<io::Message>> answers;
    for (const auto& [peer, question] : questions) {
      ++asked[peer.node];
      const auto strange = lies.find(peer.node);
      if (silent.contains(peer.node))
        answers.push_back(Error{Errc::timeout, "it has not answered in time"});
      else if (strange != lies.end())
        answers.push_back(strange->second(question));
      else
        answers.push_back(answer_question(**FileLedger::open(place(peer.node)), question));
    }
    return answers;
  }
  std::unique_ptr<FleetLedger> fleet(std::vector<Row> evidence = {}, FleetBounds bounds = {}) {
    FleetNow now{{{"host-2", "http://b", noon, "", heard_by}, {"host-3", "http://c", std::nullopt, ""}},
                 std::move(evidence)};
    return std::make_unique<FleetLedger>(
        "host-1", *FileLedger::open(place("host-1")), std::move(now),
        AskOthers{[this](const auto& questions, Millis) { return answer(questions); }, store}, bounds);
  }
  /// That node's answers, but to these calls.
  void lie(const std::string& node, const std::string& call, const Result<io::Message>& says) {
    lies[node] = [=, this](const io::Message& question) {
      return question.text("ask") == call ? says : answer_question(**FileLedger::open(place(node)), question);
    };
  }
  static Texts history(LedgerView& ledger, const storage::Filter& filter = {.limit = std::nullopt}) {
    Texts rows;
    const auto end = ledger.history(filter, [&](const Row& row) {
      return rows.push_back(said(row) + (ledger.is_evidence(row) ? " (store)" : "")), true;
    });
    if (!end) rows.push_back(end.error().what);
    return rows;
  }
  static Texts missing(const LedgerView& ledger) {
    Texts nodes;
    for (const MissingNode& node : ledger.missing()) nodes.push_back(node.node + ": " + node.why);
    return nodes;
  }

  TempFolder folder;
  std::set<std::string> silent;
  std::string heard_by;  // how it is known when host-2 was heard of, as of MissingNode
  std::map<std::string, std::function<Result<io::Message>(const io::Message&)>> lies;
  std::map<std::string, int> asked;
  AskStore store;  // none: it is not asked
};

}  // namespace ballot::library
