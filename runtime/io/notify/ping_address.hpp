// Where a run's start and end are pinged, in Healthchecks' form: URL/start, URL, URL/fail, with ?rid= the run's id.
#pragma once

#include <string>

#include "core/action.hpp"

namespace ballot::io {

/// "" where nothing is pinged: the run has neither failed nor succeeded. A query of the URL stays behind its path.
std::string ping_address(const core::Notify& notice);

}  // namespace ballot::io
