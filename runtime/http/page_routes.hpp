// The page for people: `/`, and below `/page/` the files that it is made of. Anybody may have them: what they show,
// they ask the API for, in the name of whoever looks.
#pragma once

#include "http/exchange.hpp"

namespace ballot::web {

Routes page_routes();

}  // namespace ballot::web
