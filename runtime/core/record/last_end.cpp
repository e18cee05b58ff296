#include "core/record/last_end.hpp"

#include <utility>

#include "base/wall_text.hpp"
#include "core/record/record_text.hpp"
#include "core/record/trigger_text.hpp"

namespace ballot::core {
namespace {

constexpr std::string_view absent = "-";

std::string word(std::string text) { return " " + (text.empty() ? std::string(absent) : std::move(text)); }

/// The next word says that there is nothing; else it is left to be read.
bool takes_absent(Words& words) {
  const bool is_absent = words.rest.substr(0, words.rest.find(' ')) == absent;
  if (is_absent) words.word();
  return is_absent;
}

}  // namespace

LastEnd last_end_of(const Row& row, const LastEnd& before) {
  LastEnd end;
  end.run = row.run;
  end.slot = row.slot;
  end.trigger = row.trigger;
  end.attempt = row.attempt;
  end.epoch = row.epoch;
  end.fence = row.fence;
  end.status = row.status;
  end.reason = row.reason;
  end.ended_at = row.ended_at;
  end.exit_code = row.exit_code;
  end.node = *before.node == row.node ? before.node : Shared<std::string>(row.node);
  end.last_success = before.last_success;
  return end;
}

Row row_of(const LastEnd& end, const std::string& job, const std::string& group) {
  Row row;
  row.run = end.run;
  row.job = job;
  row.group = group;
  row.slot = end.slot;
  row.trigger = end.trigger;
  row.attempt = end.attempt;
  row.status = end.status;
  row.reason = end.reason;
  row.exit_code = end.exit_code;
  row.ended_at = end.ended_at;
  row.node = end.node;
  row.epoch = end.epoch;
  row.fence = end.fence;
  return row;
}

std::string to_text(const LastEnd& end) {
  return end.run->text() + word(format_millis(end.slot)) + word(std::string(to_string(known_before(end.trigger)))) +
         word(std::to_string(end.attempt)) + word(std::to_string(end.epoch)) + word(std::to_string(end.fence)) +
         word(std::string(to_string(end.status))) + word(std::string(to_string(end.reason))) +
         word(end.ended_at ? format_millis(*end.ended_at) : "") +
         word(end.exit_code ? std::to_string(*end.exit_code) : "") + word(*end.node) +
         (known_before(end.trigger) != end.trigger ? word(std::string(to_string(end.trigger))) : "");
}

LastEnd read_last_end(Words& words) {
  LastEnd end;
  end.run = words.keep(RunId::parse(words.word()));
  end.slot = words.time();
  end.trigger = words.keep(parse_trigger(words.word()));
  end.attempt = words.count(1);
  end.epoch = words.counter();
  end.fence = words.counter();
  end.status = words.keep(Named<Status>::parse(words.word()));
  if (!takes_absent(words)) end.reason = words.keep(Named<Reason>::parse(words.word()));
  if (!takes_absent(words)) end.ended_at = words.time();
  if (!takes_absent(words)) end.exit_code = words.number(0, 255);
  end.node = words.word();
  if (const auto kind = parse_trigger(words.rest)) end.trigger = *kind;  // else of a newer release
  words.require(is_final(end.status));
  return end;
}

}  // namespace ballot::core
