// StateViews: what a node shows of itself, for whoever shows it: a control socket, an API, a host's page. Jobs,
// groups and runs come some at a time, and between two pages the loop does what else is to be done: however many there
// are, nothing waits for them. What becomes known or is gone meanwhile may be shown or not.
//
// Thread: the loop's. Callbacks come later, on the loop; none once the node is gone.
//
//   StateViews views(node);
//   views.jobs([](std::span<const core::JobView> jobs) { return print(jobs); }, [] { print_end(); });
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ballot/runtime.hpp"
#include "core/views.hpp"
#include "library/leader_cache.hpp"
#include "library/node.hpp"

namespace ballot::library {

/// How a node is.
struct NodeStatus {
  enum class State { healthy, degraded, not_scheduling };
  enum class Session { none, in_doubt, open };
  struct Led {
    std::string group;
    std::uint64_t epoch = 0;
    bool paused = false;
    std::string halted;  // why; "": it is not
  };
  struct NextSlot {
    WallTime slot{};
    std::string job;
  };

  State state() const;

  /// A reason that one job gives. Of each word the first ten jobs are named; name_rest() adds how many there are more.
  void degrade(const std::string& word, const std::string& job, const std::string& why);
  void name_rest();

  Session session = Session::none;
  Millis session_timeout{0};
  bool store_is_silent = false;         // it has had a session, and has none, or a renewal of it is overdue,
                                        // and the store has not answered: one that refuses writes has;
  std::optional<WallTime> store_heard;  // the last renewal that the store has confirmed was sent then
  std::string refusal;                  // why the store takes no writes of it, as of Node::why_refused()
  bool schedules = false;               // it has a session and a runner
  bool is_starting = false;             // its first session is being opened: no reason to worry yet
  std::size_t jobs = 0;                 // that the files define,
  std::size_t paused = 0;               // and of those that it leads, so many are paused
  std::size_t overdue = 0, slow = 0;    // or have not succeeded in time, or have runs that take longer than expected:
  std::vector<std::string> unmet;       // the first ten, each with what is not as expected
  std::size_t backfilled = 0;           // of so many of them a backfill goes on:
  std::vector<std::string> backfills;   // the first ten, each with how far it is
  int open_runs = 0;
  std::vector<Led> led;
  std::vector<NextSlot> next;                        // of jobs that it leads, the first few,
  std::size_t next_left_out = 0;                     // and so many of these have one that comes later
  std::vector<std::string> degraded;                 // why, each with the word that monitoring looks for in front
  std::map<std::string, std::size_t> degraded_jobs;  // by the word
};

RuntimeStatus public_status(const NodeStatus& status);

/// "healthy", "degraded", "not scheduling", or "starting" for a node that does not schedule yet.
std::string state_text(const NodeStatus& status);

/// In a line: "healthy: leads 2 groups, 14 jobs, 1 run open"; "degraded: ledger: ..., ...".
std::string summary_of(const NodeStatus& status);

class StateViews {
 public:
  /// The views are valid until it returns. False: no more are wanted.
  template <class View>
  using OnPage = std::function<bool(std::span<const View>)>;
  using Done = std::function<void()>;

  explicit StateViews(Node& node) : node_(node), leaders_(node) {}

  /// By name, with their leaders wherever these are, as far as the store says it in time.
  void jobs(OnPage<core::JobView> page, Done done) const;
  /// Some of them. `done` is called with the name after which the next page begins; none: no more are left.
  struct JobsAsked {
    std::string after, group;  // "": from the first on; of all groups
    std::size_t most = 100;
  };
  using OnJob = std::function<void(const core::JobView&)>;
  using OnEnd = std::function<void(const core::Views::Next& next)>;
  void page_of_jobs(JobsAsked asked, OnJob take, OnEnd done) const;
  /// One of them; null: no file defines it.
  void job(const std::string& name, std::function<void(const core::JobView*)> take) const;
  /// Who leads which group.
  void leaders(std::function<void(const LeadersPtr&)> take) const { leaders_.ask(std::move(take)); }
  void groups(OnPage<core::GroupView> page, Done done) const;
  void runs(OnPage<core::RunView> page, Done done) const;

  /// Sees each group and each job of which a status is taken, so that whoever wants them too asks for them but once;
  /// leaders as far as they are this node.
  struct Beside {
    std::function<void(const core::GroupView&)> group;
    OnJob job;
  };
  void status(std::function<void(const NodeStatus&)> done, const Beside& beside = {}) const;
  /// As far as it does not depend on jobs and groups.
  NodeStatus node_status() const;

 private:
  Node& node_;
  mutable LeaderCache leaders_;
};

}  // namespace ballot::library
