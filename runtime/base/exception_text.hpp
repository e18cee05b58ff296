// What an exception says of itself. Any thread.
#pragma once

#include <exception>
#include <string>

namespace ballot {

/// The exception's what(), which may be null in code of others.
inline std::string exception_text(const std::exception& thrown) {
  const char* const text = thrown.what();
  return text ? text : "an exception without a text";
}

}  // namespace ballot
