// Fleet: daemons of one host that share [local] path, or another store, with the same job files and one oracle; and the
// evidence that they leave. Times are short: the session timeout is 2 s, so a term's deadline is at most 1.5 s away.
//
//   Fleet fleet({"n1", "n2"});
//   fleet.job("tick", "schedule = \"* * * * * *\"\n" + fleet.oracle.command());
//   fleet.start();                              // n1 leads, n2 is the standby
//   fleet["n1"].kill();
//   ASSERT_TRUE(fleet.oracle.wait_until([](const Reports& all) { return all.back().node == "n2"; }));
//   EXPECT_EQ(check(fleet.evidence()), Findings{});
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.hpp"
#include "support/judge/checker.hpp"
#include "support/judge/oracle.hpp"
#include "support/judge/stall_watch.hpp"
#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {

class Fleet {
 public:
  static constexpr Millis margin{500};

  /// `more` is added to every ballot.toml; `session_timeout` is T, of a backend with a server no
  /// less than 3 s.
  explicit Fleet(const std::vector<std::string>& nodes, const std::string& more = "",
                 Millis session_timeout = Millis(2000))
      : timeout(BallotDaemon::backend ? std::max(session_timeout, Millis(3000)) : session_timeout) {
    const std::string coordination = "[coordination]\nsession_timeout = \"" + format_duration(timeout) + "\"\n";
    const std::string local = "[local]\npath = \"" + (folder / "shared") + "\"\n";
    const std::string store = BallotDaemon::backend ? BallotDaemon::backend() : coordination + local;
    for (const std::string& node : nodes) {
      BallotDaemon& daemon = daemons_.try_emplace(node, node, store).first->second;
      daemon.session_timeout(timeout);
      daemon.configure(more);
    }
  }

  /// On another store: `configuration` is what a node's ballot.toml says of it, beyond its own folders.
  using Configuration = std::function<std::string(const std::string& node)>;
  Fleet(const std::vector<std::string>& nodes, Millis session_timeout, const Configuration& configuration)
      : timeout(session_timeout) {
    for (const std::string& node : nodes) daemons_.try_emplace(node, node, configuration(node));
  }

  BallotDaemon& operator[](const std::string& node) { return daemons_.at(node); }

  void job(const std::string& name, const std::string& keys) {
    for (auto& [node, daemon] : daemons_) daemon.job(name, keys);
  }

  /// The first one leads each of so many groups when this returns, the others are standbys. Its slots count from here
  /// on.
  void start(int groups = 1) {
    for (auto& [node, daemon] : daemons_) {
      daemon.start();
      const bool first = node == daemons_.begin()->first;
      if (!(first ? daemon.wait_for("leads", groups) : daemon.wait_for("session open")))
        throw std::runtime_error(node + " does not start: " + daemon.log);
    }
    // A slot at the very instant of its definition is not due.
    from_ = std::chrono::ceil<std::chrono::seconds>(Instant::now().wall + Millis(200));
  }

  /// The same with one node: it leads so many groups when this returns, and no other has been started.
  void start_alone(const std::string& node, int groups = 1) {
    (*this)[node].start();
    if (!(*this)[node].wait_for("leads", groups)) throw std::runtime_error(node + " does not start");
    from_ = std::chrono::ceil<std::chrono::seconds>(Instant::now().wall + Millis(200));
  }

  /// From now on something is wrong with a node that its daemon's signals do not say; of no node: with the store.
  void fault(const std::string& node = "") { did(node, {"fault"}); }
  void healed(const std::string& node = "") { did(node, {"healed"}); }
  /// The store of a group has gone back, or a job's register was spoiled; until a repair.
  void halted(const std::string& group_or_job) { did("", {"halt", group_or_job}); }

  /// No slot before this is asked for.
  WallTime counts_from() const { return from_; }

  /// Stops all that still run, and gathers what they leave. Every slot up to a second ago is asked for.
  Evidence evidence() {
    Evidence evidence;
    evidence.from = from_;
    evidence.until = next_second() - std::chrono::seconds(2);
    evidence.asked = Instant::now().wall;
    evidence.timeout = timeout;
    for (auto& [node, daemon] : daemons_)
      if (daemon.pid() > 0) daemon.send(SIGTERM);
    for (auto& [node, daemon] : daemons_)
      if (daemon.pid() > 0)
        if (const int code = daemon.wait(); code != 0)
          throw std::runtime_error(node + " ended with " + std::to_string(code) + ": " + daemon.log);
    evidence.jobs = jobs_in(daemons_.begin()->second.folder / "jobs.d");
    for (auto& [node, daemon] : daemons_)
      evidence.ledgers.push_back(read_ledger(node, daemon.folder / "state/history.db"));
    const std::string registers = folder / "shared/ballot/registers.db";
    if (std::filesystem::exists(registers)) evidence.damage = integrity_of(registers);
    evidence.reports = oracle.reports();
    evidence.stalls = stalls_.stalls();
    evidence.deeds = deeds_;
    for (const auto& [node, daemon] : daemons_)
      for (const Deed& deed : daemon.deeds()) evidence.deeds.push_back(deed);
    return evidence;
  }

  const Millis timeout;
  const TempFolder folder;
  Oracle oracle{folder / "oracle"};

  std::string logs() const {
    std::string text;
    for (const auto& [node, daemon] : daemons_) text += "== " + node + "\n" + text_of(daemon.folder / "log");
    return text;
  }

 private:
  static WallTime next_second() { return std::chrono::ceil<std::chrono::seconds>(Instant::now().wall); }

  void did(const std::string& node, std::vector<std::string> words) {
    const WallTime now = Instant::now().wall;
    deeds_.push_back({.node = node, .words = std::move(words), .from = now, .until = now});
  }

  std::map<std::string, BallotDaemon> daemons_;
  const StallWatch stalls_{folder / "stalls"};
  std::vector<Deed> deeds_;  // but for what the daemons know themselves
  WallTime from_{};
};

}  // namespace ballot::testing
