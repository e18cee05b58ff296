#include "library/asked_terms.hpp"

#include "base/duration.hpp"
#include "base/quoted.hpp"
#include "base/wall_text.hpp"
#include "core/record/record_text.hpp"

namespace ballot::library {

Result<core::PauseTerms> asked_terms(const io::Message& question, WallTime now) {
  const auto lasts = question.text("for"), until = question.text("until");
  core::PauseTerms terms{{}, question.text("reason").value_or("")};
  if (lasts && until) return Error{Errc::invalid, "either for or until says when the pause ends, not both"};
  if (lasts) {
    const auto span = parse_duration(*lasts);
    if (!span || *span <= Millis(0) || *span > core::longest_span)
      return Error{Errc::invalid, "for: " + quoted(*lasts) + " is no duration such as 90m, 2h or 3d"};
    terms.ends = now + *span;
  }
  if (until) {
    terms.ends = parse_wall(*until);
    if (!terms.ends)
      return Error{Errc::invalid, "until: " + quoted(*until) + " is no time as 2025-03-09T07:00:00Z (RFC 3339)"};
  }
  return terms;
}

}  // namespace ballot::library
