// CleanStop: the clean stop in one step: nothing new is claimed, decided slots are written, groups are resigned as
// their runs end, and the session is closed. Shutdown has the bounds in time.
//
// Pure; lives for one step; used inside core only.
#pragma once

#include "core/core_parts.hpp"
#include "core/group/groups.hpp"
#include "core/jobs/jobs.hpp"
#include "core/node/nodes.hpp"
#include "core/request/requests.hpp"

namespace ballot::core {

class CleanStop {
 public:
  CleanStop(CoreParts& parts, Context& c)
      : p_(parts), c_(c), jobs_(parts, c), groups_(parts, c), requests_(parts, c), nodes_(parts, c) {}

  void on(const Stop& event);
  /// At the end of each step.
  void advance();

 private:
  void log_left();
  void close();
  void end();

  CoreParts& p_;
  Context& c_;
  Jobs jobs_;
  Groups groups_;
  Requests requests_;
  Nodes nodes_;
};

}  // namespace ballot::core
