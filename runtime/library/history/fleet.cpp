#include "library/history/fleet.hpp"

#include <limits>
#include <memory>
#include <utility>

#include "http/peer_client.hpp"
#include "io/clocks.hpp"
#include "io/trusted_file.hpp"
#include "library/history/awaited.hpp"
#include "library/history/standing_pauses.hpp"

namespace ballot::library {
namespace {

using io::Message;

constexpr Millis heard_lifetime{1000};
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
  if (job.own_pause) pauses.push_back({false, job.own_pause->since, std::string(job.own_pause->by)});
  if (job.group_pause) pauses.push_back({true, job.group_pause->since, std::string(job.group_pause->by)});
  return pauses;
}

/// What another node shows of jobs that this one leads.
std::vector<LedState> states_of_led(const core::Views& views, WallTime now, const std::vector<std::string>& jobs) {
  std::vector<LedState> states;
  for (const std::string& job : jobs)
    if (const auto view = views.find_job(now, job); view && !view->leader.empty())
      states.push_back({job, "", text_of(*view), view->paused_at, std::string(view->paused_by), false, view->next,
                        std::string(view->trouble), pauses_of(*view)});
  return states;
}

std::vector<RequestRow> led_pauses(const core::Views& views) {
  std::vector<RequestRow> pauses;
  views.visit_pauses([&](const core::PauseView& pause) {
    pauses.push_back(
        standing_pause(std::string(pause.job), std::string(pause.group), pause.since, std::string(pause.by)));
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

FleetNow Fleet::now(const Message& asked) {
  const auto now = roster_now();
  const std::lock_guard hold(mutex_);
  if (node_.core().session().is_open()) roster_.see(node_.core().peers().published(), now);
  const std::vector<std::string> jobs = jobs_of(asked);
  FleetNow known{roster_.peers(now, machine_), node_.core().views().runs_of_others(jobs)};
  known.leads = led_groups(node_.core().views());
  if (asked.text("ask") == "evidence") known.states = states_of_led(node_.core().views(), now.wall, jobs);
  if (asked.text("ask") == "requests" || asked.flag("pauses").value_or(false))
    known.pauses = led_pauses(node_.core().views());
  return known;
}

std::vector<Result<Message>> Fleet::ask(const std::vector<PeerQuestion>& questions, Millis within,
                                        const std::function<bool()>& goes_on) {
  const auto token =
      settings_.token_file.empty() ? Result<std::string>(std::string()) : read_fleet_token(settings_.token_file);
  if (!token) return std::vector<Result<Message>>(questions.size(), token.error());
  std::vector<web::PeerRequest> requests;
  for (const auto& [peer, question] : questions)
    requests.push_back({peer.url + std::string(path), io::encode(question)});
  std::vector<Result<Message>> answers;
  const auto bodies = web::ask_peers(requests, {settings_.tls_ca, *token, within}, goes_on);
  std::size_t values = values_in_all;
  for (const auto& body : bodies) answers.push_back(body ? last_line(*body, values) : Result<Message>(body.error()));
  const auto now = roster_now();
  const std::lock_guard hold(mutex_);
  for (std::size_t i = 0; i < answers.size(); ++i) roster_.note(questions[i].first.node, bodies[i], answers[i], now);
  return answers;
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

AnswerTimes Fleet::answered() {
  const std::lock_guard hold(mutex_);
  return roster_.answered();
}

Result<std::string> read_fleet_token(const std::string& path) {
  auto text = io::read_trusted_file(path, io::Readers::owner);
  const auto error = [&](Errc code, const std::string& what) {
    return Error{code, "[fleet] token_file: " + path + " " + what};
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
