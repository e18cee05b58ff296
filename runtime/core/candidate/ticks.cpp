#include "core/candidate/ticks.hpp"

#include <algorithm>
#include <utility>

#include "base/wall_text.hpp"
#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr Millis retry_pause{200};

constexpr Field<TickRegister> tick_fields[] = {
    {"cursor", Times::once, [](TickRegister& r, Words& w) { r.cursor = w.time(); }},
    {"run", Times::at_most_once, [](TickRegister& r, Words& w) { r.run = w.word(); }},
    {"node", Times::at_most_once, [](TickRegister& r, Words& w) { r.node = w.word(); }},
    {"anchor", Times::often,
     [](TickRegister& r, Words& w) {
       const WallTime at = w.time();
       r.anchors.push_back({std::string(w.line()), at});
     }},
};

constexpr TextForm<TickRegister> tick_form{"the register of the ticks", tick_fields, nullptr, &TickRegister::unknown};

}  // namespace

std::string tick_register(std::string_view group) { return "t/" + std::string(group); }

std::string to_text(const TickRegister& r) {
  std::string text = std::string(heading) + "\n";
  line(text, "cursor", format_millis(r.cursor));
  if (!r.run.empty()) line(text, "run", r.run);
  if (!r.node.empty()) line(text, "node", r.node);
  for (const Anchor& anchor : r.anchors) line(text, "anchor", format_millis(anchor.at) + " " + anchor.text);
  for (const std::string& unknown : r.unknown) text += unknown + "\n";
  return text;
}

Result<TickRegister> parse_tick_register(std::string_view text) { return parse_text(tick_form, text); }

void Ticks::lead(std::uint64_t epoch, RequestId& last_request, Actions& out) {
  drop();
  epoch_ = epoch;
  read(last_request, out);
}

void Ticks::drop() {
  state_ = State::idle;
  request_ = 0;
  written_ = claiming_ = false;
  again_at_.reset();
}

void Ticks::read(RequestId& last_request, Actions& out) {
  state_ = State::reading;
  again_at_.reset();
  request_ = ++last_request;
  out.push_back(Read{request_, {tick_register(group_)}});
}

std::vector<WallTime> Ticks::anchors() const {
  std::vector<WallTime> all;
  for (const std::string& text : plan_.everies()) {
    const auto found = std::find_if(stored_.anchors.begin(), stored_.anchors.end(),
                                    [&](const Anchor& anchor) { return anchor.text == text; });
    all.push_back(found != stored_.anchors.end() ? found->at : stored_.cursor);
  }
  return all;
}

Ticks::Look Ticks::look(Now now) const {
  Look look;
  const std::vector<WallTime> from = anchors();
  const WallTime horizon = now.wall - oldest;
  WallTime at = stored_.cursor;
  if (at < horizon) {
    const auto first = plan_.next(at, from);
    look.passed_more = first && first->at <= horizon;
    at = horizon;
  }
  auto slot = plan_.next(at, from);
  for (; slot && slot->at <= now.wall; slot = plan_.next(slot->at, from)) {
    if (!slot->is_due()) {
      look.passed.push_back(slot->at);
      continue;
    }
    if (look.due) look.passed.push_back(*look.due);
    look.due = slot->at;
  }
  if (slot) look.next = slot->at;
  return look;
}

void Ticks::write(WallTime slot, const std::string& run, RequestId& last_request, Actions& out) {
  wanted_ = stored_;
  wanted_.cursor = slot;
  wanted_.run = run;
  wanted_.node = node_;
  written_ = false;
  send_write(last_request, out);
}

void Ticks::send_write(RequestId& last_request, Actions& out) {
  state_ = State::writing;
  again_at_.reset();
  request_ = ++last_request;
  out.push_back(Write{request_, {{group_, epoch_, tick_register(group_), to_text(wanted_), version_}}});
}

/// The store has what was to be written.
std::optional<WallTime> Ticks::settled() {
  state_ = State::ready;
  written_ = false;
  stored_ = wanted_;
  return std::exchange(claiming_, false) ? std::optional(stored_.cursor) : std::nullopt;
}

std::optional<WallTime> Ticks::on(Now now, const backend::Wrote& event, RequestId& last_request, Actions& out) {
  if (event.request != request_ || state_ != State::writing) return std::nullopt;
  request_ = 0;
  const WriteAnswer answer = event.answers.empty() ? WriteAnswer{} : event.answers.front();
  switch (answer.outcome) {
    case StoreResult::done: version_ = answer.version; return settled();
    case StoreResult::unknown:
      written_ = true;
      again_at_ = now.steady + retry_pause;
      break;
    case StoreResult::failed:
      if (!written_) state_ = State::reading;
      again_at_ = now.steady + retry_pause;
      break;
    case StoreResult::conflict:
    case StoreResult::not_leader: read(last_request, out); break;
  }
  return std::nullopt;
}

std::optional<WallTime> Ticks::on(Now now, const backend::ReadDone& event, RequestId& last_request, Actions& out) {
  if (event.request != request_ || state_ != State::reading) return std::nullopt;
  request_ = 0;
  if (event.outcome != StoreResult::done) {
    again_at_ = now.steady + retry_pause;
    return std::nullopt;
  }
  trouble_.clear();
  if (event.registers.empty()) {
    version_ = 0;
    begin(now, last_request, out);
    return std::nullopt;
  }
  const auto found = parse_tick_register(event.registers.front().value);
  if (!found) {
    trouble_ = found.error().what;
    again_at_ = now.steady + 10 * retry_pause;
    return std::nullopt;
  }
  version_ = event.registers.front().version;
  if (written_ && *found == wanted_) return settled();
  written_ = claiming_ = false;
  stored_ = *found;
  state_ = State::ready;
  if (anchor_new_schedules(now)) write(stored_.cursor, stored_.run, last_request, out);
  return std::nullopt;
}

/// One that is new here counts from now on.
bool Ticks::anchor_new_schedules(Now now) {
  const std::size_t known = stored_.anchors.size();
  for (const std::string& text : plan_.everies())
    if (std::none_of(stored_.anchors.begin(), stored_.anchors.end(), [&](const Anchor& a) { return a.text == text; }))
      stored_.anchors.push_back({text, now.wall});
  return stored_.anchors.size() > known;
}

/// The first leader ever: no tick up to now is due.
void Ticks::begin(Now now, RequestId& last_request, Actions& out) {
  stored_ = {};
  stored_.cursor = now.wall;
  anchor_new_schedules(now);
  write(now.wall, "", last_request, out);
}

void Ticks::on_time(Now now, RequestId& last_request, Actions& out) {
  if (!again_at_ || now.steady < *again_at_) return;
  if (state_ == State::writing)
    send_write(last_request, out);
  else
    read(last_request, out);
}

}  // namespace ballot::core
