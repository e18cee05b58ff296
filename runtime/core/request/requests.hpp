// Requests: what people ask, and what nodes ask of each other, in one step: accepted here, kept in the store, done by
// whoever leads (a kill: by whoever executes the run), answered there, and replied to here. What has been asked and
// answered is the RequestDesk's to know; this class carries out what the desk wants, and takes up what is this node's
// to do.
//
// Pure; lives for one step; used inside core only.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/core_parts.hpp"
#include "core/group/groups.hpp"
#include "core/jobs/jobs.hpp"

namespace ballot::core {

class Requests {
 public:
  Requests(CoreParts& parts, Context& c) : p_(parts), c_(c), jobs_(parts, c), groups_(parts, c) {}

  void on(const Ask& event);
  /// In their order.
  void perform(RequestDesk::Errands errands);
  /// The request is done, or will not be.
  void answer(const RunId& request, std::optional<Answer> answer);
  /// Answers the requests of Wants::answers.
  void answer_all();
  /// Takes the list of records under o/: ends of runs that other nodes, or daemons before, have published.
  void on_outcomes(const std::vector<Register>& records);
  /// Records that nobody needs any more.
  void remove(std::vector<std::string> names);

 private:
  bool is_group(const std::string& group) const;
  bool is_of_instances(std::string_view job) const;
  void ask_instances(const Ask& event);
  using Lacks = std::string (Peers::*)(const Group& settings) const;
  std::optional<Answer> refusal_of_terms(const Request& request) const;
  std::optional<Answer> refusal_of_trigger(const Request& request) const;
  std::string node_that_lacks(const Request& request, Lacks lacks) const;
  std::optional<Answer> refusal_of_backfill(const Request& request) const;
  std::optional<Answer> refusal_beside(const StandingPause& standing, const Request& request) const;
  void turn_down(const Ask& event, Errc code, const std::string& why);
  void perform(StoreClient::RecordOp& op);
  void perform(const RequestDesk::TakeUp& errand) { take(errand.request); }
  void perform(const RequestDesk::ListRuns& errand);
  void perform(const RequestDesk::ReadFate& errand);
  void perform(const RequestDesk::Conclude& errand);
  void perform(const Reply& reply) { c_.out.push_back(reply); }
  void perform(const RunEnded& ended) { c_.out.push_back(ended); }

  void take(const Request& request);
  void follow(const Request& request);
  bool is_past(const Request& request) const;
  void take_kill(const Request& request);
  void take_release(const Request& request);
  void take_replace(const Request& request);
  void take_for_group(const Request& request);
  void refuse(const Request& request, Answer answer);
  void record(const Request& request);
  void record_row(const Request& request);

  CoreParts& p_;
  Context& c_;
  Jobs jobs_;
  Groups groups_;
};

}  // namespace ballot::core
