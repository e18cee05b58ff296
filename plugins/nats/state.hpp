// State: what the two buckets are like, for people, and what is wrong with them. Pure.
//
//   const StoreState state = state_of(registers, sessions, tried);
#pragma once

#include "api.hpp"
#include "ballot/backend.hpp"
#include "self_test.hpp"

namespace ballot::nats {

StoreState state_of(const StreamFacts& registers, const StreamFacts& sessions, const SelfTest& tried);

/// Why a bucket cannot be used; "": it can.
std::string fault_of_registers(const StreamFacts& facts, const StreamConfig& wanted);
std::string fault_of_sessions(const StreamFacts& facts, const StreamConfig& wanted);

}  // namespace ballot::nats
