// What the conformance suite of histories needs to know of one: how to make objects on one shared store, and which
// faults can be caused. Written by whoever writes a plugin of the kind `history`.
//
//   struct MyStore : HistoryStore { std::unique_ptr<History> make(HistoryUse use) override { ... } };
//   INSTANTIATE_TEST_SUITE_P(Mine, HistoryConformance,
//                            ::testing::Values(HistoryUnderTest{"mine", [] { return std::make_unique<MyStore>(); }}),
//                            history_name_of);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "ballot/history.hpp"

namespace ballot::conformance {

/// One store, empty at first and migrated.
class HistoryStore {
 public:
  virtual ~HistoryStore() = default;

  /// An object with a connection of its own; the store outlives it.
  virtual std::unique_ptr<History> make(HistoryUse use) = 0;

  /// Whether the store can be made to answer nobody, and to go on; then it does.
  virtual bool freeze() { return false; }
  virtual void thaw() {}
  /// Whether it can end and start again, with all that it has acknowledged; then it does.
  virtual bool restart() { return false; }
  /// Whether a ledger's line alone can be set back; then it is.
  virtual bool set_line(const RunId& /*ledger*/, std::int64_t /*change*/) { return false; }
};

struct HistoryUnderTest {
  std::string name;  // letters, digits, _
  /// Null: it cannot be tested here; `why_not` says why.
  std::function<std::unique_ptr<HistoryStore>()> make_store;
  std::string why_not = {};
};

inline void PrintTo(const HistoryUnderTest& history, std::ostream* out) { *out << history.name; }

}  // namespace ballot::conformance
