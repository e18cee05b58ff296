// FleetSource: what the daemon's answers in fleet scope take: which other nodes there are, and a way to ask them. Fleet
// has the store and the network for it; tests have their own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "library/history/fleet_answers.hpp"

namespace ballot::library {

struct Heard {
  std::optional<WallTime> at;
  std::string by;  // as of MissingNode
};

class FleetSource {
 public:
  virtual ~FleetSource() = default;
  /// On the loop: for a question of the ledger.
  virtual FleetNow now(const io::Message& asked) = 0;
  /// On any thread. `goes_on`: false ends it.
  virtual std::vector<Result<io::Message>> ask(const std::vector<PeerQuestion>& questions, Millis within,
                                               const std::function<bool()>& goes_on) = 0;
  /// On any thread but the loop's: the same of what the store shows. None can be asked: nothing.
  virtual Result<StoreShows> read_store(const StoreQuestion& asked, Millis within,
                                        const std::function<bool()>& goes_on) {
    return (void)asked, (void)within, (void)goes_on, StoreShows{};
  }
  /// On any thread but the loop's: when nodes were last heard of, as `ballot nodes` has it; of those that are known.
  virtual std::map<std::string, Heard> heard(Millis within, const std::function<bool()>& goes_on) {
    return (void)within, (void)goes_on, std::map<std::string, Heard>();
  }
};

class HistoryReaders;

/// What it takes to answer one question for the fleet.
struct FleetAccess {
  FleetSource* source = nullptr;      // null: no other node can be asked
  HistoryReaders* history = nullptr;  // null: ledgers are handed on to none, or none is to be read
  FleetNow now;
};

}  // namespace ballot::library
