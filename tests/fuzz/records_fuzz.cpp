// Registers and records: what a node reads of what other nodes, of any version, or anybody have put into the store.
#include "core/record/standing_pause.hpp"
#include "harness.hpp"
#include "unit/core/hostile_texts.hpp"

namespace ballot::fuzz::records_harness {
namespace {

using namespace core;

template <class Pause>
std::string bad_pause(const Pause& pause) {
  return hostile::first_of({hostile::bad_time(pause.at), hostile::bad_text(pause.by)});
}

std::string bad_request(const Request& request) {
  std::string fault(fault_of(request));
  for (const std::string& name : {request.job, request.group})
    if (fault.empty() && !name.empty()) fault = hostile::bad_name(name);
  return hostile::first_of({fault, hostile::bad_time(request.until), hostile::bad_text(request.by)});
}

/// None: it is refused.
template <class R>
std::optional<R> read_record(Result<R> (*parse)(std::string_view), std::string (*bad)(const R&),
                             std::string_view text) {
  auto read = parse(text);
  if (read) {
    require(bad(*read).empty(), "what is read can be reckoned with", bad(*read));
    return *std::move(read);
  }
  const auto& [code, what] = read.error();
  require(code == Errc::corrupt || code == Errc::refused, "it is unreadable, or of a newer version", what);
  require(is_showable(what) && what.size() < 500, "an error can be shown", what);
  return std::nullopt;
}

/// What is written of what was read, is read as the same. None: the text is refused.
template <class R>
std::optional<R> look_at(Result<R> (*parse)(std::string_view), std::string (*write)(const R&),
                         std::string (*bad)(const R&), std::string_view input) {
  auto read = read_record(parse, bad, input);
  if (!read) return read;
  const std::string text = write(*read);
  if (text.size() > largest_text) return std::nullopt;
  auto again = read_record(parse, bad, text);
  require(again.has_value(), "what is written can be read", text);
  require(write(*again) == text, "what is written stays as it is", text);
  return again;
}

std::string node_record_text(const NodeRecord& record) {
  const auto texts = to_texts(record);
  for (const std::string& text : texts) {
    const auto part = parse_node_record(text);
    require(part && part->node == record.node && part->session == record.session, "each record is of its node", text);
  }
  return texts.front();
}

void salvage(std::string_view input, const std::optional<JobRegister>& whole) {
  JobRegister rest = salvage_job_register(input);
  if (rest.group.empty()) rest.group = "nightly";
  require(hostile::bad(rest).empty(), "what is salvaged can be reckoned with", hostile::bad(rest));
  const std::string text = to_text(rest);
  require(text.size() > largest_text || parse_job_register(text), "what is salvaged can be read again", text);
  if (!whole) return;
  JobRegister known = *whole;
  known.unknown.clear();
  require(salvage_job_register(to_text(*whole)) == known, "of a register that can be read all is salvaged");
}

/// Whatever somebody has said is in a record that can be read.
void write_record(std::string_view said) {
  Request request;
  request.id = hostile::run_id(1);
  request.job = "backup";
  request.by = said;
  require(static_cast<bool>(parse_request(to_text(request))), "a request can be read, whoever asks", said);
  NodeRecord node{"a", "s1", std::string(said), {}, {{"nightly", 7}}, {"m", "b", std::string(said)}, {}};
  node.unfit_groups.emplace_back("weekly", said);
  node.api = said;
  for (const std::string& text : to_texts(node))
    require(static_cast<bool>(parse_node_record(text)), "a node's record can be read, whatever is wrong with it", text);
}

}  // namespace

BALLOT_FUZZ(records) {
  write_record(input);
  salvage(input, look_at<JobRegister>(parse_job_register, to_text, hostile::bad, input));
  look_at<GroupRegister>(parse_group_register, to_text, hostile::bad, input);
  look_at<TickRegister>(parse_tick_register, to_text, hostile::bad, input);
  look_at<Request>(parse_request, to_text, bad_request, input);
  look_at<Answer>(parse_answer, to_text, hostile::bad, input);
  look_at<Row>(parse_outcome, outcome_text, hostile::bad, input);
  look_at<StandingPause>(parse_standing_pause, to_text, bad_pause<StandingPause>, input);
  look_at<PauseEnd>(parse_pause_end, to_text, bad_pause<PauseEnd>, input);
  look_at<NodeRecord>(parse_node_record, node_record_text, hostile::bad, input);
  Peers peers;
  peers.learn(SteadyTime{}, "self", {{"n/1", std::string(input), 1}, {"n/2", std::string(input), 1}});
}

}  // namespace ballot::fuzz::records_harness
