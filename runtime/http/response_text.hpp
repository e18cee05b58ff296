// The bytes of a response: its head with what every response has, and pieces of a body whose length is not known.
//
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ballot/time.hpp"
#include "http/exchange.hpp"

namespace ballot::web {

struct Framing {
  enum class Body { of_length, chunked, until_close, none };
  Body body = Body::of_length;
  std::size_t length = 0;
  bool keep_alive = true;
};

/// With Date, what keeps browsers from being used against the server, `response.headers`, and the empty line at the
/// end. Characters that would end a header are left out of names and values.
std::string head_text(const HttpResponse& response, const Framing& framing, WallTime now);

/// "" for no bytes: that would be the last chunk.
std::string chunk_text(std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

}  // namespace ballot::web
