// State: what the two buckets are like, for people, and what is wrong with them. Pure.
//
//   const StoreState state = state_of(registers, sessions, tried);   // answers of STREAM.INFO
#pragma once

#include "ballot/backend.hpp"
#include "jetstream/api.hpp"
#include "self_test.hpp"

namespace ballot::nats {

using namespace jetstream;

StoreState state_of(const Answer& registers, const Answer& sessions, const SelfTest& tried);

/// Why a bucket cannot be used for what is wanted, of sessions where it has a maximum age; "": it can.
std::string fault_of(const json::value& info, const StreamConfig& wanted);

}  // namespace ballot::nats
