#include "library/history/ledger_desk.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/exception_text.hpp"
#include "base/signals_blocked.hpp"
#include "base/wall_text.hpp"
#include "config/names.hpp"
#include "io/clocks.hpp"
#include "io/notify/fair_queue.hpp"
#include "library/history/fleet_ledger.hpp"
#include "library/history/history_ledger.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"

namespace ballot::library {
namespace {

constexpr int threads = 8;  // most of them wait for other nodes
constexpr std::size_t most_waiting = 256, most_waiting_of_a_user = 64;
constexpr int nice_value = 5;
constexpr Millis read_patience{1000};
constexpr Millis history_patience{2000};
constexpr Millis heard_patience{1000};  // to say when those that do not answer were last heard of
constexpr io::QueueBounds half{.at_once = threads / 2,
                               .at_once_a_key = threads / 2,
                               .waiting = most_waiting,
                               .waiting_a_key = most_waiting,
                               .bytes = std::size_t{64} << 20};
constexpr io::QueueBounds shared_half{.at_once = threads / 2,
                                      .at_once_a_key = threads / 2 - 1,
                                      .waiting = most_waiting,
                                      .waiting_a_key = most_waiting_of_a_user,
                                      .bytes = std::size_t{64} << 20};

using Number = std::uint64_t;

io::Message error_message(Errc code, std::string text) { return io::to_message(Error{code, std::move(text)}); }

io::Message too_long() {
  return error_message(Errc::timeout,
                       "the ledger took too long to answer; ask for less: fewer jobs, or a shorter time");
}

bool is_of_fleet(const io::Message& question) {
  return question.text("scope") == "fleet" || question.text("ask") == "evidence";
}

/// `source`: null: there is nobody to be asked.
AskOthers others_of(FleetSource* source, const std::function<bool()>& goes_on) {
  if (!source) return {};
  AskOthers ask;
  ask.peers = [source, goes_on](const std::vector<PeerQuestion>& questions, Millis within) {
    return source->ask(questions, within, goes_on);
  };
  ask.store = [source, goes_on](const StoreQuestion& asked) {
    return source->read_store(asked, read_patience, goes_on);
  };
  return ask;
}

/// The fleet's ledger, or a part of it, which the question names. Error: not_found (no such node).
Result<std::unique_ptr<LedgerView>> fleet_ledger(const std::string& node, std::unique_ptr<LedgerView> own,
                                                 FleetAccess fleet, const io::Message& question,
                                                 const std::function<bool()>& goes_on) {
  const std::string only = question.text("node").value_or("");
  auto& peers = fleet.now.peers;
  if (question.text("scope") != "fleet") peers.clear();  // another node asks this one alone for what it knows
  if (!only.empty() && only != node) {
    own.reset();
    std::erase_if(fleet.now.evidence, [&](const Row& row) { return row.node != only; });
    std::vector<std::string_view> names{node};
    for (const FleetPeer& peer : peers) names.push_back(peer.node);
    const std::string guess = config::did_you_mean(only, names);
    std::erase_if(peers, [&](const FleetPeer& peer) { return peer.node != only; });
    if (peers.empty())
      return Error{Errc::not_found,
                   "no node of the fleet is called " + only + ", as far as " + node + " knows" + guess};
  }
  if (only == node) peers.clear();
  AskOthers ask = others_of(fleet.source, goes_on);
  if (!only.empty())
    ask.store = [all = ask.store, only](const StoreQuestion& asked) {
      auto shows = all(asked);
      if (shows) std::erase_if(shows->rows, [&](const Row& row) { return row.node != only; });
      return shows;
    };
  return std::unique_ptr<LedgerView>(
      std::make_unique<FleetLedger>(node, std::move(own), std::move(fleet.now), std::move(ask)));
}

/// Of the nodes that are missing, with when they were last heard of as `ballot nodes` says it.
std::vector<MissingNode> missing_of(const LedgerView& ledger, FleetSource* fleet,
                                    const std::function<bool()>& goes_on) {
  std::vector<MissingNode> missing = ledger.missing();
  const auto is_of_ledger = [](const MissingNode& node) {
    return node.heard_by == "ledger" || node.heard_by == "history";
  };
  if (!fleet || std::all_of(missing.begin(), missing.end(), is_of_ledger)) return missing;
  const auto heard = fleet->heard(heard_patience, goes_on);
  for (MissingNode& node : missing) {
    const auto found = heard.find(node.node);
    if (found == heard.end() || !found->second.at || is_of_ledger(node)) continue;
    node.last_heard = found->second.at;
    node.heard_by = found->second.by;
  }
  return missing;
}

void add_scope(io::Message& answer, const LedgerView& ledger, const std::vector<MissingNode>& all,
               const io::Message& question) {
  if (ledger.is_of_fleet()) answer.set("scope", std::string("fleet"));
  std::vector<io::Message> missing;
  for (const MissingNode& node : all) {
    missing.push_back(to_message(node));
    const auto heard = node.last_heard ? std::optional(format_millis(*node.last_heard)) : std::nullopt;
    if (question.text("form") == "shown") missing.back().set("last_heard", heard);
  }
  if (ledger.is_of_fleet() || !missing.empty()) answer.set("missing", std::move(missing));
}

Result<io::Message> read_by(const LedgerDesk::Read& read, LedgerView& ledger, const io::Message& question) {
  return read ? read(ledger) : answer_question(ledger, question);
}

/// From the fleet's history; none: it does not answer.
std::optional<io::Message> read_history(const LedgerPlace& place, const io::Message& question,
                                        const LedgerDesk::Read& read, const FleetAccess& fleet,
                                        const std::function<bool()>& goes_on) {
  const Now now = io::read_clocks();
  auto own = FileLedger::open(place, goes_on);
  auto reader = own ? fleet.history->take(now.steady) : nullptr;
  if (!reader) return std::nullopt;
  // That it answers is found out soon: then it has the time of the question.
  const SteadyTime soon = now.steady + history_patience;
  reader->set_goes_on([&] { return goes_on() && io::read_clocks().steady < soon; });
  auto ledger = HistoryLedger::open({place.node, fleet.history->sent(), now.wall, fleet.source != nullptr},
                                    *std::move(own), fleet.now, others_of(fleet.source, goes_on), *reader);
  reader->set_goes_on(goes_on);
  auto answer = ledger ? read_by(read, **ledger, question) : Result<io::Message>(ledger.error());
  const auto failure = ledger ? (*ledger)->failure() : std::optional(ledger.error());
  if (failure && goes_on()) {
    fleet.history->note_failure(*failure, io::read_clocks().steady);
    return std::nullopt;
  }
  if (answer) {
    add_scope(*answer, **ledger, missing_of(**ledger, fleet.source, goes_on), question);
    if (const auto as_of = (*ledger)->as_of()) answer->set("as_of", format_millis(*as_of));
  }
  ledger = Error{};  // it uses the reader
  fleet.history->give_back(std::move(reader));
  return answer ? *std::move(answer) : io::to_message(answer.error());
}

/// The ledger's place for an audit, which holds it against the fleet's history too.
LedgerPlace with_history(LedgerPlace place, HistoryReaders& readers, const std::function<bool()>& goes_on) {
  place.history = [&readers, goes_on](const std::function<Result<void>(History&)>& use) -> Result<void> {
    const SteadyTime now = io::read_clocks().steady;
    auto reader = readers.take(now);
    const auto failure = reader ? std::nullopt : readers.failure();
    if (!reader)
      return Error{Errc::unavailable, "the fleet's history does not answer: " + (failure ? failure->what : "")};
    reader->set_goes_on([&] { return goes_on() && io::read_clocks().steady < now + history_patience; });
    if (const auto answers = reader->ledgers(); !answers) {
      readers.note_failure(answers.error(), io::read_clocks().steady);
      return Error{answers.error().code, "the fleet's history: " + answers.error().what};
    }
    reader->set_goes_on(goes_on);
    const auto done = use(*reader);
    if (done) readers.give_back(std::move(reader));
    return done ? done : Error{done.error().code, "the fleet's history: " + done.error().what};
  };
  return place;
}

io::Message read_answer(const LedgerPlace& place, const io::Message& question, const LedgerDesk::Read& read,
                        FleetAccess fleet, const std::atomic<bool>& dropped, Millis longest) {
  const SteadyTime until = io::read_clocks().steady + longest;
  const auto is_late = [until] { return io::read_clocks().steady >= until; };
  const auto goes_on = [&] { return !dropped && !is_late(); };
  const bool is_audit = question.text("ask") == "audit";
  // A plugin of the kind `history` has no such query: each node's ledger answers.
  const bool is_of_nodes = is_audit || question.text("ask") == "definitions";
  auto ledger =
      FileLedger::open(is_audit && fleet.history ? with_history(place, *fleet.history, goes_on) : place, goes_on);
  const std::string only = question.text("node").value_or("");
  if (!fleet.source && is_of_fleet(question) && !only.empty() && only != place.node)
    return error_message(Errc::unavailable, "node " + place.node +
                                                " asks no other node: that takes [http] listen, and a "
                                                "backend that other hosts reach; ask on node " +
                                                only);
  FleetSource* const source = fleet.source;
  std::optional<Error> failure;
  if (ledger && fleet.history && question.text("scope") == "fleet" && only.empty() && !is_of_nodes) {
    if (auto answer = read_history(place, question, read, fleet, goes_on)) return *std::move(answer);
    failure = fleet.history->failure();
  }
  if (ledger && source) ledger = fleet_ledger(place.node, *std::move(ledger), std::move(fleet), question, goes_on);
  if (!ledger) return is_late() ? too_long() : io::to_message(ledger.error());
  auto answer = read_by(read, **ledger, question);
  if (answer) add_scope(*answer, **ledger, missing_of(**ledger, source, goes_on), question);
  if (answer && failure) answer->set("history_failure", failure->what);
  if (answer) return *std::move(answer);
  return is_late() ? too_long() : io::to_message(answer.error());
}

}  // namespace

struct LedgerDesk::State : std::enable_shared_from_this<State> {
  State(io::MainLoop& on_loop, LedgerPlace where, DeskLimits bounds)
      : loop(on_loop), place(std::move(where)), limits(bounds) {}

