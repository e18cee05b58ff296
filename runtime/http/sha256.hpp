// SHA-256: of tokens, of which nothing else is kept, and of files, so that one that was changed is known. Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ballot::web {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);

}  // namespace ballot::web
