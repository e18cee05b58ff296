// The reason phrases of HTTP, as far as this server says them.
#pragma once

#include <string_view>

namespace ballot::web {

/// "Not Found"; of a status that is not known "".
std::string_view reason_of(int status);

}  // namespace ballot::web
