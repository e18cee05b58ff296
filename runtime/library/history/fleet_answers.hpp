// FleetAnswers: one question to this node's ledger and to the other nodes, all at once, and who did not answer. With it
// what the store shows of runs, as far as any node that answers has read it. Made for one question of somebody.
//
//   a node              | its answer
//   answers             | is among the answers
//   knows no such run,  | is not, and the node is not missing
//   output or name      |
//   whose ledger takes  | is among the answers, and missing() names it all the same
//   no rows at present  |
//   does not answer, or | none: missing() names the node, with what is known of when it lived, and it is not asked
//   again makes no sense      |
//
// Thread: the one that uses it; calls block as long as `ask` does.
//
//   FleetAnswers answers("host-1", file_ledger.get(), now, ask);
//   for (const auto& one : *answers.ask_all(question("terms"))) ...
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/message.hpp"
#include "library/history/ledger_view.hpp"
#include "storage/merge.hpp"

namespace ballot::library {

/// Another node, and how it is asked.
struct FleetPeer {
  std::string node;
  std::string url;                     // of its API
  std::optional<WallTime> last_heard;  // none: not known
  std::string silent;                  // why it is not asked at all; "": it is
  std::string heard_by = {};           // as of MissingNode
};

/// What one node knows of the fleet when it is asked.
struct FleetNow {
  std::vector<FleetPeer> peers;
  std::vector<Row> evidence;            // of runs, by registers
  std::vector<LedState> states = {};    // of jobs that the node leads, for a node that asks; `node` is ""
  std::vector<std::string> leads = {};  // groups that the node leads
  std::vector<RequestRow> pauses = {};  // of what it leads, where they are asked for
};

/// What the store is to show of the runs of jobs which no node that answers leads.
struct StoreQuestion {
  std::vector<std::string> jobs;  // none: of all
  std::set<std::string> known;    // groups: of nodes that answer, and lead them
  std::set<std::string> silent;   // nodes that do not answer
  bool operator==(const StoreQuestion&) const = default;
};
/// As it is now: nothing else that is known of these jobs' runs by registers counts.
struct StoreShows {
  std::vector<std::string> jobs;
  std::vector<Row> rows;
  bool has_more = false;                // there are more such jobs than are read at once
  std::vector<LedState> states = {};    // of these jobs, as far as they are paused or halted
  std::vector<RequestRow> pauses = {};  // of these jobs and their groups
};
using AskStore = std::function<Result<StoreShows>(const StoreQuestion&)>;

using PeerQuestion = std::pair<FleetPeer, io::Message>;
/// How much one question of somebody costs others.
struct FleetBounds {
  std::size_t nodes = 64;  // that are asked; the others are missing ones
  Millis patience =
      std::chrono::seconds(20);  // over all rounds: none is begun after it, and who is not asked is missing
};
/// All of them at once, in their order.
using AskPeers = std::function<std::vector<Result<io::Message>>(const std::vector<PeerQuestion>&, Millis within)>;
/// How others are asked.
struct AskOthers {
  AskPeers peers;
  AskStore store = {};  // none: it is not asked
};

class FleetAnswers {
 public:
  struct Answer {
    std::string ledger;
    io::Message message;
  };
  using Questions = std::vector<std::pair<std::string, io::Message>>;  // by ledger

  /// `own`: of node `node`, and outlives this; null: this node has no part in the answers.
  FleetAnswers(std::string node, LedgerView* own, FleetNow now, AskOthers ask, FleetBounds bounds = {});

  /// This node's, and those of the nodes that are not missing.
  std::vector<std::string> ledgers() const;
  /// The same and the missing ones: all whose names are known.
  std::vector<std::string> nodes() const;
  bool is_own(const std::string& ledger) const { return own_ && ledger == node_; }
  const std::string& own() const { return node_; }
  /// Errors: those of this node's ledger; not_found, where no node knows more.
  Result<std::vector<Answer>> ask(const Questions& questions, Millis within = std::chrono::seconds(2));
  Result<std::vector<Answer>> ask_all(const io::Message& question, Millis within = std::chrono::seconds(2));
  /// Of a question that nodes of the release before do not know. Those are added to `older`, and are not missing.
  Result<std::vector<Answer>> ask_all(const io::Message& question, std::set<std::string>& older);
  /// The latest of what they say: see LedgerView.
  Result<std::optional<WallTime>> kept_since(const std::string& job);
  /// The rows of answers, with whose they are.
  std::vector<storage::Account> accounts_in(const std::vector<Answer>& answers);
  /// A node whose answer is of no use.
  void lose(const std::string& node, const std::string& why);

  std::vector<MissingNode> missing() const;
  const MissingNode* find_missing(const std::string& node) const;

  /// Asks the other nodes for evidence, once, and, where some node does not answer, the store for that of the jobs that
  /// no node which answers leads. `jobs`: of these also the last slot that was claimed.
  void gather_evidence(std::vector<std::string> jobs);
  const std::vector<storage::Account>& evidence() const { return evidence_; }
  /// The same of the pauses that stand; none are known before.
  void gather_pauses(const std::vector<std::string>& jobs);
  const std::vector<RequestRow>& pauses() const { return pauses_; }
  /// Of these jobs, by the nodes that lead them, or where these do not answer by the store.
  const std::vector<LedState>& states() const { return states_; }
  std::vector<std::string> leads() const;
  /// Of one of these attempts and slots.
  std::vector<storage::Account> evidence_of(const std::vector<RowKey>& keys) const;

 private:
  Result<std::vector<Answer>> ask(const Questions& questions, Millis within, std::set<std::string>* older);
  bool may_ask_on();
  void note_behind(const std::string& ledger, const io::Message& answer);
  bool is_outdated(const Row& row, const std::string& ledger) const;
  template <class IsOld>
  void drop_evidence(const IsOld& is_old);
  void keep_newest_ends();
  void take_evidence(std::vector<Row> rows, const std::string& ledger);
  enum class Wanted { evidence, pauses };
  void ask_peers_for_evidence(const std::vector<std::string>& jobs, Wanted wanted);
  void ask_store_for_evidence(std::vector<std::string> jobs);
  void take_states(const io::Message& answer, const std::string& ledger);
  void take_pauses(const io::Message& answer);

  const std::string node_;
  LedgerView* const own_;
  const AskOthers ask_;
  const FleetBounds bounds_;
  std::optional<SteadyTime> ask_until_;     // none: no node has been asked yet
  std::map<std::string, FleetPeer> peers_;  // that answer, as far as it is known
  std::map<std::string, MissingNode> missing_;
  std::map<std::string, MissingNode> behind_;  // that answer, and whose ledgers take no rows
  std::vector<storage::Account> evidence_;
  std::set<RowKey> evidence_keys_;
  std::vector<LedState> states_;
  std::vector<RequestRow> pauses_;
  std::map<std::string, std::set<std::string>> leaders_;  // by their groups: of the nodes that answer
  bool has_all_evidence_ = false;
};

}  // namespace ballot::library
