// Fleet: the other nodes, as this daemon asks them: who they are, by the store, and the questions themselves, over
// their APIs.
//
// A node that did not answer in time is asked again in the background, and by no question before it has answered. Which
// nodes there are is kept there, too, in a file for the next daemon of this node.
//
// Thread: start(), now() and answers() on the loop; ask(), read_store() and heard() on any other, which block at most
// as long as they are told.
//
//   Fleet fleet(node, {.node = config.node, .tls_ca = config.http.tls_ca, .token_file = config.fleet.token_file});
//   FleetLedger ledger(name, std::move(own), fleet.now(question), [&](const auto& all, Millis within) {
//     return fleet.ask(all, within, goes_on);
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "io/clocks.hpp"
#include "library/fleet_nodes.hpp"
#include "library/history/fleet_probes.hpp"
#include "library/history/fleet_roster.hpp"
#include "library/history/fleet_source.hpp"
#include "library/history/store_reader.hpp"
#include "library/node.hpp"

namespace ballot::library {

struct FleetSettings {
  std::string node;        // this one's name
  std::string tls_ca;      // file of the authorities by which the others' certificates are checked; "": the system's
  std::string token_file;  // "": no token is shown
  std::string roster;      // the file of the nodes that it knows; "": they are not kept
};

class Fleet : public FleetSource {
 public:
  /// Says how the nodes are, on the loop.
  using Look = std::function<void(Millis within, std::function<void(const std::vector<FleetNode>&)>)>;

  /// Requires: the node has not started.
  Fleet(Node& node, FleetSettings settings, Look look, Log log);
  /// Its folders are made, and no session is open yet.
  void start();

  FleetNow now(const io::Message& asked) override;
  std::vector<Result<io::Message>> ask(const std::vector<PeerQuestion>& questions, Millis within,
                                       const std::function<bool()>& goes_on) override;
  Result<StoreShows> read_store(const StoreQuestion& asked, Millis within,
                                const std::function<bool()>& goes_on) override {
    return store_.read(asked, within, goes_on);
  }
  /// What was found out is used for a second.
  std::map<std::string, Heard> heard(Millis within, const std::function<bool()>& goes_on) override;
  Answers answers();
  /// Takes elections that were observed: who takes part in one lives.
  void note(const std::vector<Election>& elections);

 private:
  Result<std::vector<Result<std::string>>> post(const std::vector<PeerQuestion>& questions, Millis within,
                                                const std::function<bool()>& goes_on) const;
  std::optional<SteadyTime> probe(const std::function<bool()>& goes_on);
  void see();
  void keep_roster();

  Node& node_;
  const FleetSettings settings_;
  const Look look_;
  const Log log_;
  const std::string machine_ = io::machine_id();
  std::mutex mutex_;
  FleetRoster roster_;                  // under mutex_, as all below
  std::uint64_t kept_changes_ = 0;      // of it, that are in the file
  std::string keep_trouble_;            // why it could not be written last
  std::map<std::string, Heard> heard_;  // as it was
  SteadyTime heard_until_{};            // used until then
  StoreReader store_;
  FleetProbes probes_{[this](const auto& goes_on) { return probe(goes_on); }};  // last: it uses all of these
};

/// The token of a file: its first line. Errors name [fleet] token_file: refused (others may read or write it), invalid.
Result<std::string> read_fleet_token(const std::string& path);

/// Of an answer's lines the last, which is the whole answer to a question of the ledger. Its values are taken from
/// `values_left`. Errors: the daemon's; corrupt; unavailable, where there are not so many left.
Result<io::Message> last_line(const std::string& lines, std::size_t& values_left);

}  // namespace ballot::library
