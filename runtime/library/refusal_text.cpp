#include "library/refusal_text.hpp"

#include "base/wall_text.hpp"

namespace ballot::library {

std::string refusal_text(const core::RefusedWrites::Standing& refused) {
  return std::string(store_refuses) + ": " + refused.text + ", since " + format_seconds(refused.since);
}

}  // namespace ballot::library
