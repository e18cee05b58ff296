// Target: what a request names, taken apart: the segments of its path below the base path, and its query.
//
// Pure.
//
//   const auto target = parse_target("/ballot/api/v1/jobs/a%2Db?limit=5", "/ballot");   // {api, v1, jobs, a-b}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ballot/error.hpp"
#include "http/exchange.hpp"

namespace ballot::web {

struct Target {
  std::vector<std::string> path;
  Pairs query;
  bool is_bare = false;  // the base path itself, without the '/' after it
};

/// `text` as it stands in the request's first line. Errors: invalid: no path, a percent sign without two digits, a
/// control character, something that is not UTF-8, an empty segment, "." or "..", more than 128 values in the query;
/// not_found: it does not lie below `base_path`.
Result<Target> parse_target(std::string_view text, std::string_view base_path);

/// The names of its values, without percent signs; one that is no text is left out.
std::vector<std::string> query_names(std::string_view text);

}  // namespace ballot::web
