// Base64: bytes as letters, with padding, as JSON carries them (RFC 4648, section 4). Pure.
//
//   to_base64("key") == "a2V5";   from_base64("a2V5") == "key"
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ballot::http {

std::string to_base64(std::string_view bytes);
/// None: it is no base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace ballot::http
