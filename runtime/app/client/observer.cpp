#include "app/client/observer.hpp"

#include <chrono>
#include <iostream>

#include "app/print/escape.hpp"
#include "base/duration.hpp"
#include "library/backend_choice.hpp"

namespace ballot::app {
namespace {

/// What the store refuses, for want of permission, is no silence of the store.
Error not_done(StoreResult outcome, const std::string& why) {
  return {outcome == StoreResult::failed ? Errc::denied : Errc::unavailable, why};
}

Error no_answer(const std::string& place, Millis patience) {
  return {Errc::unavailable, place + " does not answer within " + format_duration(patience)};
}

/// "backend etcd (servers 10.0.0.1:2379, 10.0.0.2:2379)", by what tells its store from another one.
std::string place_of_store(const BackendSettings& settings, const PluginInfo& plugin) {
  std::string text;
  for (const OptionKey& key : plugin.traits.keys) {
    const auto given = settings.options.find(key.name);
    if (given == settings.options.end() || key.flag != OptionFlag::listed) continue;
    text += (text.empty() ? "" : "; ") + given->first;
    if (const auto* one = std::get_if<std::string>(&given->second)) text += " " + *one;
    if (const auto* list = std::get_if<std::vector<std::string>>(&given->second))
      for (const std::string& one : *list) text += (&one == list->data() ? " " : ", ") + one;
  }
  return "backend " + std::string(plugin.name) + (text.empty() ? "" : " (" + text + ")");
}

}  // namespace

Result<std::unique_ptr<Observer>> Observer::open(const config::Config& config, const std::string& handle,
                                                 Millis answer_within) {
  auto observer = open_session(config, handle, answer_within);
  if (!observer || !handle.empty()) return observer;
  if (const auto& state = (*observer)->port_.name_space(); !state.why.empty())
    std::cerr << "warning: " << escaped(state.why, Escape::plain) << '\n';
  return observer;
}

Result<std::unique_ptr<Observer>> Observer::open_session(const config::Config& config, const std::string& handle,
                                                         Millis answer_within) {
  const auto plugin = library::find_backend(config);
  if (!plugin) return plugin.error();
  std::unique_ptr<Observer> observer(new Observer(**plugin));
  observer->answer_within_ = answer_within;
  observer->place_ = place_of_store(library::backend_settings(config), **plugin);
  observer->stands_in_ = !handle.empty();
  if (const auto made = observer->port_.start(library::backend_settings(config)); !made) return made.error();
  SessionRequest request = session_request(config);
  request.observer = handle.empty();
  request.handle = handle;
  observer->port_.open(request);
  auto opened = observer->await<backend::SessionOpened>();
  if (!opened && !handle.empty() && opened.error().code != Errc::not_found) (void)observer.release();
  if (!opened) return opened.error();
  observer->opened_ = *std::move(opened);
  return observer;
}

Result<std::unique_ptr<Observer>> Observer::open_within(const config::Config& config, Millis time) {
  const auto until = std::chrono::steady_clock::now() + time;
  auto observer = open(config, "", time);
  if (observer) (*observer)->until_ = until;
  return observer;
}

Observer::Observer(const PluginInfo& plugin) : port_(plugin, print_warning, [this] { posted_.post(); }) {}

Observer::~Observer() = default;

Result<std::vector<Election>> Observer::observe(const std::string& group) {
  backend().observe(++last_request_, group);
  auto observed = await<backend::Observed>();
  if (!observed) return observed.error();
  if (observed->outcome != StoreResult::done) return not_done(observed->outcome, observed->text);
  store_ = std::move(observed->store);
  return std::move(observed->elections);
}

Result<void> Observer::evict(const std::string& group) {
  backend().evict(++last_request_, group);
  const auto wrote = await<backend::Wrote>();
  if (!wrote) return wrote.error();
  const WriteAnswer answer = wrote->answers.empty() ? WriteAnswer{} : wrote->answers.front();
  if (answer.outcome == StoreResult::done) return {};
  if (answer.outcome == StoreResult::conflict) return Error{Errc::not_found, "nobody leads group " + group};
  return not_done(answer.outcome, answer.text.empty() ? "it is not known whether it was done" : answer.text);
}

Result<std::vector<Register>> Observer::list(const std::string& prefix) {
  backend().list(++last_request_, prefix);
  return await_registers();
}

Result<std::vector<Register>> Observer::read(const std::vector<std::string>& names) {
  backend().read(++last_request_, names);
  return await_registers();
}

Result<void> Observer::create(const Record& record) {
  backend().create(++last_request_, {record});
  const auto wrote = await<backend::Wrote>();
  if (!wrote) return wrote.error();
  const WriteAnswer answer = wrote->answers.empty() ? WriteAnswer{} : wrote->answers.front();
  if (answer.outcome == StoreResult::done) return {};
  if (answer.outcome == StoreResult::conflict) return Error{Errc::conflict, answer.text};
  return not_done(answer.outcome, answer.text.empty() ? "it is not known whether it was asked for" : answer.text);
}

Result<void> Observer::create_all(std::vector<Record> records) {
  backend().create(++last_request_, std::move(records));
  const auto wrote = await<backend::Wrote>();
  if (!wrote) return wrote.error();
  for (const WriteAnswer& answer : wrote->answers)
    if (answer.outcome != StoreResult::done && answer.outcome != StoreResult::conflict)
      return Error{Errc::unavailable, answer.text.empty() ? "it is not known whether it was written" : answer.text};
  return {};
}

void Observer::remove(const std::vector<std::string>& names) {
  backend().remove(++last_request_, names);
  (void)await<backend::Wrote>();
}

Result<std::vector<Register>> Observer::await_registers() {
  auto done = await<backend::ReadDone>();
  if (!done) return done.error();
  if (done->outcome != StoreResult::done) return not_done(done->outcome, done->text);
  return std::move(done->registers);
}

bool Observer::close(bool keep) {
  backend().close(keep);
  const auto closed = await<backend::SessionClosed>();
  return closed && closed->cause == Cause::shutdown;
}

bool Observer::wait_for_change(Millis time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!closed_ && !std::exchange(changed_, false)) {
    const auto left = std::chrono::duration_cast<Millis>(until - std::chrono::steady_clock::now());
    if (left <= Millis(0)) return true;
    (void)next(left);
  }
  return !closed_;
}

std::optional<BackendEvent> Observer::next(Millis time) {
  auto event = posted_.next(port_, std::chrono::steady_clock::now() + time);
  if (!event) return event;
  closed_ = closed_ || std::holds_alternative<backend::SessionClosed>(event->what);
  changed_ = changed_ || std::holds_alternative<backend::Changed>(event->what);
  return event;
}

template <class Event>
Result<Event> Observer::await() {
  auto until = std::chrono::steady_clock::now() + answer_within_;
  if (until_) until = std::min(until, *until_);
  while (true) {
    const auto left = std::chrono::duration_cast<Millis>(until - std::chrono::steady_clock::now());
    auto event = left > Millis(0) ? next(left) : std::nullopt;
    if (!event) return no_answer(place_, answer_within_);
    if (auto* answer = std::get_if<Event>(&event->what)) return std::move(*answer);
    if (const auto* closed = std::get_if<backend::SessionClosed>(&event->what)) {
      if (stands_in_ && closed->cause == Cause::expired) return Error{Errc::not_found, closed->text};
      return Error{closed->cause == Cause::auth_failed ? Errc::denied : Errc::unavailable, closed->text};
    }
  }
}

}  // namespace ballot::app
