// OpenSession: what the calls of an open session mean, but for renewals: its groups, registers, watches, and what it
// shows of others. Knows nothing of how it was opened, nor how it ends. Used on the plugin's thread only.
//
//   OpenSession open(context, members, self);
//   open.carry_out(call);  ... each iteration:  open.tick(now);  open.flush(false);
#pragma once

#include <optional>

#include "members.hpp"
#include "observation.hpp"
#include "queue.hpp"
#include "registers.hpp"
#include "session_context.hpp"
#include "support/queue_elections.hpp"
#include "tidy.hpp"
#include "watches.hpp"

namespace ballot::zookeeper {

class OpenSession {
 public:
  /// The others outlive this. `self`: see QueueElections.
  OpenSession(SessionContext& context, Members& members, ElectionSelf self);

  /// Requires: no RenewCall.
  void carry_out(const Call& call);
  void on_connected();
  void on_watch(const Message& message);
  void tick(SteadyTime now);
  /// Sends what has gathered: what makes transactions now, or all of it.
  void flush(bool all);
  /// Of what leaves: all of it.
  void flush_leaves() { elections_.flush_leaves(true); }
  /// See QueueElections.
  bool left_cleanly() const { return elections_.left_cleanly(); }
  std::optional<SteadyTime> due() const;

 private:
  void carry(const RenewCall&) {}
  void carry(const CampaignCall& call) { elections_.campaign(call.group); }
  void carry(const ResignCall& call) { elections_.resign(call.group); }
  void carry(const WriteCall& call) { registers_.write(call); }
  void carry(const ReadCall& call) { registers_.read(call); }
  void carry(const CreateCall& call) { registers_.create(call); }
  void carry(const RemoveCall& call) { registers_.remove(call); }
  void carry(const WatchCall& call) { watches_.add(call.prefix); }
  void carry(const ObserveCall& call) { observation_.observe(call); }
  void carry(const EvictCall& call) { observation_.evict(call); }
  void carry(const ListCall& call) { registers_.list(call); }

  SessionContext& context_;
  Queue queue_;
  QueueElections elections_;
  Registers registers_;
  Watches watches_;
  Observation observation_;
  std::optional<Tidy> tidy_;
};

}  // namespace ballot::zookeeper
