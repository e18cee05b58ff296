// What is said of a store that refuses writes of a node: by its status and by what it publishes, and so by `why`, which
// knows it by its first words.
//
// Pure.
//
//   refusal_text({since, "there is no space"})   // "the store refuses writes: there is no space, since 2026-...Z"
#pragma once

#include <string>
#include <string_view>

#include "core/store/refused_writes.hpp"

namespace ballot::library {

/// How each of these texts begins.
inline constexpr std::string_view store_refuses = "the store refuses writes";

std::string refusal_text(const core::RefusedWrites::Standing& refused);

}  // namespace ballot::library