  /// A question for a thread.
  struct Work {
    Number number = 0;
    io::Message question;
    Read read;
    FleetAccess fleet;
    std::shared_ptr<std::atomic<bool>> dropped;
  };

  // ---- on the loop

  struct Asked {
    io::Message question;
    io::Reply reply;
    Read read;
  };
  struct Reading {
    bool is_own = false;  // of root or the daemon's user
    std::string key;
    io::Reply reply;
    std::shared_ptr<std::atomic<bool>> dropped;
  };
  using Queue = io::FairQueue<Asked>;

  io::MainLoop& loop;
  const LedgerPlace place;
  const DeskLimits limits;
  Queue own{half}, others{shared_half};
  std::map<Number, Reading> readings;
  Number last_number = 0;
  bool closed = false;
  FleetSource* fleet = nullptr;       // null: it cannot be asked
  HistoryReaders* history = nullptr;  // null: there is none
  std::vector<std::thread> pool;

  void ask(io::Question question, io::Reply reply, Read read) {
    if (closed) return reply.fail({Errc::unavailable, "the daemon stops"});
    if (!begin_threads(reply)) return;
    const std::size_t bytes = io::encode(question.message).size();
    Queue& queue = question.asker.is_own ? own : others;
    const std::string key = question.asker.is_known ? question.asker.key : "";
    for (const auto& dropped : queue.push(key, {std::move(question.message), std::move(reply), std::move(read)}, bytes))
      dropped.item.reply.fail({Errc::unavailable, "too many questions of the ledger wait; try again later"});
    begin_waiting();
  }

