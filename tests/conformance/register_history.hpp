// RegisterHistory: what concurrent clients saw of versioned registers, and whether one order of all of it explains it.
// A register whose every write names the version that it replaces has one possible order of writes: the chain of
// versions. What is left to check is that the chain does not fork, that versions grow along it, that every read shows a
// value of it, and that nobody who began later saw less than somebody who had ended. Registers are checked one by one,
// which is enough (linearizability is local).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ballot::conformance {

class RegisterHistory {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  /// One operation; `began` and `ended` are ticks, an unknown outcome ends never.
  struct Operation {
    enum class Kind { read, wrote, maybe_wrote, refused } kind = Kind::read;
    std::string name;
    std::string value;           // written or read; values of one register differ
    std::uint64_t replaced = 0;  // by a write: the version that it named
    std::uint64_t version = 0;   // after a write, seen by a read, given with a refusal; 0: absent
    std::uint64_t began = 0;
    std::uint64_t ended = never;
  };

  void add(Operation operation) { registers_[operation.name].push_back(std::move(operation)); }

  /// Empty: one order explains it all. Else what contradicts it.
  std::string contradiction() const {
    for (const auto& [name, operations] : registers_)
      if (auto text = check(operations); !text.empty()) return name + ": " + text;
    return {};
  }

 private:
  using Operations = std::vector<Operation>;
  struct Placed {
    const Operation* operation;
    std::uint64_t version;
    bool writes;
  };

  static std::string check(const Operations& operations) {
    std::map<std::uint64_t, std::string> values;          // of the chain, by version
    std::map<std::uint64_t, std::uint64_t> successors{};  // version -> the one that replaced it
    std::vector<Placed> placed;
    bool guesses = false;  // an unknown write that no read has shown may be the one that a refusal names
    for (const Operation& one : operations) {
      const auto wrote = version_written(one, operations);
      guesses = guesses || (!wrote && one.kind == Operation::Kind::maybe_wrote);
      if (!wrote) continue;
      if (*wrote <= one.replaced) return "version " + std::to_string(*wrote) + " does not grow";
      if (!successors.emplace(one.replaced, *wrote).second)
        return "two writes replaced version " + std::to_string(one.replaced);
      if (!values.emplace(*wrote, one.value).second) return "version " + std::to_string(*wrote) + " was given twice";
      placed.push_back({&one, *wrote, true});
    }
    for (const auto& [replaced, version] : successors)
      if (replaced != 0 && !values.contains(replaced)) return "nobody wrote version " + std::to_string(replaced);
    for (const Operation& one : operations) {
      if (one.kind != Operation::Kind::read && !(one.kind == Operation::Kind::refused && one.version != 0)) continue;
      if (one.kind == Operation::Kind::refused && guesses && !values.contains(one.version)) continue;
      if (one.version != 0 && !values.contains(one.version))
        return "version " + std::to_string(one.version) + " was seen and nobody wrote it";
      if (one.kind == Operation::Kind::read && one.version != 0 && values[one.version] != one.value)
        return "version " + std::to_string(one.version) + " was read with another value";
      placed.push_back({&one, one.version, false});
    }
    return check_order(std::move(placed));
  }

  /// An unknown write counts where somebody saw its value.
  static std::optional<std::uint64_t> version_written(const Operation& write, const Operations& operations) {
    if (write.kind == Operation::Kind::wrote) return write.version;
    if (write.kind != Operation::Kind::maybe_wrote) return std::nullopt;
    for (const Operation& one : operations)
      if (one.kind == Operation::Kind::read && one.version != 0 && one.value == write.value) return one.version;
    return std::nullopt;
  }

  /// Versions grow along the chain, so that they are places in it.
  static std::string check_order(std::vector<Placed> placed) {
    std::sort(placed.begin(), placed.end(),
              [](const Placed& a, const Placed& b) { return a.operation->began < b.operation->began; });
    for (const Placed& later : placed) {
      for (const Placed& earlier : placed) {
        if (earlier.operation->ended >= later.operation->began) continue;
        const bool backwards = later.writes ? earlier.version >= later.version : earlier.version > later.version;
        if (backwards)
          return "version " + std::to_string(later.version) + " was seen after version " +
                 std::to_string(earlier.version);
      }
    }
    return {};
  }

  std::map<std::string, Operations> registers_;
};

}  // namespace ballot::conformance
