// asked_request(): what a client asks to have done, as a request to whoever leads: read from its question, and refused
// where nobody could do it.
//
// Pure.
//
//   const auto asked = asked_request(*asked_kind("pause"), question, "host-1 uid 0", now);
#pragma once

#include <optional>
#include <string>

#include "ballot/error.hpp"
#include "core/request/request.hpp"
#include "io/message.hpp"

namespace ballot::library {

/// By the word "do" of a question. None: it is no request, or one that nodes make of each other, and nobody else.
std::optional<core::Request::Kind> asked_kind(const std::string& word);

struct AskedRequest {
  core::Request request;
  std::string run;  // kill, forget: the last digits of the run's id, or all of them; ""
  Millis patience;  // for which the client waits
};

/// `by`: who asks. Errors: invalid.
Result<AskedRequest> asked_request(core::Request::Kind kind, const io::Message& question, std::string by, WallTime now);

/// For a backfill, whose slots are chosen by then: the same request as `by` asks it. Errors: invalid.
Result<core::Request> asked_in(core::Request backfill, const io::Message& question, std::string by);
/// For which whoever asks waits.
Millis patience_of(const io::Message& question);

}  // namespace ballot::library
