// StoreFacts: what Consul says of itself, for `election list` and `info`: its leader, its servers, the agent of this
// host, and what is wrong with them. What the token may not see is left out.
//
//   ask_facts(agent, [](const StoreState& state) { ... });
#pragma once

#include <functional>

#include "agent.hpp"
#include "ballot/backend.hpp"

namespace ballot::consul {

void ask_facts(Agent& agent, std::function<void(const StoreState&)> done);

}  // namespace ballot::consul
