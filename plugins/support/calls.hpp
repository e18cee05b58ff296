// Calls: what the loop asks of a plugin's thread, as plain values in the order of asking, and the events in return.
// Knows nothing of stores and threads.
//
//   if (const auto* write = std::get_if<WriteCall>(&call)) ...
//   if (auto event = refusal(call, StoreResult::failed, "the disk is full")) host.post({generation, *event});
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ballot/backend.hpp"

namespace ballot::support {

struct RenewCall {
  RequestId request = 0;
  SteadyTime asked{};
};
struct CampaignCall {
  std::string group;
};
struct ResignCall {
  std::string group;
};
struct WriteCall {
  RequestId request = 0;
  std::vector<RegisterWrite> batch;
};
struct ReadCall {
  RequestId request = 0;
  std::vector<std::string> names;
};
struct CreateCall {
  RequestId request = 0;
  std::vector<Record> records;
};
struct RemoveCall {
  RequestId request = 0;
  std::vector<std::string> names;
};
struct WatchCall {
  std::string prefix;
};
struct ObserveCall {
  RequestId request = 0;
  std::string group;
};
struct EvictCall {
  RequestId request = 0;
  std::string group;
};
struct ListCall {
  RequestId request = 0;
  std::string prefix;
};

/// All that is asked of an open session.
using Call = std::variant<RenewCall, CampaignCall, ResignCall, WriteCall, ReadCall, CreateCall, RemoveCall, WatchCall,
                          ObserveCall, EvictCall, ListCall>;

using Event = decltype(BackendEvent::what);
using Events = std::vector<Event>;

/// Why there can be no register or record of this name and value; "" where there can.
std::string problem_of(const std::string& name, const std::string& value);

/// The answer to a call of which nothing has happened; none where it has no answer.
std::optional<Event> refusal(const Call& call, StoreResult outcome, const std::string& text);

}  // namespace ballot::support
