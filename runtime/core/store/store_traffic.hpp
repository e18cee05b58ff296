// StoreTraffic: the requests to the store and its answers, in one step. It hands each answer to the class that asked,
// repeats requests that may not have arrived, and sends what the step has gathered, in one request of each kind.
//
// Pure; lives for one step; used inside core only.
#pragma once

#include <vector>

#include "core/core_parts.hpp"
#include "core/group/groups.hpp"
#include "core/jobs/jobs.hpp"
#include "core/node/nodes.hpp"
#include "core/request/requests.hpp"
#include "core/store/takeover.hpp"

namespace ballot::core {

class StoreTraffic {
 public:
  StoreTraffic(CoreParts& parts, Context& c)
      : p_(parts),
        c_(c),
        jobs_(parts, c),
        groups_(parts, c),
        takeover_(parts, c),
        requests_(parts, c),
        nodes_(parts, c) {}

  void on(const backend::ReadDone& event);
  void on(const backend::Wrote& event);
  void on(const backend::Changed& event);
  /// The session is over: records that may not have arrived are kept for the next one.
  void on_lost();
  /// A request that the backend has not answered for T counts as unknown, so that nothing waits for ever.
  void give_up_unanswered();

  // ---- at the end of a step
  /// Jobs go on that waited until the store had answered other jobs' writes, first come, first served.
  void release_throttled();
  /// Reads the registers that jobs have asked for, and lists the feeds that have changed.
  void send_reads();
  void send_writes();
  /// Reads the registers again that another group's leader had not released.
  void poll_unreleased();

 private:
  using RecordOp = StoreClient::RecordOp;
  using Reading = StoreClient::Reading;

  template <class Name>
  void note_fate(const WriteAnswer& answer, const Name& name);
  void on_feed_listed(RecordFeed& feed, const backend::ReadDone& event);
  void on_recorded(RecordOp op, const std::vector<WriteAnswer>& answers);
  void list_if_dirty(RecordFeed& feed, Reading::For what);
  void create(RecordOp op);
  void ask_for_replacement();
  void ask_for_release(std::vector<JobEntry*> waiting);
  Request of_node(Request::Kind kind, const std::string& job) const;

  CoreParts& p_;
  Context& c_;
  Jobs jobs_;
  Groups groups_;
  Takeover takeover_;
  Requests requests_;
  Nodes nodes_;
};

}  // namespace ballot::core
