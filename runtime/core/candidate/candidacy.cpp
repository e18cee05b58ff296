#include "core/candidate/candidacy.hpp"

#include <algorithm>
#include <utility>

namespace ballot::core {
namespace {

constexpr Millis rejoin_pause{250};              // after it has handed over: time for another one to follow
constexpr Millis candidate_observe_pause{1000};  // between observations, after an eviction
constexpr Millis candidate_answer_life{60'000};

}  // namespace

Actions Candidacy::step(Now now, const Event& event) {
  if (session_.generation() == 0) session_.begin(now, out_);
  if (session_.on_time(now, last_request_, out_) == Session::Edge::lost)
    lose_session(now, Cause::expired, "no renewal was confirmed in time");
  std::visit([&](const auto& what) { on(now, what); }, event);
  observe_others(now);
  status_.connected = session_.is_open();
  status_.in_doubt = session_.is_open() && session_.in_doubt() && status_.epoch != 0;
  status_.deadline = session_.deadline();
  status_.grace = session_.grace(stop_grace_);
  return std::exchange(out_, {});
}

std::optional<SteadyTime> Candidacy::wake() const {
  std::optional<SteadyTime> wake = session_.wake();
  const auto also = [&](SteadyTime at) { wake = wake ? std::min(*wake, at) : at; };
  const bool rejoins = wanted_ && status_.unfit.empty() && status_.state == State::outside;
  if (rejoins && session_.is_open()) also(rejoins_at_);
  if (observe_at_) also(*observe_at_);
  return wake;
}

void Candidacy::on(Now now, Enter) {
  wanted_ = true;
  campaign(now);
}

void Candidacy::on(Now, Leave) {
  wanted_ = false;
  observe_at_.reset();
  if (status_.state != State::following && status_.state != State::leading) return;
  if (session_.is_open()) out_.push_back(Resign{group_});
  const bool confirmed = status_.leads() && session_.is_open();
  status_.state = confirmed ? State::leaving : State::outside;
}

void Candidacy::on(Now, Close) {
  wanted_ = false;
  if (std::exchange(closing_, true)) return;
  const bool open = session_.state() == Session::State::open || session_.state() == Session::State::opening;
  const bool awaited = open || session_.state() == Session::State::closing;
  // A term that is only left behind is not known to be over: its member entry would be kept, and the next would wait.
  if (session_.is_open() && status_.leads()) out_.push_back(Resign{group_});
  session_.end(false, out_);
  if (!awaited) status_.state = State::closed;
}

void Candidacy::on(Now now, const BackendEvent& event) {
  if (event.generation != session_.generation()) return;
  std::visit([&](const auto& what) { on(now, what); }, event.what);
}

void Candidacy::on(Now now, const backend::SessionOpened& event) {
  if (session_.on_opened(now, event) != Session::Edge::opened) return;
  was_open_ = true;
  status_.failures = 0;
  status_.trouble.clear();
  out_.push_back(Watch{std::string(request_prefix)});
  campaign(now);
}

void Candidacy::on(Now now, const backend::SessionClosed& event) {
  const bool opening = session_.state() == Session::State::opening;
  const bool refused = session_.is_refused(event);
  const Session::Edge edge = session_.on_closed(now, event);
  if (closing_) {
    status_.unconfirmed = status_.epoch != 0 && event.cause == Cause::unreachable;
    end_term(now, Cause::shutdown);
    status_.state = State::closed;
  } else if (edge == Session::Edge::lost || opening) {
    lose_session(now, event.cause, event.text);
  }
  const bool not_permitted = opening && event.cause == Cause::auth_failed && !was_open_;
  if ((!refused && !not_permitted) || closing_) return;
  status_.cause = event.cause;
  status_.refused = closing_ = true;
  status_.state = State::closed;
  session_.end(true, out_);
}

void Candidacy::on(Now now, const backend::Unfit& event) {
  if (event.group != group_ && !event.group.empty()) return;
  (event.group.empty() ? unfit_anywhere_ : unfit_here_) = event.why;
  status_.unfit = unfit_anywhere_.empty() ? unfit_here_ : unfit_anywhere_;
  if (status_.unfit.empty()) return campaign(now);
  if (status_.state == State::leading) status_.asked_to_leave = true;
  if (status_.state != State::following) return;
  status_.state = State::outside;
  out_.push_back(Resign{group_});
}

void Candidacy::on(Now now, const backend::Elected& event) {
  if (event.group != group_ || status_.state != State::following) return;
  status_.state = State::leading;
  status_.epoch = event.epoch;
  status_.cause = Cause::none;
  // What a resumed term had started was another process's, and is ended by its deadline, which is not sent to it.
  status_.acts_from =
      event.resumed ? now.steady + session_.timeout() : std::max(event.old_deadline.value_or(now.steady), now.steady);
  listing_ = next_request();
  out_.push_back(List{listing_, std::string(request_prefix)});
}

void Candidacy::on(Now now, const backend::Deposed& event) {
  if (event.group != group_ || event.epoch != status_.epoch) return;
  const bool evicted = event.cause == Cause::evicted || !evictions_.empty();
  if (event.cause == Cause::evicted) out_.push_back(Resign{group_});
  end_term(now, evicted ? Cause::evicted : event.cause);
  if (!evicted) return;
  answer_evictions(now);
  status_.state = State::outside;
  rejoins_at_ = now.steady + 3 * session_.timeout();
  observe_at_ = now.steady + candidate_observe_pause;
}

void Candidacy::on(Now, const backend::Changed& event) {
  if (event.prefix != request_prefix || !status_.leads() || listing_ != 0) return;
  listing_ = next_request();
  out_.push_back(List{listing_, std::string(request_prefix)});
}

void Candidacy::on(Now now, const backend::ReadDone& event) {
  if (event.request != listing_) return;
  listing_ = 0;
  if (event.outcome != StoreResult::done || !status_.leads()) return;
  for (const Register& record : event.registers) {
    const auto request = parse_request(record.value);
    if (!request || request->kind != Request::Kind::evict || request->group != group_) continue;
    const bool known = std::find(evictions_.begin(), evictions_.end(), request->id) != evictions_.end();
    if (known || request->until <= now.wall) continue;
    evictions_.push_back(request->id);
    // It is not for the next leader, so it leaves the store before this one does.
    out_.push_back(Remove{next_request(), {request_record(request->id)}});
  }
  status_.asked_to_leave = status_.asked_to_leave || !evictions_.empty();
}

void Candidacy::on(Now now, const backend::Observed& event) {
  if (event.request != observing_) return;
  observing_ = 0;
  if (event.outcome != StoreResult::done || !observe_at_) return;
  const bool alone = event.elections.empty() || event.elections.front().candidates.empty();
  if (!alone) return;
  observe_at_.reset();
  rejoins_at_ = now.steady;
  campaign(now);
}

void Candidacy::campaign(Now now) {
  if (!wanted_ || closing_ || status_.state != State::outside || !session_.is_open()) return;
  if (now.steady < rejoins_at_ || !status_.unfit.empty()) return;
  observe_at_.reset();
  status_.state = State::following;
  out_.push_back(Campaign{group_});
}

/// An eviction means somebody else: where there is nobody, it is void.
void Candidacy::observe_others(Now now) {
  if (!observe_at_ || now.steady < *observe_at_ || !session_.is_open() || !wanted_) return;
  observe_at_ = now.steady + candidate_observe_pause;
  observing_ = next_request();
  out_.push_back(Observe{observing_, group_});
}

void Candidacy::end_term(Now now, Cause cause) {
  if (status_.epoch == 0) return;
  const bool left = status_.state == State::leaving;
  status_.epoch = 0;
  status_.cause = left && cause == Cause::resigned && !status_.unfit.empty() ? Cause::unfit : cause;
  status_.asked_to_leave = false;
  status_.state = left ? State::outside : State::following;
  if (left) rejoins_at_ = now.steady + rejoin_pause;
}

/// The next session campaigns anew.
void Candidacy::lose_session(Now now, Cause cause, const std::string& text) {
  end_term(now, cause);
  if (status_.state != State::closed) status_.state = State::outside;
  ++status_.failures;
  status_.trouble = text.empty() ? std::string(to_string(cause)) : text;
  evictions_.clear();
  unfit_here_.clear(), unfit_anywhere_.clear(), status_.unfit.clear();
  observe_at_.reset();
  observing_ = listing_ = 0;
  rejoins_at_ = now.steady;
}

void Candidacy::answer_evictions(Now now) {
  std::vector<ballot::Record> answers;
  for (const RunId& id : std::exchange(evictions_, {})) {
    Answer answer = Answer::done();
    answer.until = now.wall + candidate_answer_life;
    answers.push_back({answer_record(id), to_text(answer)});
  }
  if (!answers.empty()) out_.push_back(Create{next_request(), std::move(answers)});
}

}  // namespace ballot::core
