#include "library/history/fleet.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "base/instance.hpp"
#include "core/request/pause_answers.hpp"
#include "http/peer_client.hpp"
#include "io/clocks.hpp"
#include "io/trusted_file.hpp"
#include "library/backfill/shown_backfill.hpp"
#include "library/history/awaited.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/roster_file.hpp"
#include "library/history/standing_pauses.hpp"

namespace ballot::library {
namespace {

using io::Message;

constexpr Millis heard_lifetime{1000}, probe_patience{2000};
constexpr std::string_view path = "/api/v1/questions";
constexpr std::size_t most_values = 500'000;      // of an answer
constexpr std::size_t values_in_all = 2'000'000;  // of all answers to a question: a value takes up to 200 bytes

FleetRoster::Now roster_now() {
  const auto now = io::read_clocks();
  return {now.wall, now.steady};
}

/// The names of jobs that a question is about.
std::vector<std::string> jobs_of(const Message& asked) {
  std::vector<std::string> jobs = asked.texts("jobs");
  if (const auto job = asked.text("job")) jobs.push_back(*job);
  if (asked.text("ask") == "knows_job") jobs.push_back(asked.text("name").value_or(""));
  return jobs;
}

std::vector<LedPause> pauses_of(const core::JobView& job) {
  std::vector<LedPause> pauses;
  const auto add = [&](bool is_of_group, const std::optional<core::JobView::Pause>& one) {
    if (one) pauses.push_back({is_of_group, one->since, std::string(one->by), one->ends, std::string(one->reason)});
  };
  add(false, job.own_pause);
  add(true, job.group_pause);
  return pauses;
}

/// The oldest of a long queue.
std::vector<WallTime> waiting_slots(const core::Views& views, const std::string& job) {
  std::vector<WallTime> slots = views.waiting(job);
  std::sort(slots.begin(), slots.end());
  slots.resize(std::min(slots.size(), most_waiting));
  return slots;
}

/// An instance of this node's that it would have if its job files defined the job.
LedState without_definition(const std::string& job, const Node& node) {
  const std::string config = node.reported("config");
  LedState state{job, "", std::string(not_defined)};
  state.trouble = config.empty() ? "its job files define no such job" : "config: " + config;
  return state;
}

/// What another node shows of jobs that this one, `self`, leads, and of its own instances.
std::vector<LedState> states_of_led(const Node& node, std::string_view self, WallTime now,
                                    const std::vector<std::string>& jobs) {
  const core::Views views = node.core().views();
  std::vector<LedState> states;
  const std::set<std::string> names(jobs.begin(), jobs.end());
  for (const std::string& job : names)
    if (const auto view = views.find_job(now, job); !view && node_of_instance(job) == self)
      states.push_back(without_definition(job, node));
    else if (view && !view->leader.empty())
      states.push_back({job, "", text_of(*view), view->paused_at, std::string(view->paused_by), false, view->next,
                        std::string(view->trouble), pauses_of(*view), view->is_running, view->overdue_since,
                        view->is_slow, position_of_backfill(views, *view)});
  if (names.size() != 1 || states.size() != 1) return states;
  states.front().waiting = waiting_slots(views, *names.begin());
  states.front().in_question = views.runs_in_question(*names.begin());
  return states;
}

std::vector<RequestRow> led_pauses(const core::Views& views) {
  std::vector<RequestRow> pauses;
  views.visit_pauses([&](const core::PauseView& pause) {
    pauses.push_back(
        standing_pause(std::string(pause.job), std::string(pause.group), pause.since, std::string(pause.by)));
    pauses.back().text = core::terms_text(pause.ends, pause.reason);
  });
  return pauses;
}

std::vector<std::string> led_groups(const core::Views& views) {
  std::vector<std::string> groups;
  views.visit_groups("", std::numeric_limits<std::size_t>::max(), [&](const core::GroupView& group) {
    if (group.state == "leading") groups.emplace_back(group.name);
  });
  return groups;
}

}  // namespace

Fleet::Fleet(Node& node, FleetSettings settings, Look look, Log log)
    : node_(node),
      settings_(std::move(settings)),
      look_(std::move(look)),
      log_(std::move(log)),
      store_(node, settings_.node) {
  io::Engine::Observer observer;
  observer.on_nodes = [this] { see(); };
  node_.add_observer(std::move(observer));
}

void Fleet::start() {
  if (settings_.roster.empty()) return;
  auto known = read_roster(settings_.roster);
  if (!known && known.error().code != Errc::not_found && log_)
    log_(Level::warn, known.error().what + "; nodes that have left the fleet before this start are not named", {});
  if (!known) return;
  known->erase(settings_.node);
  const std::lock_guard hold(mutex_);
  roster_.recall(*known);
}

/// What the store shows of nodes; without a session it shows nothing.
void Fleet::see() {
  if (!node_.core().session().is_open()) return;
  const std::lock_guard hold(mutex_);
  roster_.see(node_.core().peers().published(), roster_now());
  if (!settings_.roster.empty() && roster_.changes() != kept_changes_) probes_.wake();
}

/// On the thread of the probes: no loop waits for a disk.
void Fleet::keep_roster() {
  std::unique_lock hold(mutex_);
  const std::uint64_t changes = roster_.changes();
  if (settings_.roster.empty() || changes == kept_changes_) return;
  const KnownNodes nodes = roster_.known();
  hold.unlock();
  const auto written = write_roster(settings_.roster, nodes);
  hold.lock();
  if (written) kept_changes_ = changes;
  const std::string trouble = written ? "" : written.error().what;
  const bool is_new = std::exchange(keep_trouble_, trouble) != trouble;
  hold.unlock();
  if (is_new && !trouble.empty() && log_)
    log_(Level::warn, trouble + "; after a restart nodes that have left the fleet may not be named", {});
}

FleetNow Fleet::now(const Message& asked) {
  see();
  const auto now = roster_now();
  const std::lock_guard hold(mutex_);
  const std::vector<std::string> jobs = jobs_of(asked);
  FleetNow known{roster_.peers(now, machine_), node_.core().views().runs_of_others(jobs)};
  known.leads = led_groups(node_.core().views());
  if (const auto ask = asked.text("ask"); ask == "evidence" || ask == "last_statuses" || ask == "requests")
    known.states = states_of_led(node_, settings_.node, now.wall, jobs);
  if (asked.text("ask") == "requests" || asked.flag("pauses").value_or(false))
    known.pauses = led_pauses(node_.core().views());
  return known;
}

Result<std::vector<Result<std::string>>> Fleet::post(const std::vector<PeerQuestion>& questions, Millis within,
                                                     const std::function<bool()>& goes_on) const {
  const auto token =
      settings_.token_file.empty() ? Result<std::string>(std::string()) : read_fleet_token(settings_.token_file);
  if (!token) return token.error();
  std::vector<web::PeerRequest> requests;
  for (const auto& [peer, question] : questions)
    requests.push_back({peer.url + std::string(path), io::encode(question)});
  return web::ask_peers(requests, {settings_.tls_ca, *token, within}, goes_on);
}

std::vector<Result<Message>> Fleet::ask(const std::vector<PeerQuestion>& questions, Millis within,
                                        const std::function<bool()>& goes_on) {
  const auto bodies = post(questions, within, goes_on);
  if (!bodies) return std::vector<Result<Message>>(questions.size(), bodies.error());
  std::vector<Result<Message>> answers;
  std::size_t values = values_in_all;
  for (const auto& body : *bodies) answers.push_back(body ? last_line(*body, values) : Result<Message>(body.error()));
  const auto now = roster_now();
  const std::lock_guard hold(mutex_);
  for (std::size_t i = 0; i < answers.size(); ++i) roster_.note(questions[i].first.node, (*bodies)[i], answers[i], now);
  if (roster_.next_probe()) probes_.wake();
  return answers;
}

/// The question goes the way of all: through the other node's loop to a thread that reads its ledger.
std::optional<SteadyTime> Fleet::probe(const std::function<bool()>& goes_on) {
  keep_roster();
  std::vector<PeerQuestion> due;
  {
    const std::lock_guard hold(mutex_);
    for (FleetPeer& peer : roster_.due_probes(roster_now()))
      due.emplace_back(std::move(peer), question("knows_job").set("name", std::string("-")));
  }
  if (due.empty()) {
    const std::lock_guard hold(mutex_);
    return roster_.next_probe();
  }
  const auto bodies = post(due, probe_patience, goes_on);
  const std::lock_guard hold(mutex_);
  for (std::size_t i = 0; i < due.size() && goes_on(); ++i)
    roster_.note_probe(due[i].first.node, bodies ? (*bodies)[i] : Result<std::string>(bodies.error()), roster_now());
  return roster_.next_probe();
}

std::map<std::string, Heard> Fleet::heard(Millis within, const std::function<bool()>& goes_on) {
  const SteadyTime now = io::read_clocks().steady;
  if (const std::lock_guard hold(mutex_); now < heard_until_) return heard_;
  const auto found = std::make_shared<Awaited<std::map<std::string, Heard>>>();
  node_.loop().post([this, within, found] {
    look_(within, [found](const std::vector<FleetNode>& nodes) {
      std::map<std::string, Heard> all;
      for (const FleetNode& node : nodes) all[node.node] = {node.last_heard, node.heard_by};
      found->finish(std::move(all));
    });
  });
  auto heard = found->wait(now + within + glance, goes_on);
  if (!heard) return {};
  const std::lock_guard hold(mutex_);
  heard_ = *std::move(heard);
  heard_until_ = now + heard_lifetime;
  return heard_;
}

void Fleet::note(const std::vector<Election>& elections) {
  const auto now = roster_now();
  const std::lock_guard hold(mutex_);
  for (const Election& election : elections)
    for (const Candidate& candidate : election.candidates)
      roster_.on_seen(candidate.node, candidate.last_seen.value_or(now.wall));
}

Answers Fleet::answers() {
  const std::lock_guard hold(mutex_);
  return roster_.answers();
}

Result<std::string> read_fleet_token(const std::string& path) {
  auto text = io::read_trusted_file(path, io::Readers::owner);
  const auto error = [&](Errc code, const std::string& what) {
    return Error{code, "[fleet] token_file: " + path + ": " + what};
  };
  if (!text) return error(text.error().code == Errc::refused ? Errc::refused : Errc::invalid, text.error().what);
  std::string line = text->substr(0, text->find_first_of("\r\n"));
  const bool is_plain = line.find_first_of(" \t") == std::string::npos;
  if (line.empty() || !is_plain) return error(Errc::invalid, "has no token in its first line");
  return line;
}

Result<Message> last_line(const std::string& lines, std::size_t& values_left) {
  std::string_view rest = lines;
  while (rest.ends_with('\n') || rest.ends_with('\r')) rest.remove_suffix(1);
  if (const std::size_t before = rest.rfind('\n'); before != std::string_view::npos) rest.remove_prefix(before + 1);
  const std::size_t values = io::count_values(rest);
  if (values > most_values) return Error{Errc::corrupt, "its answer has too many values"};
  if (values > values_left) return Error{Errc::unavailable, "the answers of all nodes are too large: ask for less"};
  values_left -= values;
  auto message = io::decode(rest);
  if (!message) return Error{Errc::corrupt, "its answer cannot be read: " + message.error().what};
  if (auto error = io::to_error(*message)) return *std::move(error);
  if (!message->flag("last").value_or(false)) return Error{Errc::corrupt, "its answer ends before its last line"};
  return message;
}

}  // namespace ballot::library
