// Values of headers, as RFC 9110 writes them: letters in any case, white space around each part. Pure.
//
//   accepts_coding("br, GZIP;q=0.5", "gzip")                    // true
//   is_media_type("application/json; charset=utf-8", "application/json")   // true
#pragma once

#include <string>
#include <string_view>

namespace ballot::web {

/// ASCII's letters only.
std::string lower_case(std::string_view text);

/// Accept-Encoding: the coding is named, and with no weight of zero ("q=0", "q=0.000").
bool accepts_coding(std::string_view header, std::string_view coding);

/// Content-Type: the type itself, whatever its parameters.
bool is_media_type(std::string_view header, std::string_view type);

}  // namespace ballot::web
