// Peers: the other nodes, by what they publish. Each node keeps records n/NODE.* in the store, which say whether
// it is fit to be handed a group, what else is wrong with it, and what its files define in each group, as a digest: of
// nodes with different digests no one hands a group to the other. What a dead node has published is void as soon as it
// is missed in a group's election.
//
//   peers.learn(now, "a", records)            // what is listed under n/
//   peers.see(now, group, election)           // who takes part: alive or gone
//   peers.best(now, group, digest, "a", spread)   // who should lead it, if not this node
//
// Pure values; used by Core only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "ballot/job.hpp"
#include "ballot/time.hpp"

namespace ballot::core {

inline constexpr std::string_view node_prefix = "n/";
inline constexpr Millis fit_delay{30'000};  // a node is handed nothing before it has published the same for so long

/// Where a node's runner listens. It may be asked what became of the node's runs, on that boot of that machine.
struct RunnerPlace {
  std::string machine_id, boot_id;
  std::string socket;  // "": it may not be asked

  bool is_here(const std::string& machine, const std::string& boot) const {
    return !socket.empty() && !boot.empty() && machine == machine_id && boot == boot_id;
  }
};

/// A node's record of itself; one that is long is split into several.
struct NodeRecord {
  std::string node;
  std::string session;                                        // as Candidate::id
  std::string unfit;                                          // why it is to be handed nothing; "": it is fit
  WallTime at{};                                              // when it was written, by that node's clock
  std::vector<std::pair<std::string, std::uint64_t>> groups;  // digest of each, in order of their names
  RunnerPlace runner{};
  std::vector<std::pair<std::string, std::string>> unfit_groups{};  // why it may not lead each of these
  /// Groups of which it knows that the store has gone back, each with the number of the last repair that it knows of.
  std::vector<std::pair<std::string, std::uint64_t>> gone_back{};
  std::string evidence{};  // how it knows, of the first of them
  std::string api{};       // the URL by which other nodes ask it; "": they cannot
  /// What is wrong with it, each with the word in front that monitoring looks for. No reason to lead nothing.
  std::vector<std::string> troubles{};
  bool knows_pause_terms = false;  // pauses with an end and a reason: releases before do not
  bool knows_triggers = false;     // that have variables, or of a chain
  bool knows_backfills = false;    // nor backfills
};

/// As many texts as it takes, each within what a record may hold.
std::vector<std::string> to_texts(const NodeRecord& record);
/// Errors: as parse_job_register.
Result<NodeRecord> parse_node_record(std::string_view text);

/// Of what files define in a group; 0 is that of a group in which they define nothing.
std::uint64_t job_digest(std::string_view job, std::string_view definition);
std::uint64_t settings_digest(const Group& settings);

class Peers {
 public:
  struct Peer {
    std::string node;
    std::string unfit;
    WallTime at{};
    std::map<std::uint64_t, std::uint64_t> digests;    // by a hash of the group's name
    std::set<std::uint64_t> unfit_groups;              // which it may not lead, by the same hash
    std::map<std::uint64_t, std::uint64_t> gone_back;  // as of NodeRecord, by the same hash
    std::string evidence;
    std::vector<std::string> records;
    RunnerPlace runner;
    std::string api;  // as of NodeRecord
    bool knows_pause_terms = false, knows_triggers = false, knows_backfills = false;
    std::vector<std::string> troubles;
    SteadyTime since{};  // when it was first known to publish this
    enum class Life { unknown, alive, gone } life = Life::unknown;
    SteadyTime seen{};                // when that was found out
    std::optional<SteadyTime> alive;  // when it was last seen in an election; while unfit, to publish

    std::uint64_t digest(const std::string& group) const;
    bool publishes_same_as(const Peer& other) const {
      return node == other.node && unfit == other.unfit && digests == other.digests &&
             unfit_groups == other.unfit_groups && gone_back == other.gone_back;
    }
    /// The node takes part in the group's election, if it lives.
    bool takes_part(const Group& settings) const;
  };

  /// Reads the records as they are now, but for those of `self` and unreadable ones. True: something has changed.
  bool learn(SteadyTime now, const std::string& self, const std::vector<Register>& records);
  void clear() { peers_.clear(); }

  /// Who takes part in an election is alive, whatever else it is.
  void hear(Now now, const Election& election);
  /// Everybody who may lead the group and is not in its election is gone, but for who has just begun. True: something
  /// has changed.
  bool see(Now now, const Group& settings, const Election& election);

  /// From when on some node whose files differ is not known, or not of late, to be alive or gone; none: no files
  /// differ.
  std::optional<SteadyTime> unsure_from(const Group& settings, std::uint64_t digest) const;
  /// The nodes whose files differ, and which are alive.
  std::vector<std::string> differing(const Group& settings, std::uint64_t digest) const {
    return living(settings, digest, false);
  }
  /// Of these and `self`, whose digest it is: those whose files are not the same as most nodes'. None: there are no
  /// most.
  std::vector<std::string> odd_ones(const Group& settings, std::uint64_t digest, const std::string& self) const;
  /// The nodes whose files have that digest, and which are alive.
  std::vector<std::string> alike(const Group& settings, std::uint64_t digest) const {
    return living(settings, digest, true);
  }
  bool have_digest(const Group& settings, std::uint64_t digest) const { return !alike(settings, digest).empty(); }

  struct Best {
    std::string session;  // "": this node
    std::string node;
    std::optional<SteadyTime> again;  // when somebody still better will have been fit for long enough
  };
  /// Of this node and those that are fit and not known to be gone: the first preferred one, else, with `spread`, the
  /// one that the group's name chooses.
  Best best(SteadyTime now, const Group& settings, std::uint64_t digest, const std::string& self, bool spread) const;

  bool have_evidence() const;
  /// How some node knows that the store has gone back under the group, which has not been repaired since; `repair`: the
  /// number of its last repair. "": none does.
  std::string evidence(const std::string& group, std::uint64_t repair) const;

  /// A node that has published something, by its newest record.
  struct Published {
    std::string node, api;
    WallTime at{};                         // when the record was written, by that node's clock
    std::optional<SteadyTime> alive = {};  // as of Peer
    std::string machine = {};              // that it runs on; "": it does not say
  };
  /// By name.
  std::vector<Published> published() const;

  /// One that is not known to be gone may lead the group.
  bool have_candidate(const Group& settings) const;
  /// A node that may lead the group, by its newest record, is not known to be gone, and is of a release that would make
  /// a pause without end of one that has one. "": there is none.
  std::string lacks_pause_terms(const Group& settings) const { return lacks(&settings, &Peer::knows_pause_terms); }
  /// The same of one that would start the run of a trigger without its variables, and none of the jobs after its job.
  std::string lacks_triggers(const Group& settings) const { return lacks(&settings, &Peer::knows_triggers); }
  /// One that lives, perhaps, and would remove the request for a backfill, as it does not know such; "": none.
  std::string lacks_backfills() const { return lacks(nullptr, &Peer::knows_backfills); }

  /// As the node published last; none: it has published nothing.
  std::optional<RunnerPlace> runner_of(const std::string& node) const;

  /// Records that nodes which are gone have left behind, a day after these were written and heard of last.
  std::vector<std::string> leftovers(Now now) const;
  bool empty() const { return peers_.empty(); }
  /// By session.
  const std::map<std::string, Peer>& all() const { return peers_; }

 private:
  /// Null: whatever it leads.
  std::string lacks(const Group* settings, bool Peer::*knows) const;
  std::vector<std::string> living(const Group& settings, std::uint64_t digest, bool with_it) const;

  std::map<std::string, Peer> peers_;  // by session
};

}  // namespace ballot::core
