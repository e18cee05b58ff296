// Names of time zones: which text can be one, and which known one is nearest to a text that is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ballot::zones {

/// Whether the text has the form of an IANA name. Paths, `..`, `localtime`, `posix/...` and the like have not.
bool is_zone_name(std::string_view text);

/// The known name that differs least from the text, apart from case; none if all differ by more than a slip of the
/// pen. Reads the list of the system's database (tzdata.zi): for the way to an error message only.
std::optional<std::string> nearest_zone_name(std::string_view text);

}  // namespace ballot::zones
