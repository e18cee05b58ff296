// NodeDirectory: what this node publishes of itself and what the other nodes publish: who lives, whose files differ,
// where their runners listen. A node's records n/NODE.* are created anew when what they say changes, and the old ones
// removed then; a session that is over has published nothing.
//
//   published | event                       | next
//   outdated  | begin_publishing()          | publishing: records are being created
//   publishing | they are, old ones are left | publishing: the old ones are being removed
//   publishing | nothing is left to do      | current
//   current   | on_changed(), another unfit | outdated
//   current   | unfit, and time passes      | outdated: who leaves elections shows by a new record that it lives
//   any       | on_lost()                   | outdated, and nothing is known of the others
//
// Pure; used by Core only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/candidates.hpp"
#include "base/random.hpp"
#include "core/node/peers.hpp"
#include "core/store/store_client.hpp"

namespace ballot::core {

class NodeDirectory {
 public:
  /// This node's word on its groups.
  struct Groups {
    std::vector<std::pair<std::string, std::uint64_t>> digests{};    // of what the files say of each
    std::vector<std::pair<std::string, std::string>> unfit{};        // why it may not lead each of these
    std::vector<std::pair<std::string, std::uint64_t>> gone_back{};  // as of NodeRecord
    std::string evidence{};
  };

  /// This node's name, where its runner listens, and the URL by which other nodes ask it; "": they cannot.
  NodeDirectory(std::string node, RunnerPlace runner, std::string api = {})
      : node_(std::move(node)), runner_(std::move(runner)), api_(std::move(api)) {}

  // ---- this node
  void on_opened(std::string session) { session_ = std::move(session); }
  void on_lost();
  /// The files say otherwise of a group, or the store says otherwise of this node's fitness to lead one.
  void on_changed() { changed_ = true; }
  /// The same records once more.
  void publish_again() { troubles_changed_ = true; }
  /// What is wrong with this node, and is no reason to hand it nothing.
  void set_troubles(std::vector<std::string> troubles);
  /// True: node_record() is to be sent. `unfit`: why this node is to be handed nothing, or "".
  bool begin_publishing(SteadyTime now, const std::string& unfit);
  StoreClient::RecordOp node_record(WallTime now, Groups groups, Random& random);
  /// The operation is done. Returns the removal that follows it, if any.
  std::optional<StoreClient::RecordOp> on_published(const StoreClient::RecordOp& done);
  bool is_publishing() const { return publishing_; }
  /// When a node that is unfit is to publish the same again.
  std::optional<SteadyTime> renew_at() const {
    return publishing_ || unfit_.empty() ? std::nullopt : std::optional(renew_at_);
  }
  /// The records that this session has created.
  std::vector<std::string> records() const;
  /// Since when it has published the same.
  SteadyTime steady_since() const { return steady_since_; }

  // ---- the others
  const Peers& peers() const { return peers_; }
  /// False: neither this node may lead the group nor any that is not known to be gone. Until the records are read the
  /// others are not known, and true is returned.
  bool has_candidate(const Group& settings) const {
    return !has_learned_ || may_lead(settings, node_) || peers_.have_candidate(settings);
  }
  /// Takes the list of records under n/. Returns the records that nobody needs any more.
  std::vector<std::string> learn(Now now, const std::vector<Register>& records);
  /// Takes an election in which others than this node may stay out for a while.
  void hear(Now now, const Election& election) { peers_.hear(now, election); }
  /// Takes one in which all who may lead the group take part, unless they are gone.
  void see(Now now, const Group& settings, const Election& election);
  Peers::Best best(SteadyTime now, const Group& settings, std::uint64_t digest, bool spread) const {
    return peers_.best(now, settings, digest, node_, spread);
  }
  /// Runs of these nodes were left by dead terms. Returns the runners on this host that are to be asked of them; of a
  /// node that has published nothing yet, later.
  std::vector<std::pair<std::string, RunnerPlace>> runners_of(std::set<std::string> nodes,
                                                              const std::string& machine_id,
                                                              const std::string& boot_id);
  /// Of other nodes than those that `is_wanted` says of, nobody wants to know any more.
  template <class IsWanted>
  void want_runners_only(IsWanted is_wanted) {
    std::erase_if(runners_wanted_, [&](const std::string& node) { return !is_wanted(node); });
  }
  /// There is a node of which it is not known yet where its runner listens.
  bool wants_runners() const { return !runners_wanted_.empty(); }

  // ---- when the files of all are compared
  void compare_by(SteadyTime at);
  void begin_compare() { compare_at_.reset(); }
  std::optional<SteadyTime> compare_at() const { return compare_at_; }

 private:
  const std::string node_;
  const RunnerPlace runner_;
  const std::string api_;
  std::string session_;                         // as others see it
  std::map<std::string, std::string> records_;  // what this node says, and the name of the record that says so
  std::string unfit_;                           // as published
  std::vector<std::string> troubles_;
  bool changed_ = true, troubles_changed_ = false, publishing_ = false, renews_ = false;
  SteadyTime steady_since_{}, renew_at_{};
  Peers peers_;
  bool has_learned_ = false;  // in this session
  std::set<std::string> runners_wanted_;
  std::optional<SteadyTime> compare_at_;
};

}  // namespace ballot::core
