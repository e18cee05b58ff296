#include "library/history/ledger_wire.hpp"

#include <algorithm>
#include <utility>

#include "base/hex.hpp"

namespace ballot::library {
namespace {

using io::Message;

constexpr std::int64_t farthest_time = 400'000'000'000'000;   // ms from 1970, 12,000 years
constexpr std::int64_t most_counted = std::int64_t{1} << 46;  // sums of what thousands of nodes say are numbers still

Error unreadable(const char* what) { return {Errc::corrupt, std::string("an answer with an unreadable ") + what}; }

std::int64_t ms(WallTime time) { return time.time_since_epoch().count(); }
std::int64_t whole(std::uint64_t number) { return static_cast<std::int64_t>(number); }

template <class T, class Convert>
void set_if(Message& message, const char* key, const std::optional<T>& value, Convert convert) {
  if (value) message.set(key, convert(*value));
}

/// None where what is computed with it might overflow.
std::optional<WallTime> time_of(const Message& message, const char* key) {
  const auto found = message.integer(key);
  return found && *found >= -farthest_time && *found <= farthest_time ? std::optional(WallTime(Millis(*found)))
                                                                      : std::nullopt;
}

std::optional<int> int_of(const Message& message, const char* key) {
  const auto found = message.integer(key);
  const bool fits = found && std::in_range<int>(*found);
  return fits ? std::optional(static_cast<int>(*found)) : std::nullopt;
}

/// An epoch or a fence. None where it is no such number.
std::optional<std::uint64_t> unsigned_of(const Message& message, const char* key) {
  const std::int64_t number = message.integer(key).value_or(0);
  return number >= 0 ? std::optional(static_cast<std::uint64_t>(number)) : std::nullopt;
}

/// Of what is counted: `least`, where it is not said. None where it is less, or cannot be.
std::optional<std::int64_t> count_of(const Message& message, const char* key, std::int64_t least) {
  const std::int64_t count = message.integer(key).value_or(least);
  return count >= least && count <= most_counted ? std::optional(count) : std::nullopt;
}

std::string text_of(const Message& message, const char* key) { return message.text(key).value_or(""); }

template <class E>
std::vector<std::string> words_of(const std::vector<E>& values) {
  std::vector<std::string> words;
  for (const E value : values) words.emplace_back(to_string(value));
  return words;
}

template <class E>
bool read_words(const std::vector<std::string>& words, std::optional<E> (*parse)(std::string_view),
                std::vector<E>& to) {
  for (const std::string& word : words) {
    const auto value = parse(word);
    if (!value) return false;
    to.push_back(*value);
  }
  return true;
}

}  // namespace

Message to_message(const Row& row) {
  Message message;
  if (row.run) message.set("run_id", row.run->text());
  message.set("job", row.job).set("group", row.group).set("slot", ms(row.slot)).set("slots", row.slots);
  set_if(message, "slot_until", row.slot_until, ms);
  message.set("trigger", std::string(to_string(row.trigger))).set("attempt", std::int64_t{row.attempt});
  message.set("status", std::string(to_string(row.status)));
  if (row.reason != Reason::none) message.set("reason", std::string(to_string(row.reason)));
  const auto integer = [](int value) { return std::int64_t{value}; };
  set_if(message, "exit_code", row.exit_code, integer);
  set_if(message, "signal", row.signal, integer);
  set_if(message, "started_at", row.started_at, ms);
  set_if(message, "ended_at", row.ended_at, ms);
  set_if(message, "duration_ms", row.duration, [](Millis value) { return std::int64_t{value.count()}; });
  message.set("node", row.node).set("epoch", whole(row.epoch)).set("fence", whole(row.fence));
  message.set("output_bytes", row.output_bytes);
  if (row.leftover != Leftover::none) message.set("leftover", std::string(to_string(row.leftover)));
  if (!row.triggered_by.empty()) message.set("triggered_by", row.triggered_by);
  if (!row.ended_by.empty()) message.set("ended_by", row.ended_by);
  if (!row.paused_by.empty()) message.set("paused_by", row.paused_by);
  if (!row.resumed_by.empty()) message.set("resumed_by", row.resumed_by);
  set_if(message, "paused_at", row.paused_at, ms);
  set_if(message, "pause_ends", row.pause_ends, ms);
  if (!row.pause_reason.empty()) message.set("pause_reason", row.pause_reason);
  if (!row.env.empty()) message.set("env", *row.env);
  return message;
}

Result<Row> row_from(const Message& message) {
  Row row;
  const auto run = message.text("run_id");
  if (run) row.run = RunId::parse(*run);
  const auto trigger = parse_trigger(text_of(message, "trigger"));
  const auto status = Named<Status>::parse(text_of(message, "status"));
  const std::string reason = text_of(message, "reason"), leftover = text_of(message, "leftover");
  const auto why = reason.empty() ? Named<Reason>(Reason::none) : Named<Reason>::parse(reason);
  const auto left = leftover.empty() ? Leftover::none : parse_leftover(leftover);
  const auto slot = time_of(message, "slot");
  const auto slots = count_of(message, "slots", 1), bytes = count_of(message, "output_bytes", 0);
  const auto duration = count_of(message, "duration_ms", 0);
  const auto epoch = unsigned_of(message, "epoch"), fence = unsigned_of(message, "fence");
  if ((run && !row.run) || !trigger || !status || !why || !left || !slot) return unreadable("row");
  if (!slots || !bytes || !duration || !epoch || !fence) return unreadable("number of a row");
  row.job = text_of(message, "job");
  row.group = text_of(message, "group");
  row.slot = *slot;
  row.slot_until = time_of(message, "slot_until");
  row.slots = *slots;
  row.trigger = *trigger;
  row.attempt = int_of(message, "attempt").value_or(0);
  row.status = *status;
  row.reason = *why;
  row.exit_code = int_of(message, "exit_code");
  row.signal = int_of(message, "signal");
  row.started_at = time_of(message, "started_at");
  row.ended_at = time_of(message, "ended_at");
  if (message.integer("duration_ms")) row.duration = Millis(*duration);
  row.node = text_of(message, "node");
  row.epoch = *epoch;
  row.fence = *fence;
  row.output_bytes = *bytes;
  row.leftover = *left;
  row.triggered_by = text_of(message, "triggered_by");
  row.ended_by = text_of(message, "ended_by");
  row.paused_by = text_of(message, "paused_by");
  row.resumed_by = text_of(message, "resumed_by");
  row.paused_at = time_of(message, "paused_at");
  row.pause_ends = time_of(message, "pause_ends");
  row.pause_reason = text_of(message, "pause_reason");
  if (const auto env = message.text("env")) row.env = *env;
  return row;
}

std::vector<Message> to_messages(const std::vector<Row>& rows) {
  std::vector<Message> messages;
  for (const Row& row : rows) messages.push_back(to_message(row));
  return messages;
}

Result<std::vector<Row>> rows_from(const Message& message, const std::string& name) {
  std::vector<Row> rows;
  for (const Message& one : message.objects(name)) {
    auto row = row_from(one);
    if (!row) return row.error();
    rows.push_back(*std::move(row));
  }
  return rows;
}

Message to_message(const RowKey& key) {
  Message message;
  if (key.run) return message.set("run", key.run->text()).set("attempt", std::int64_t{key.attempt});
  return message.set("job", key.job).set("slot", ms(key.slot)).set("until", ms(key.until));
}

Result<RowKey> row_key_from(const Message& message) {
  RowKey key{.attempt = int_of(message, "attempt").value_or(0), .job = text_of(message, "job")};
  const auto run = message.text("run");
  if (run) key.run = RunId::parse(*run);
  const auto slot = time_of(message, "slot"), until = time_of(message, "until");
  if (run ? !key.run : key.job.empty() || !slot || !until || *until < *slot) return unreadable("key of a row");
  key.slot = slot.value_or(WallTime{});
  key.until = until.value_or(WallTime{});
  return key;
}

std::optional<WallTime> slot_from(const Message& message) { return time_of(message, "slot"); }

Message to_message(const MissingNode& missing) {
  Message message;
  message.set("node", missing.node).set("why", missing.why);
  set_if(message, "last_heard", missing.last_heard, ms);
  if (!missing.heard_by.empty()) message.set("heard_by", missing.heard_by);
  return message;
}

MissingNode missing_from(const Message& message) {
  return {text_of(message, "node"), time_of(message, "last_heard"), text_of(message, "why"),
          text_of(message, "heard_by")};
}

Message to_message(const UsualTime& usual) {
  Message message;
  message.set("basis", std::string(to_string(usual.basis))).set("takes", usual.takes.count());
  message.set("runs", whole(usual.runs));
  if (usual.slower_since) message.set("slower_since", ms(*usual.slower_since));
  if (usual.unread) message.set("quick_until", ms(usual.unread->quick_until)).set("unread", usual.unread->why);
  return message;
}

namespace {
std::optional<UsualTime::Unread> unread_from(const Message& message) {
  const auto quick_until = time_of(message, "quick_until");
  return quick_until ? std::optional(UsualTime::Unread{*quick_until, text_of(message, "unread")}) : std::nullopt;
}
}  // namespace

UsualTime usual_time_from(const Message& message) {
  using Basis = UsualTime::Basis;
  for (const Basis basis : {Basis::few, Basis::recent, Basis::week})
    if (message.text("basis") == to_string(basis))
      return {basis, Millis(message.integer("takes").value_or(0)),
              static_cast<std::size_t>(std::max(std::int64_t{0}, message.integer("runs").value_or(0))),
              time_of(message, "slower_since"), unread_from(message)};
  return {};
}

Message to_message(const TermRow& term) {
  Message message;
  message.set("group", term.group).set("node", term.node).set("epoch", whole(term.epoch));
  message.set("elected_at", ms(term.elected_at)).set("cause", std::string(to_string(term.cause)));
  set_if(message, "ended_at", term.ended_at, ms);
  return message;
}

Result<TermRow> term_from(const Message& message) {
  const std::string word = text_of(message, "cause");
  const auto cause = word.empty() ? Cause::none : parse_cause(word);
  const auto elected = time_of(message, "elected_at");
  const auto epoch = unsigned_of(message, "epoch");
  if (!cause || !elected || !epoch) return unreadable("term");
  return TermRow{
      text_of(message, "group"), text_of(message, "node"), *epoch, *elected, time_of(message, "ended_at"), *cause};
}

Message to_message(const storage::Position& position) {
  Message message;
  message.set("slot", ms(position.slot)).set("attempt", std::int64_t{position.attempt}).set("id", position.id);
  if (!position.ledger.empty()) message.set("ledger", position.ledger);
  return message;
}

storage::Position position_from(const Message& message) {
  return {time_of(message, "slot").value_or(WallTime{}), int_of(message, "attempt").value_or(0),
          message.integer("id").value_or(0), text_of(message, "ledger")};
}

Message to_message(const storage::Filter& filter) {
  Message message;
  message.set("jobs", filter.jobs).set("groups", filter.groups).set("nodes", filter.nodes);
  message.set("statuses", words_of(filter.statuses)).set("reasons", words_of(filter.reasons));
  if (filter.run) message.set("run", filter.run->text());
  set_if(message, "since", filter.since, ms);
  set_if(message, "until", filter.until, ms);
  if (filter.after) message.set("after", std::vector{to_message(*filter.after)});
  if (filter.limit) message.set("limit", *filter.limit);
  return message;
}

Result<storage::Filter> filter_from(const Message& message) {
  storage::Filter filter{.jobs = message.texts("jobs"),
                         .groups = message.texts("groups"),
                         .nodes = message.texts("nodes"),
                         .since = time_of(message, "since"),
                         .until = time_of(message, "until"),
                         .limit = message.integer("limit")};
  const Error fault{Errc::invalid, "a filter with an unknown status, reason or run"};
  if (!read_words(message.texts("statuses"), parse_status, filter.statuses)) return fault;
  if (message.flag("failed").value_or(false))
    filter.statuses.insert(filter.statuses.end(), storage::ended_badly.begin(), storage::ended_badly.end());
  if (!read_words(message.texts("reasons"), parse_reason, filter.reasons)) return fault;
  const auto run = message.text("run");
  if (run) filter.run = RunId::parse(*run);
  if (run && !filter.run) return fault;
  for (const Message& after : message.objects("after")) filter.after = position_from(after);
  return filter;
}

Message to_message(const ShownOutput& shown) {
  Message message;
  message.set("elsewhere", shown.place == ShownOutput::Place::elsewhere).set("node", shown.node);
  message.set("lost", shown.place == ShownOutput::Place::lost);
  // An output is of any bytes, a text of a message is UTF-8.
  message.set("begin", shown.piece.begin).set("bytes", to_hex(shown.piece.bytes));
  set_if(message, "printed_at", shown.as_of, ms);
  return message.set("total", shown.total).set("ended", shown.ended);
}

Result<ShownOutput> output_from(const Message& message) {
  auto bytes = from_hex(text_of(message, "bytes"));
  const auto begin = message.integer("begin"), total = message.integer("total");
  if (!bytes || !begin || !total) return unreadable("output");
  const auto is = [&](const char* place) { return message.flag(place).value_or(false); };
  using Place = ShownOutput::Place;
  std::optional<WallTime> as_of;
  if (const auto at = message.integer("printed_at")) as_of = WallTime(Millis(*at));
  return ShownOutput{is("lost")        ? Place::lost
                     : is("elsewhere") ? Place::elsewhere
                                       : Place::here,
                     text_of(message, "node"),
                     OutputPiece{*begin, *std::move(bytes)},
                     *total,
                     message.flag("ended").value_or(false),
                     as_of};
}

Message to_message(const AuditResult& result) {
  std::vector<Message> findings, totals, departed;
  for (const audit::Finding& finding : result.findings) {
    Message one;
    one.set("kind", std::int64_t{static_cast<int>(finding.kind)}).set("job", finding.job).set("slot", ms(finding.slot));
    set_if(one, "until", finding.until, ms);
    one.set("slots", finding.slots).set("what", finding.what).set("rows", to_messages(finding.rows));
    findings.push_back(std::move(one));
  }
  for (const audit::Total& total : result.totals) {
    Message one;
    one.set("status", std::string(to_string(total.status))).set("reason", std::string(to_string(total.reason)));
    totals.push_back(one.set("count", total.count));
  }
  for (const audit::Departed& gone : result.departed) {
    Message one;
    one.set("job", gone.job).set("node", gone.node);
    set_if(one, "last_slot", gone.last_slot, ms);
    departed.push_back(std::move(one));
  }
  Message message;
  message.set("findings", std::move(findings)).set("finding_count", result.finding_count);
  message.set("totals", std::move(totals)).set("undefined", result.undefined);
  return message.set("departed", std::move(departed));
}

namespace {

Result<audit::Finding> finding_from(const Message& message) {
  auto rows = rows_from(message, "rows");
  if (!rows) return rows.error();
  const auto kind = message.integer("kind").value_or(-1);
  const auto slot = time_of(message, "slot");
  const auto slots = count_of(message, "slots", 1);
  if (kind < 0 || kind > static_cast<std::int64_t>(audit::Kind::history) || !slot || !slots)
    return unreadable("finding");
  return audit::Finding{
      static_cast<audit::Kind>(kind), text_of(message, "job"), *slot, time_of(message, "until"), *slots,
      text_of(message, "what"),       *std::move(rows)};
}

}  // namespace

Result<AuditResult> audit_from(const Message& message) {
  AuditResult result;
  for (const Message& one : message.objects("findings")) {
    auto finding = finding_from(one);
    if (!finding) return finding.error();
    result.findings.push_back(*std::move(finding));
  }
  for (const Message& one : message.objects("totals")) {
    const std::string reason = text_of(one, "reason");
    const auto status = Named<Status>::parse(text_of(one, "status"));
    const auto why = reason.empty() ? Named<Reason>(Reason::none) : Named<Reason>::parse(reason);
    const auto count = count_of(one, "count", 0);
    if (!status || !why || !count) return unreadable("total");
    result.totals.push_back({*status, *why, *count});
  }
  for (const Message& one : message.objects("departed"))
    result.departed.push_back({text_of(one, "job"), text_of(one, "node"), time_of(one, "last_slot")});
  const auto findings = count_of(message, "finding_count", 0);
  if (!findings) return unreadable("count of findings");
  result.finding_count = *findings;
  result.undefined = message.texts("undefined");
  return result;
}

}  // namespace ballot::library
