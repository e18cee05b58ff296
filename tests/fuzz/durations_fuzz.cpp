// Durations, sizes, times, ids of runs and the ledger's words, as people, files and stores have them.
#include "ballot/run.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "harness.hpp"

namespace ballot::fuzz::durations_harness {
namespace {

void read_time(std::string_view input) {
  const auto time = parse_wall(input);
  if (!time) return;
  const std::string text = format_millis(*time);
  require(format_millis(*parse_wall(text)) == text, "a time that is written is read as the same", text);
  const std::string slot = format_slot(*time);
  require(format_slot(*parse_wall(slot)) == slot, "a slot that is written is read as the same", slot);
  require(format_seconds(*time).substr(0, 19) == text.substr(0, 19), "both say the same second", text);
}

template <class Word>
void same_word(std::string_view input, const std::optional<Word>& word) {
  if (word) require(to_string(*word) == input, "a word is read as itself", input);
}

template <class Enum>
void read_named(std::string_view input) {
  const auto named = Named<Enum>::parse(input);
  if (!named) return;
  const std::string text(named->text());
  require(Named<Enum>::parse(text) == named, "a word of another version is kept", text);
  require(!text.empty() || input.empty(), "a word has a text", input);
  require(is_showable(named->description()), "it can be shown", text);
}

}  // namespace

BALLOT_FUZZ(durations) {
  if (const auto duration = parse_duration(input)) {
    require(*duration >= Millis(0), "no duration is negative");
    const std::string text = format_duration(*duration);
    require(parse_duration(text) == duration, "a duration that is written is read as the same", text);
  }
  if (const auto size = parse_size(input)) require(*size >= 0, "no size is negative");
  if (const auto id = RunId::parse(input)) require(id->text() == input, "an id is written as it was read", input);
  read_time(input);
  same_word(input, parse_status(input));
  same_word(input, parse_reason(input));
  same_word(input, parse_trigger(input));
  same_word(input, parse_leftover(input));
  same_word(input, parse_cause(input));
  read_named<Status>(input);
  read_named<Reason>(input);
}

}  // namespace ballot::fuzz::durations_harness