  bool begin_threads(const io::Reply& reply) try {
    const SignalsBlocked blocked;
    while (pool.size() < std::size_t{threads}) pool.emplace_back([self = shared_from_this()] { self->work(); });
    return true;
  } catch (const std::system_error& error) {
    if (!pool.empty()) return true;
    reply.fail({Errc::unavailable, "cannot begin a thread that reads the ledger: " + exception_text(error)});
    return false;
  }

  void begin_waiting() {
    for (const bool is_own : {true, false}) {
      Queue& queue = is_own ? own : others;
      while (auto next = queue.take()) begin(is_own, std::move(*next));
    }
  }

  void begin(bool is_own, Queue::Entry entry) {
    auto& [question, reply, read] = entry.item;
    if (reply.gone()) return (is_own ? own : others).done(entry.key);
    const auto dropped = std::make_shared<std::atomic<bool>>(false);
    reply.on_gone([dropped] { *dropped = true; });
    readings.emplace(++last_number, Reading{is_own, entry.key, reply, dropped});
    FleetAccess of_fleet;
    of_fleet.history = history;
    if (fleet && is_of_fleet(question)) of_fleet.source = fleet, of_fleet.now = fleet->now(question);
    const std::lock_guard lock(mutex);
    waiting.push_back({last_number, std::move(question), std::move(read), std::move(of_fleet), dropped});
    changed.notify_one();
  }

