// The elections as registers.db and the living show them: who leads, who takes part.
#pragma once

#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "register_db.hpp"

namespace ballot::local {

/// Of `group`, or of all groups where it is "". Whoever is not in `live` is not shown.
std::vector<Election> elections(RegisterDb& db, const std::vector<FolderSession>& live, const std::string& group);

}  // namespace ballot::local
