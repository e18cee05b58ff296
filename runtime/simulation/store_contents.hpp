// StoreContents: what lies in a store, in memory, and the rules of its writes as ballot/backend.hpp has them: a
// register by its version, a record once. A plain value: a copy is a snapshot. Knows nothing of sessions, terms and
// time; who may write asks those first. One thread.
//
//   StoreContents store;
//   store.write({"nightly", 7, "j/backup", text, 0});   // done, version 1
//   store.write({"nightly", 7, "j/backup", text, 0});   // conflict
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ballot/backend.hpp"

namespace ballot::simulation {

struct StoreContents {
  std::uint64_t revision = 0;
  std::map<std::string, Register> registers;
  std::map<std::string, Register> records;
  std::map<std::string, std::uint64_t> epochs;

  /// What is wrong with the write, whoever it is from; none: nothing.
  std::optional<WriteAnswer> fault_of(const RegisterWrite& write) const;
  /// 0: there is no such register.
  std::uint64_t version_of(const std::string& name) const;
  WriteAnswer write(const RegisterWrite& write);
  WriteAnswer create(const Record& record);
  /// False: there was none.
  bool remove(const std::string& record);
  /// Of registers and records: those that are there.
  std::vector<Register> read(const std::vector<std::string>& names) const;
  /// By name.
  std::vector<Register> list(const std::string& prefix) const;
};

}  // namespace ballot::simulation
