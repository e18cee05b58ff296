// ControlAnswers: the daemon's answers on its control socket: {"do": "flush" | "jobs" | "job" | "groups" | "runs" |
// "status" | "ready" | "waiting" | "instances" | "events" | "whoami" | "ledger", with a question of
// history/ledger_questions.hpp | a request of core/request/request.hpp | what shown_answers.hpp and ahead_answers.hpp
// in library/shown have}. It knows nothing of sockets and roles, and decides nothing: a request is for whoever leads.
//
// Thread: the loop's. Requires: the node and the folder live longer, and close() comes before the node is closed.
//
//   ControlAnswers answers(node, jobs, {config.node, config.coordination.backend, ledger_place(config)});
//   ControlServer::listen(loop, path, roles,
//                         [&](const Question& question, const Reply& reply) { answers.answer(question, reply); });
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/question.hpp"
#include "library/backfill/backfill_desk.hpp"
#include "library/election_looks.hpp"
#include "library/fleet_questions.hpp"
#include "library/history/fleet.hpp"
#include "library/history/ledger_desk.hpp"
#include "library/job_folder.hpp"
#include "library/next_answers.hpp"
#include "library/node.hpp"
#include "library/shown/ahead_answers.hpp"
#include "library/shown/event_feed.hpp"
#include "library/shown/shown_answers.hpp"
#include "library/state_views.hpp"
#include "library/why/why_desk.hpp"

namespace ballot::library {

class ControlAnswers {
 public:
  struct Facts {
    std::string node, backend;
    LedgerPlace ledger;
    std::optional<FleetSettings> fleet = {};  // none: this node answers for itself alone
    Log log = {};
  };

  /// Requires: the node has not started.
  ControlAnswers(Node& node, const JobFolder& jobs, Facts facts);

  void answer(const io::Question& question, const io::Reply& reply);
  /// The node has started, and has no session yet.
  void start();
  /// Nobody reads the ledger any more.
  void close();
  /// See LedgerDesk.
  void answer_from(HistoryReaders& history) { desk_.answer_from(history); }

  const StateViews& views() const { return views_; }
  /// How the node is, and what is wrong with its job files.
  void status(std::function<void(const NodeStatus&)> done, const StateViews::Beside& beside = {}) const;

 private:
  void answer_request(core::Request::Kind kind, const io::Question& asked, const io::Reply& reply);
  void make_backfill(core::Request request, const io::Question& asked, const io::Reply& reply);
  void unless_there(core::Request request, const io::Question& asked, const io::Reply& reply,
                    std::function<void(const core::Request&)> then);
  void find_gone(std::function<void(std::set<std::string>)> then);
  std::shared_ptr<void> admit(const io::Asker& asker);
  void answer_jobs(const io::Reply& reply) const;
  void answer_job(const std::string& name, const io::Reply& reply) const;
  io::Message with_store(io::Message job) const;
  io::Message with_file(const std::string& name, io::Message job) const;
  void answer_groups(const io::Reply& reply) const;
  void answer_runs(const io::Reply& reply) const;
  void answer_instances(const std::string& job, const io::Reply& reply) const;
  void answer_waiting(const std::string& job, const io::Reply& reply) const;
  void answer_status(const io::Reply& reply);
  void answer_ready(const io::Reply& reply) const;
  void answer_from_ledger(const io::Question& asked, const io::Reply& reply);
  std::vector<std::string> waiting_jobs(const std::vector<std::string>& jobs) const;
  std::vector<std::string> defined_of(const std::vector<std::string>& names) const;

  Node& node_;
  const StateViews views_;
  FleetQuestions fleet_;
  ElectionLooks looks_;
  const JobFolder& jobs_;
  const Facts facts_;
  std::optional<Fleet> others_;
  LedgerDesk desk_;
  const ShownAnswers shown_;
  const NextAnswers next_;
  const AheadAnswers ahead_;
  const WhyDesk why_;
  const BackfillDesk backfill_;
  const std::shared_ptr<EventFeed> events_ = std::make_shared<EventFeed>();  // the engine's observer too
  using Counts = std::map<std::string, int>;
  const std::shared_ptr<Counts> asking_ = std::make_shared<Counts>();  // requests under way, by Asker::key
};

}  // namespace ballot::library
