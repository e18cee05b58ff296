// Takeover: reads registers and gives them to whom they are for: all jobs' once a session is open, a group's and its
// jobs' once it is elected, and single jobs' when they ask. Where registers show runs of which this node knows nothing,
// what was published of their ends is read first, so that no run counts as lost whose end is known.
//
//   a session | list all jobs' registers -> the outcomes of this node's own unknown runs -> each job; campaign
//             | where this node knows of no run of its own: campaign; T to 2 T later the same list
//   a term    | read its registers -> forwarded?  -> the outcomes of unknown runs -> the term begins; its jobs lead
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
  void list_jobs();
  void on_list(const StoreClient::Reading& asked, const backend::ReadDone& event);

  // ---- a term
  void on_elected(const backend::Elected& event);
  void on_registers(const StoreClient::Reading& asked, const backend::ReadDone& event);
  /// Nobody is waited for: what became of the term before is read, and this one begins.
  void settle_before(GroupEntry& group, const std::vector<Register>& registers);

  /// What the store has of pauses of all instances: the records under p/, or of the jobs asked for.
  void on_pauses(const StoreClient::Reading& asked, const backend::ReadDone& event);

  // ---- jobs
  void on_jobs_read(const StoreClient::Reading& asked, const backend::ReadDone& event);
  /// Who may write the register of a job may have changed, of each in Wants::changed.
  void reconsider_changed();
  void reconsider(JobMachine& job);

 private:
  std::vector<std::string> unknown_ends(const std::vector<Register>& registers) const;
  std::vector<std::string> unknown_outcomes(const std::vector<Register>& registers) const;
  static bool asks_for_all(const StoreClient::Reading& asked, const std::vector<std::string>& names);
  /// Requires: the jobs have them.
  ShownRuns shown_by(const std::vector<Register>& registers);
  void take_listed(const Register& stored, bool may_lead);
  void close_open_rows(const ShownRuns& shown);
  void forget_settled(const ShownRuns& shown);
  void begin_term(GroupEntry& group, const std::vector<Register>& registers);

  CoreParts& p_;
  Context& c_;
  Jobs jobs_;
  Groups groups_;
};

}  // namespace ballot::core