  void end(Number number, std::string line) {
    const auto reading = readings.find(number);
    if (reading == readings.end()) return;
    const Reading done = std::move(reading->second);
    readings.erase(reading);
    done.reply.finish_encoded(std::move(line));
    (done.is_own ? own : others).done(done.key);
    begin_waiting();
  }

  void close() {
    if (std::exchange(closed, true)) return;
    for (const auto& [number, reading] : readings) *reading.dropped = true;
    {
      const std::lock_guard lock(mutex);
      ends = true;
    }
    changed.notify_all();
    for (std::thread& thread : pool) thread.join();
    pool.clear();
    readings.clear();
  }

  // ---- on both

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work> waiting;
  bool ends = false;

  // ---- on the threads

  void work() {
    ::pthread_setname_np(::pthread_self(), "ballot-history");
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice_value);
    while (auto next = take()) {
      const bool is_audit = next->question.text("ask") == "audit";
      std::string line = io::encode_last(answer(*next, is_audit ? limits.longest_audit : limits.longest));
      loop.post([weak = weak_from_this(), number = next->number, line = std::move(line)]() mutable {
        if (const auto self = weak.lock()) self->end(number, std::move(line));
      });
    }
  }

  /// Memory may be used up.
  io::Message answer(Work& asked, Millis longest) const try {
    return read_answer(place, asked.question, asked.read, std::move(asked.fleet), *asked.dropped, longest);
  } catch (const std::exception& error) {
    return error_message(Errc::io, "cannot read the ledger: " + exception_text(error));
  }

  std::optional<Work> take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return ends || !waiting.empty(); });
    if (ends) return std::nullopt;
    Work next = std::move(waiting.front());
    waiting.pop_front();
    return next;
  }
};

LedgerDesk::LedgerDesk(io::MainLoop& loop, LedgerPlace place, DeskLimits limits)
    : state_(std::make_shared<State>(loop, std::move(place), limits)) {}

LedgerDesk::~LedgerDesk() { close(); }

void LedgerDesk::answer_for(FleetSource& fleet) { state_->fleet = &fleet; }

void LedgerDesk::answer_from(HistoryReaders& history) { state_->history = &history; }

void LedgerDesk::answer(io::Question question, io::Reply reply, Read read) {
  state_->ask(std::move(question), std::move(reply), std::move(read));
}

void LedgerDesk::close() { state_->close(); }

}  // namespace ballot::library
