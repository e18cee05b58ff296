// NamespaceState: whether daemons may use a namespace, by the marks that `ballot store` leaves in it, and how its
// epochs are counted. Pure; knows nothing of sessions.
//
//   records                       | use   | a daemon that has a session     | one that starts
//   none of these                 | open  | leads                           | leads
//   s/export or s/import          | held  | leads nothing until it is open  | the same
//   s/moved (whatever else)       | moved | leads nothing any more          | stops
//   s/epochs cannot be read       | held  | leads nothing until it is open  | the same
//
//   const NamespaceState state = namespace_state(list("s/"));
//   if (state.use == NamespaceState::Use::moved) return fail(state.why);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ballot/backend.hpp"

namespace ballot::core {

struct NamespaceState {
  enum class Use { open, held, moved };

  Use use = Use::open;
  std::string why;               ///< for people, with what to do; "" where it is open
  std::uint64_t epoch_base = 0;  ///< to be added to each epoch of the store
  bool operator==(const NamespaceState&) const = default;
};

/// `records`: all whose names begin with mark_prefix, in any order.
NamespaceState namespace_state(const std::vector<Register>& records);

}  // namespace ballot::core
