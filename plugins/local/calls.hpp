// What the loop asks of the plugin's thread, as plain values in the order of asking.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ballot/backend.hpp"

namespace ballot::local {

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
struct ListCall {
  RequestId request = 0;
  std::string prefix;
};

/// Of an open session.
using Call = std::variant<RenewCall, CampaignCall, ResignCall, WriteCall, ReadCall, ListCall>;

using Event = decltype(BackendEvent::what);

}  // namespace ballot::local
