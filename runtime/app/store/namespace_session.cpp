#include "app/store/namespace_session.hpp"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "base/duration.hpp"
#include "io/clocks.hpp"
#include "library/backend_choice.hpp"

namespace ballot::app {
namespace {

/// With a plugin that works on many changes: that its server is silent, it says itself.
constexpr Millis answer_patience{300'000};
constexpr Millis opening_patience{90'000};  // a session of this name that was killed may last for its timeout
constexpr Millis say_interval{5'000};
constexpr Millis unknown_pause{200};
constexpr std::size_t most_together = 500;  // changes in a call

/// A session that was never open is refused because of another one of this name, whose node nobody can rename.
Error is_over(const backend::SessionClosed& closed, bool was_open) {
  if (closed.cause == Cause::superseded)
    return {Errc::conflict, "another `ballot store` command works on this namespace: " +
                                (was_open ? closed.text : "run this one again once that has ended")};
  const Errc code = closed.cause == Cause::auth_failed ? Errc::denied : Errc::unavailable;
  return {code, closed.text.empty() ? "the session in the store is over" : closed.text};
}

}  // namespace

Result<std::unique_ptr<NamespaceSession>> NamespaceSession::open(const config::Config& config) {
  const auto plugin = library::find_backend(config);
  if (!plugin) return plugin.error();
  std::unique_ptr<NamespaceSession> session(new NamespaceSession(**plugin));
  BackendSettings settings = library::backend_settings(config);
  settings.hold = false;
  if (const auto made = session->port_.start(settings); !made) return made.error();
  SessionRequest request = session_request(config);
  request.node = mover_node;
  session->port_.open(request);
  const auto opened = session->await<backend::SessionOpened>(Clock::now() + opening_patience);
  if (!opened) return opened.error();
  session->timeout_ = opened->timeout;
  session->capability_ = opened->capability;
  session->renewed_ = Clock::now();
  session->renew_at_ = Clock::now() + opened->timeout / 10;
  return session;
}

NamespaceSession::NamespaceSession(const PluginInfo& plugin)
    : port_(
          plugin, print_warning, [this] { posted_.post(); }, io::BackendPort::Use::of_mover) {}

NamespaceSession::~NamespaceSession() = default;

void NamespaceSession::renew_if_due() {
  if (Clock::now() < renew_at_ || closed_) return;
  renew_at_ = Clock::time_point::max();  // until it is answered
  backend().renew(++last_request_);
}

std::optional<BackendEvent> NamespaceSession::next(Clock::time_point until) {
  while (true) {
    renew_if_due();
    auto event = posted_.next(port_, std::min(until, renew_at_));
    if (event) note(*event);
    if (event || Clock::now() >= until) return event;
  }
}

void NamespaceSession::note(const BackendEvent& event) {
  if (const auto* renewed = std::get_if<backend::Renewed>(&event.what)) {
    const bool is_done = renewed->outcome == StoreResult::done;
    if (is_done) renewed_ = Clock::now();
    renew_at_ = Clock::now() + (is_done ? timeout_ / 10 : std::min(timeout_ / 10, unknown_pause));
  }
  if (const auto* elected = std::get_if<backend::Elected>(&event.what)) {
    led_[elected->group] = elected->epoch;
    runs_until_ = std::max(runs_until_, elected->old_deadline.value_or(SteadyTime()));
  }
  if (const auto* deposed = std::get_if<backend::Deposed>(&event.what)) {
    led_.erase(deposed->group);
    lost_group_ = deposed->group;
  }
  if (const auto* closed = std::get_if<backend::SessionClosed>(&event.what)) closed_ = *closed;
}

Result<void> NamespaceSession::check() const {
  if (closed_) return is_over(*closed_, timeout_ > Millis(0));
  if (!lost_group_.empty())
    return Error{Errc::conflict, "somebody has taken group " + lost_group_ + " from this command: run it again"};
  return {};
}

template <class Event>
Result<Event> NamespaceSession::await(Clock::time_point until) {
  while (true) {
    auto event = next(until);
    if (!event) return Error{Errc::unavailable, "the store does not answer in time"};
    if (auto* answer = std::get_if<Event>(&event->what)) return std::move(*answer);
    if (const auto usable = check(); !usable) return usable.error();
  }
}

template <class Event>
Result<Event> NamespaceSession::await_request(RequestId request) {
  const auto until = Clock::now() + answer_patience;
  while (true) {
    auto answer = await<Event>(until);
    if (!answer || answer->request == request) return answer;
  }
}

Result<void> NamespaceSession::lead(const std::vector<std::string>& groups, Millis patience,
                                    const std::function<void(const std::vector<std::string>&)>& waits) {
  std::vector<std::string> missing;
  for (const std::string& group : groups)
    if (!led_.contains(group)) missing.push_back(group);
  for (const std::string& group : missing) backend().campaign(group);
  const auto until = Clock::now() + patience;
  auto say_at = Clock::now() + say_interval;
  while (true) {
    std::erase_if(missing, [this](const std::string& group) { return led_.contains(group); });
    if (missing.empty()) return {};
    const auto now = Clock::now();
    if (now >= until)
      return Error{Errc::timeout,
                   "group " + missing.front() + " is still led by somebody else after " + format_duration(patience)};
    if (now >= say_at) {
      waits(missing);
      say_at = Clock::now() + say_interval;
    }
    (void)next(std::min(until, say_at));
    if (const auto usable = check(); !usable) return usable;
  }
}

Result<void> NamespaceSession::outwait_terms(Millis longest, const std::function<void(Millis)>& waits) {
  const SteadyTime now = io::read_clocks().steady;
  const SteadyTime writers_until = capability_ == Capability::fenced ? now : now + timeout_;
  const SteadyTime runs_until = std::min(runs_until_, now + std::max(longest, timeout_));
  if (runs_until > now) waits(runs_until - now);
  const SteadyTime until = std::max(writers_until, runs_until);
  for (SteadyTime at = now; at < until; at = io::read_clocks().steady) {
    (void)next(Clock::now() + (until - at));
    if (const auto usable = check(); !usable) return usable;
  }
  return {};
}

/// All of them are asked for at once, so that a store which answers reads after a committed write needs one for all.
Result<std::vector<Register>> NamespaceSession::list(const std::string& prefix) {
  std::map<RequestId, std::string> open;
  const auto ask = [&](const std::string& what) {
    open[++last_request_] = what;
    backend().list(last_request_, what);
  };
  if (!prefix.empty()) ask(prefix);
  for (char letter = 'a'; prefix.empty() && letter <= 'z'; ++letter) ask(std::string(1, letter) + "/");
  std::vector<Register> all;
  const auto until = Clock::now() + answer_patience;
  while (!open.empty()) {
    auto read = await<backend::ReadDone>(until);
    if (!read) return read.error();
    const auto found = open.find(read->request);
    if (found == open.end()) continue;
    const std::string asked = found->second;
    open.erase(found);
    if (read->outcome == StoreResult::failed) return Error{Errc::denied, read->text};
    if (read->outcome == StoreResult::done) {
      std::move(read->registers.begin(), read->registers.end(), std::back_inserter(all));
      continue;
    }
    if (Clock::now() > renewed_ + timeout_) return Error{Errc::unavailable, read->text};
    std::this_thread::sleep_for(unknown_pause);  // what is posted meanwhile waits
    ask(asked);
  }
  return all;
}

Result<std::vector<Election>> NamespaceSession::observe() {
  const RequestId request = ++last_request_;
  backend().observe(request, "");
  auto observed = await_request<backend::Observed>(request);
  if (!observed) return observed.error();
  if (observed->outcome == StoreResult::done) return std::move(observed->elections);
  return Error{observed->outcome == StoreResult::failed ? Errc::denied : Errc::unavailable, observed->text};
}

/// `ask` sends those that are still to be answered, by their places.
template <class Ask>
Result<std::vector<WriteAnswer>> NamespaceSession::commit(std::size_t size, const Ask& ask) {
  std::vector<WriteAnswer> answers(size);
  std::vector<std::size_t> open(size);
  for (std::size_t i = 0; i < size; ++i) open[i] = i;
  while (!open.empty()) {
    const std::vector<std::size_t> some(open.begin(), open.begin() + std::min(open.size(), most_together));
    if (Clock::now() > renewed_ + timeout_ - timeout_ / 10)
      return Error{Errc::unavailable, "the session was not renewed in time: run the command again"};
    const RequestId request = ++last_request_;
    ask(request, some);
    const auto wrote = await_request<backend::Wrote>(request);
    if (!wrote) return wrote.error();
    std::vector<std::size_t> unknown;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const WriteAnswer answer = i < wrote->answers.size() ? wrote->answers[i] : WriteAnswer{};
      if (answer.outcome == StoreResult::not_leader)
        return Error{Errc::conflict, "somebody has taken a group from this command: run it again"};
      if (answer.outcome == StoreResult::failed) return Error{Errc::denied, answer.text};
      answers[some[i]] = answer;
      if (answer.outcome == StoreResult::unknown) unknown.push_back(some[i]);
    }
    open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(some.size()));
    if (!unknown.empty()) (void)next(Clock::now() + unknown_pause);
    if (const auto usable = check(); !usable) return usable.error();
    open.insert(open.end(), unknown.begin(), unknown.end());
  }
  return answers;
}

Result<std::vector<WriteAnswer>> NamespaceSession::write(const std::vector<Change>& changes) {
  return commit(changes.size(), [&](RequestId request, const std::vector<std::size_t>& places) {
    std::vector<RegisterWrite> batch;
    batch.reserve(places.size());
    for (const std::size_t place : places) {
      const Change& change = changes[place];
      const auto term = led_.find(change.group);
      batch.push_back({change.group, term == led_.end() ? 0 : term->second, change.name, change.value, change.version});
    }
    backend().write(request, std::move(batch));
  });
}

Result<std::vector<WriteAnswer>> NamespaceSession::create(const std::vector<Record>& records) {
  return commit(records.size(), [&](RequestId request, const std::vector<std::size_t>& places) {
    std::vector<Record> batch;
    for (const std::size_t place : places) batch.push_back(records[place]);
    backend().create(request, std::move(batch));
  });
}

Result<void> NamespaceSession::remove(const std::vector<std::string>& names) {
  const auto removed = commit(names.size(), [&](RequestId request, const std::vector<std::size_t>& places) {
    std::vector<std::string> batch;
    for (const std::size_t place : places) batch.push_back(names[place]);
    backend().remove(request, std::move(batch));
  });
  return removed ? Result<void>() : removed.error();
}

bool NamespaceSession::close() {
  if (closed_) return false;
  backend().close(false);
  const auto until = Clock::now() + std::max(timeout_, Millis(5000));
  while (!closed_ && next(until)) {
  }
  return closed_ && closed_->cause == Cause::shutdown;
}

}  // namespace ballot::app
