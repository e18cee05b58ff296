// Takeover: reads registers and gives them to jobs and groups: those of all jobs once a session is open, those of a
// group and its jobs once this node is elected, and that of a single job when it asks. Where registers show runs that
// this node does not know, the published ends of those runs are read first: no run counts as lost whose end is known.
//
//   a session | the first one of a daemon: read which store this is -> recall what the ledger knows of it
//             | list all jobs' registers -> the outcomes of this node's own unknown runs -> each job; campaign
//             | where this node knows of no run of its own: campaign; T to 2 T later the same list
//   a term    | what the other nodes publish was listed in this session -> read its registers -> forwarded?
//             | -> the outcomes of unknown runs -> the term begins; its jobs lead
//   jobs      | read their registers -> the outcomes of unknown runs -> each job
//
// Pure; lives for one step; used inside core only.
#pragma once

#include <string>
#include <vector>

#include "core/core_parts.hpp"
#include "core/group/groups.hpp"
#include "core/jobs/jobs.hpp"
#include "core/store/shown_runs.hpp"

namespace ballot::core {

class Takeover {
 public:
  Takeover(CoreParts& parts, Context& c) : p_(parts), c_(c), jobs_(parts, c), groups_(parts, c) {}

  // ---- a session
  void begin_session();
  /// Which store this is.
  void identify();
  void on_identity(const backend::ReadDone& event);
  void list_jobs();
  void on_list(const StoreClient::Reading& asked, const backend::ReadDone& event);

  // ---- a term
  void on_elected(const backend::Elected& event);
  void on_registers(const StoreClient::Reading& asked, const backend::ReadDone& event);
  /// The group is not forwarded: the ends of the last term's runs are read, and this term begins.
  void settle_before(GroupEntry& group, const std::vector<Register>& registers);

  /// The pauses of all instances of jobs, as the store has them: the records under p/, or those of the jobs asked for.
  void on_pauses(const StoreClient::Reading& asked, const backend::ReadDone& event);

  // ---- jobs
  void on_jobs_read(const StoreClient::Reading& asked, const backend::ReadDone& event);
  /// For each job in Wants::changed: another group may own its register now.
  void reconsider_changed();
  void reconsider(JobMachine& job);

 private:
  std::vector<std::string> unknown_ends(const std::vector<Register>& registers) const;
  std::vector<std::string> unknown_outcomes(const std::vector<Register>& registers) const;
  static bool asks_for_all(const StoreClient::Reading& asked, const std::vector<std::string>& names);
  /// Requires: the jobs have taken up these registers.
  ShownRuns shown_by(const std::vector<Register>& registers);
  void take_listed(const Register& stored, bool may_lead);
  void close_open_rows(const ShownRuns& shown);
  void forget_settled(const ShownRuns& shown);
  void begin_term(GroupEntry& group, const std::vector<Register>& registers);
  void recall();
  void halt(GroupEntry& owner, const JobMachine& job);
  void report(const JobMachine& job);

  CoreParts& p_;
  Context& c_;
  Jobs jobs_;
  Groups groups_;
};

}  // namespace ballot::core
