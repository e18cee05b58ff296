// ETags: a client that has the same answer already gets status 304 instead of it.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "http/exchange.hpp"

namespace ballot::web {

/// The response with its ETag, by its body, and Cache-Control; for whoever has it 304, without its body.
HttpResponse tagged(const HttpRequest& request, HttpResponse response, std::string_view cache_control);
/// The same, where the body's tag is known.
HttpResponse tagged(const HttpRequest& request, HttpResponse response, std::string_view cache_control,
                    const std::string& tag);

std::string tag_of(std::string_view body);

}  // namespace ballot::web
