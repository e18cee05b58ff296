#include "support/sim/sim_backend.hpp"

#include <optional>
#include <utility>

namespace ballot {

SimBackend::SimBackend(SimStore& store, SimLoop& loop, SimLink& link, const SimClock& clock, Host& host)
    : store_(store),
      loop_(loop),
      link_(link),
      clock_(clock),
      host_(host),
      owner_(loop.new_owner()),
      out_(loop, owner_, [this] { return link_.cut || store_.down(); }),
      in_(loop, owner_, [this] { return link_.cut || link_.answers_cut || store_.down(); }),
      node_(loop, owner_, [this] { return link_.frozen; }) {}

SimBackend::~SimBackend() {
  loop_.drop(owner_);
  const auto session = store_.of_process(owner_);
  const bool reaches_store = open_ && !link_.cut && !store_.down();
  store_.detach(session);
  if (reaches_store) store_.end(session, Cause::shutdown);
}

void SimBackend::crash() noexcept {
  loop_.drop(owner_);
  store_.detach(store_.of_process(owner_));
  open_ = false;
}

void SimBackend::open(const SessionRequest& request) noexcept {
  generation_ = request.generation;
  observer_ = request.observer;
  open_ = true;
  session_ = 0;
  lost_ = false;
  calls_.clear();
  watches_.clear();
  changes_.clear();
  const auto work = [this, request]() -> Reply {
    const auto push = [this, generation = request.generation](SimStore::Event event) {
      const auto* changed = std::get_if<backend::Changed>(&event);
      if (changed != nullptr && (generation != generation_ || !changes_.insert(changed->prefix).second)) return;
      in_.send_kept(delay() + link_.slow_answers, [this, generation, event] {
        node_.send_kept(Millis(0), [this, generation, event] { pushed(generation, event); });
      });
    };
    auto answer = store_.open({request, owner_, link_.expiry_shift, push});
    answer.revision = store_.contents().revision;
    answer.clock = store_.clock();
    return [this, generation = request.generation, answer](bool in_time) { opened(generation, in_time, answer); };
  };
  call(Kind::open, work, backend::SessionClosed{Cause::unreachable, "the store does not answer"});
}

void SimBackend::opened(std::uint64_t generation, bool in_time, const SimStore::Opened& opened) {
  if (!in_time || generation != generation_) {
    out_.send_kept(delay(), [this, opened] { store_.end(opened.session, Cause::shutdown); });
  } else if (opened.session == 0) {
    finish(Cause::superseded, opened.text);
  } else {
    session_ = opened.session;
    timeout_ = opened.timeout;
    restart_silence();
    if (store_.settings().hold && !observer_) ask_for_quorum();
    post(backend::SessionOpened{opened.timeout,
                                store_.settings().capability,
                                std::to_string(opened.session),
                                opened.revision,
                                {},
                                opened.clock});
    for (const auto& [group, why] : link_.unfit) tell_fitness(group);
  }
}

void SimBackend::tell_fitness(const std::string& group) {
  in_.send_kept(delay(), [this, group, generation = generation_] {
    node_.send_kept(Millis(0), [this, group, generation] {
      const auto why = link_.unfit.find(group);
      if (generation == generation_) post(backend::Unfit{group, why == link_.unfit.end() ? "" : why->second});
    });
  });
}

void SimBackend::renew(RequestId request) noexcept {
  restart_silence();
  link_.traffic.ask("renew", 1, 0);
  const auto work = [this, &store = store_, session = session_, request]() -> Reply {
    return reply(this, store.renew(session),
                 backend::Renewed{request, StoreResult::done, {}, store.clock(), store.contents().revision});
  };
  call(Kind::renewal, work, backend::Renewed{request, StoreResult::unknown, "no answer"});
}

void SimBackend::campaign(const std::string& group) noexcept {
  link_.traffic.ask("campaign", 1, group.size());
  out_.send_kept(delay(), [this, session = session_, group] { store_.campaign(session, group); });
}

void SimBackend::resign(const std::string& group) noexcept {
  link_.traffic.ask("resign", 1, group.size());
  out_.send_kept(delay(), [this, session = session_, group] { store_.resign(session, group); });
}

void SimBackend::write(RequestId request, std::vector<RegisterWrite> batch) noexcept {
  const std::size_t size = batch.size();
  for (const RegisterWrite& one : batch) count_change("write", one.name, one.value.size(), &one == &batch[0]);
  change(request, size, [session = session_, batch = std::move(batch)](SimStore& store, std::size_t i) {
    return store.write(session, batch[i]);
  });
}

void SimBackend::create(RequestId request, std::vector<Record> records) noexcept {
  const std::size_t size = records.size();
  for (const Record& one : records) count_change("create", one.name, one.value.size(), &one == &records[0]);
  change(request, size,
         [records = std::move(records)](SimStore& store, std::size_t i) { return store.create(records[i]); });
}

void SimBackend::remove(RequestId request, std::vector<std::string> names) noexcept {
  const std::size_t size = names.size();
  for (const std::string& one : names) count_change("remove", one, 0, &one == &names[0]);
  change(request, size, [names = std::move(names)](SimStore& store, std::size_t i) { return store.remove(names[i]); });
}

void SimBackend::evict(RequestId request, const std::string& group) noexcept {
  change(request, 1, [group](SimStore& store, std::size_t) { return store.evict(group); });
}

void SimBackend::change(RequestId request, std::size_t size, std::function<WriteAnswer(SimStore&, std::size_t)> one) {
  backend::Wrote unknown{request, std::vector<WriteAnswer>(size, {StoreResult::unknown, 0, "no answer"})};
  const bool full = loop_.chance(link_.refuse_write);
  const auto work = [this, &store = store_, session = session_, request, size, one = std::move(one), full]() -> Reply {
    backend::Wrote wrote{request, {}};
    const bool is_open = store.is_open(session);
    for (std::size_t i = 0; i < size; ++i)
      wrote.answers.push_back(full ? WriteAnswer{StoreResult::failed, 0, "the store is full"} : one(store, i));
    return reply(this, is_open, std::move(wrote));
  };
  call(Kind::write, work, std::move(unknown));
}

void SimBackend::watch(const std::string& prefix) noexcept {
  watches_.insert(prefix);
  out_.send_kept(delay(), [this, session = session_, prefix] { store_.watch(session, prefix); });
}

/// `opens`: it is the first of its request.
void SimBackend::count_change(std::string_view what, const std::string& name, std::size_t bytes, bool opens) {
  link_.traffic.by_kind[SimTraffic::about(what, name)] += {opens ? 1u : 0u, 0, 1, name.size() + bytes, 0};
}

void SimBackend::observe(RequestId request, const std::string& group) noexcept {
  link_.traffic.ask("observe", 1, group.size());
  const auto work = [this, &store = store_, session = session_, request, group]() -> Reply {
    return reply(this, store.is_open(session), backend::Observed{request, StoreResult::done, store.observe(group), {}});
  };
  call(Kind::read, work, backend::Observed{request, StoreResult::unknown, {}, "no answer"});
}

void SimBackend::read(RequestId request, std::vector<std::string> names) noexcept {
  std::uint64_t bytes = 0;
  for (const std::string& name : names) bytes += name.size();
  const std::string kind = SimTraffic::about("read", names.empty() ? "" : names.back());
  link_.traffic.ask(kind, names.size(), bytes);
  const auto work = [this, &store = store_, &loop = loop_, &link = link_, session = session_, request,
                     names = std::move(names), kind]() -> Reply {
    auto found = store.read(names);
    link.serve(loop.now(), names.size());
    link.traffic.answer(kind, 0, SimTraffic::bytes_of(found));
    return reply(this, store.is_open(session), backend::ReadDone{request, StoreResult::done, std::move(found), {}});
  };
  call(Kind::read, work, backend::ReadDone{request, StoreResult::unknown, {}, "no answer"});
}

void SimBackend::list(RequestId request, std::string prefix) noexcept {
  const std::string kind = SimTraffic::about("list", prefix);
  link_.traffic.ask(kind, 0, prefix.size());
  const auto work = [this, &store = store_, &loop = loop_, &link = link_, session = session_, request,
                     prefix = std::move(prefix), kind]() -> Reply {
    auto found = store.list(prefix);
    link.serve(loop.now(), found.size());
    link.traffic.answer(kind, found.size(), SimTraffic::bytes_of(found));
    return reply(this, store.is_open(session), backend::ReadDone{request, StoreResult::done, std::move(found), {}});
  };
  call(Kind::read, work, backend::ReadDone{request, StoreResult::unknown, {}, "no answer"});
}

void SimBackend::close(bool keep) noexcept {
  if (!open_) return;
  const auto said = [this, generation = generation_] {
    if (generation == generation_) finish(Cause::shutdown, {});
  };
  out_.send_kept(delay(), [this, keep, said, session = session_] {
    store_.detach(session);
    if (!keep) store_.end(session, Cause::shutdown);
    in_.send_kept(delay() + link_.slow_answers, [this, said] { node_.send_kept(Millis(0), said); });
  });
  loop_.after(link_.request_timeout, owner_, [this, said] { node_.send_kept(Millis(0), said); });
}

void SimBackend::call(Kind kind, Work work, What unknown) {
  const std::uint64_t id = ++last_call_;
  calls_.insert(id);
  await(id, std::move(unknown));
  // After the first: a write that is answered with a refusal has not happened.
  if (kind == Kind::write && loop_.chance(link_.duplicate))
    work = [&loop = loop_, once = std::move(work), again = loop_.between(Millis(0), link_.late_max)] {
      loop.after(again, 0, [once] { once(); });
      return once();
    };
  if (!suffers(kind, work)) carry(kind, id, std::move(work));
}

void SimBackend::await(std::uint64_t id, What unknown) {
  const bool silent = unknown.index() != 1 && loop_.chance(link_.never_answer);
  if (silent) return;
  loop_.after(link_.request_timeout, owner_, [this, id, unknown = std::move(unknown)] {
    node_.send_kept(Millis(0), [this, id, unknown] {
      if (calls_.erase(id) == 0) return;
      lost_ = true;
      const auto* closed = std::get_if<backend::SessionClosed>(&unknown);
      closed != nullptr ? finish(closed->cause, closed->text) : post(unknown);
    });
  });
}

/// True: a fault has taken the request.
bool SimBackend::suffers(Kind kind, const Work& work) {
  if (loop_.chance(link_.lose_request) || (kind == Kind::renewal && loop_.chance(link_.lose_renewal))) return true;
  if (kind != Kind::open && loop_.chance(link_.late_request)) {
    loop_.after(loop_.between(link_.request_timeout, link_.late_max), 0, [work] { work(); });
    return true;
  }
  if (!loop_.chance(link_.lose_answer)) return false;
  out_.send(delay(), [work] { work(); });
  return true;
}

void SimBackend::carry(Kind kind, std::uint64_t id, Work work) {
  out_.send(delay(), [this, kind, id, work = std::move(work)] {
    const auto answer = [this, id, answered = work()] {
      in_.send(delay() + link_.slow_answers, [this, id, answered] {
        node_.send_kept(Millis(0), [this, id, answered] { answered(calls_.erase(id) > 0); });
      });
    };
    const bool waits = kind == Kind::read && link_.read_by > loop_.now();  // others overtake it, as renewals do
    waits ? void(loop_.at(link_.read_by, owner_, answer)) : answer();
  });
}

SimBackend::Reply SimBackend::reply(SimBackend* to, bool is_open, What what) {
  return [to, is_open, what = std::move(what)](bool in_time) {
    if (!in_time) return;
    if (!is_open) return to->finish(Cause::expired, "the store ended the session");
    to->post(what);
    if (!std::exchange(to->lost_, false)) return;
    const auto watches = to->watches_;
    for (const std::string& prefix : watches) to->post(backend::Changed{prefix});
  };
}

void SimBackend::pushed(std::uint64_t generation, SimStore::Event event) {
  if (generation != generation_) return;
  link_.traffic.hear("events", 0);
  if (auto* closed = std::get_if<backend::SessionClosed>(&event)) return finish(closed->cause, closed->text);
  if (auto* deposed = std::get_if<backend::Deposed>(&event)) return post(std::move(*deposed));
  if (const auto* changed = std::get_if<backend::Changed>(&event)) return on_changed(changed->prefix);
  if (auto* vacancy = std::get_if<backend::Vacancy>(&event)) return post(std::move(*vacancy));
  auto& elected = std::get<backend::Elected>(event);
  if (elected.old_deadline) elected.old_deadline = clock_.steady(*elected.old_deadline);
  post(std::move(elected));
}

void SimBackend::on_changed(const std::string& prefix) {
  changes_.erase(prefix);
  post(backend::Changed{prefix});
  if (loop_.chance(link_.duplicate)) post(backend::Changed{prefix});
}

void SimBackend::restart_silence() {
  if (observer_) return;
  loop_.cancel(silence_);
  silent_until_ = loop_.now() + timeout_;
  silence_ = loop_.at(silent_until_, owner_, [this] {
    node_.send_kept(Millis(0), [this] {
      if (!open_ || loop_.now() < silent_until_) return;
      out_.send_kept(delay(), [this, session = session_] { store_.end(session, Cause::expired); });
      finish(Cause::expired, "the session was not renewed for its timeout");
    });
  });
}

/// Its servers answer that they have none where the store does not answer.
void SimBackend::ask_for_quorum() {
  const SteadyTime asked = loop_.now();
  loop_.after(2 * delay(), owner_, [this, asked, generation = generation_] {
    if (generation != generation_ || link_.cut || !store_.without_quorum()) return;
    store_.promise(session_, asked + timeout_ / 3);
    node_.send_kept(Millis(0), [this, asked, generation] {
      if (generation == generation_) post(backend::Outage{clock_.steady(asked)});
    });
  });
  loop_.after(timeout_ / 10, owner_, [this, generation = generation_] {
    if (generation == generation_ && open_) ask_for_quorum();
  });
}

void SimBackend::post(What what) {
  if (open_) host_.post({generation_, std::move(what)});
}

void SimBackend::finish(Cause cause, std::string text) {
  if (!open_) return;
  loop_.cancel(silence_);
  calls_.clear();
  open_ = false;
  host_.post({generation_, backend::SessionClosed{cause, std::move(text)}});
}

}  // namespace ballot
