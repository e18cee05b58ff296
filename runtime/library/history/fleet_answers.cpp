#include "library/history/fleet_answers.hpp"

#include <algorithm>

#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "library/backfill/shown_backfill.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"
#include "library/history/request_wire.hpp"
#include "library/history/standing_pauses.hpp"
#include "library/history/wire_values.hpp"

namespace ballot::library {
namespace {

using io::Message;
using storage::Account;

constexpr std::size_t most_evidence = 20'000;        // rows
constexpr std::size_t most_rows_of_a_node = 50'000;  // of an answer: no node reads so many for one
constexpr std::size_t most_states = 20'000, longest_state = 256, most_pauses = 20'000, longest_trouble = 4096;
constexpr std::size_t most_nodes_named = 5;  // in a sentence
constexpr Millis answer_patience = std::chrono::seconds(2);

/// The node answers that there is no such thing. Any other error leaves open what it has.
bool knows_nothing(const Message& question, const Error& error) {
  constexpr std::string_view calls[] = {"find_run", "output", "knows_job", "knows_group", "instances_of"};
  return error.code == Errc::not_found &&
         std::find(std::begin(calls), std::end(calls), question.text("ask").value_or("")) != std::end(calls);
}

/// Of a job and its group.
std::vector<LedPause> pauses_in(const Message& state) {
  constexpr std::size_t most = 2;
  std::vector<LedPause> pauses;
  for (const Message& one : state.objects("pauses")) {
    std::string by = one.text("by").value_or("");
    std::string reason = one.text("reason").value_or("");
    if (pauses.size() == most || std::max(by.size(), reason.size()) > longest_state) break;
    const auto time = [&](const char* key) {
      const auto ms = one.integer(key);
      return ms ? std::optional(WallTime(Millis(*ms))) : std::nullopt;
    };
    pauses.push_back({one.text("of") == "group", time("since"), std::move(by), time("until"), std::move(reason)});
  }
  return pauses;
}

/// A job has at most as many open runs.
std::vector<Row> runs_in_question(const Message& state) {
  std::vector<Row> runs;
  for (const Message& one : state.objects("in_question"))
    if (auto row = row_from(one); row && row->run && runs.size() < core::open_run_limit)
      runs.push_back(*std::move(row));
  return runs;
}

std::vector<WallTime> waiting_in(const Message& state) {
  std::vector<WallTime> slots;
  for (const std::string& text : state.texts("waiting"))
    if (const auto slot = parse_wall(text); slot && slots.size() < most_waiting) slots.push_back(*slot);
  return slots;
}

}  // namespace

std::string text_of(const std::vector<MissingNode>& missing) {
  std::string text;
  for (std::size_t i = 0; i < std::min(missing.size(), most_nodes_named); ++i)
    text += (text.empty() ? "" : ", ") + missing[i].node + " (" +
            (missing[i].last_heard ? "last heard of at " + format_seconds(*missing[i].last_heard) + "; " : "") +
            missing[i].why + ")";
  if (missing.size() > most_nodes_named) text += " and " + std::to_string(missing.size() - most_nodes_named) + " more";
  return text;
}

Error not_known(const std::vector<MissingNode>& missing, std::string what, const std::string& guess) {
  if (missing.empty()) return {Errc::not_found, what + guess};
  return {Errc::unavailable, what + "; these have not answered: " + text_of(missing) + guess};
}

FleetAnswers::FleetAnswers(std::string node, LedgerView* own, FleetNow now, AskOthers ask, FleetBounds bounds)
    : node_(std::move(node)), own_(own), ask_(std::move(ask)), bounds_(bounds) {
  for (FleetPeer& peer : now.peers) {
    if (peer.silent.empty() && peers_.size() >= bounds_.nodes)
      peer.silent = "a question asks no more than " + std::to_string(bounds_.nodes) +
                    " other nodes: ask that one alone, or on it";
    if (!peer.silent.empty())
      missing_[peer.node] = {peer.node, peer.last_heard, peer.silent, peer.heard_by};
    else
      peers_.emplace(peer.node, std::move(peer));
  }
  for (const std::string& group : now.leads) leaders_[group].insert(node_);
  pauses_ = std::move(now.pauses);
  take_evidence(std::move(now.evidence), node_);
  for (LedState& state : now.states) {
    state.node = node_;
    states_.push_back(std::move(state));
  }
}

// ---- asking

std::vector<std::string> FleetAnswers::ledgers() const {
  std::vector<std::string> names;
  if (own_) names.push_back(node_);
  for (const auto& [name, peer] : peers_) names.push_back(name);
  return names;
}

std::vector<std::string> FleetAnswers::nodes() const {
  std::vector<std::string> names{node_};
  for (const auto& [name, peer] : peers_) names.push_back(name);
  for (const auto& [name, node] : missing_) names.push_back(name);
  return names;
}

void FleetAnswers::lose(const std::string& node, const std::string& why) {
  const auto peer = peers_.extract(node);
  if (!peer.empty()) missing_[node] = {node, peer.mapped().last_heard, why, peer.mapped().heard_by};
}

/// From the first round on the time counts.
bool FleetAnswers::may_ask_on() {
  const SteadyTime now = io::read_clocks().steady;
  if (ask_until_) return now < *ask_until_;
  ask_until_ = now + bounds_.patience;
  return true;
}

Result<std::vector<FleetAnswers::Answer>> FleetAnswers::ask(const Questions& questions, Millis within) {
  return ask(questions, within, nullptr);
}

/// `older`: null: every node knows the question.
Result<std::vector<FleetAnswers::Answer>> FleetAnswers::ask(const Questions& questions, Millis within,
                                                            std::set<std::string>* older) {
  std::vector<Answer> answers;
  std::vector<PeerQuestion> of_peers;
  std::optional<Error> refusal;
  const auto take = [&](const std::string& ledger, const Message& asked, Result<Message> answer) {
    if (answer && !is_own(ledger)) note_behind(ledger, *answer);
    if (answer) return answers.push_back({ledger, *std::move(answer)}), true;
    if (older && !is_own(ledger) && answer.error().code == Errc::invalid) return older->insert(ledger), true;
    const bool is_nothing = knows_nothing(asked, answer.error());
    if (is_nothing && !refusal) refusal = answer.error();
    return is_nothing;
  };
  for (const auto& [ledger, question] : questions) {
    if (const auto peer = peers_.find(ledger); peer != peers_.end()) of_peers.emplace_back(peer->second, question);
    if (!is_own(ledger)) continue;
    const auto own = answer_question(*own_, question);
    if (!take(ledger, question, own)) return own.error();
  }
  if (!of_peers.empty() && !may_ask_on()) {
    for (const auto& [peer, question] : of_peers)
      lose(peer.node, "the question takes too long, and it is asked no more: ask for less");
  } else if (!of_peers.empty()) {
    auto results = ask_.peers(of_peers, within);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto& [peer, question] = of_peers[i];
      if (!take(peer.node, question, results[i])) lose(peer.node, results[i].error().what);
    }
  }
  if (answers.empty() && refusal) return *refusal;
  return answers;
}

Result<std::vector<FleetAnswers::Answer>> FleetAnswers::ask_all(const Message& question, Millis within) {
  Questions questions;
  for (const std::string& ledger : ledgers()) questions.emplace_back(ledger, question);
  return ask(questions, within);
}

Result<std::vector<FleetAnswers::Answer>> FleetAnswers::ask_all(const Message& question, std::set<std::string>& older) {
  Questions questions;
  for (const std::string& ledger : ledgers()) questions.emplace_back(ledger, question);
  return ask(questions, answer_patience, &older);
}

Result<std::optional<WallTime>> FleetAnswers::kept_since(const std::string& job) {
  Message asked = question("kept_since");
  const auto answers = ask_all(asked.set("job", job));
  if (!answers) return answers.error();
  std::optional<WallTime> latest;
  for (const Answer& answer : *answers)
    if (const auto kept = instant_of(answer.message, "kept_since")) latest = std::max(kept, latest);
  return latest;
}

std::vector<Account> FleetAnswers::accounts_in(const std::vector<Answer>& answers) {
  std::vector<Account> accounts;
  for (const Answer& answer : answers) {
    auto rows = rows_from(answer.message, "rows");
    if (rows && rows->size() > most_rows_of_a_node)
      rows = Error{Errc::corrupt, "it answers with more rows than a node reads"};
    if (!rows) lose(answer.ledger, rows.error().what);
    if (!rows) continue;
    for (Row& row : *rows) accounts.push_back({std::move(row), answer.ledger});
  }
  return accounts;
}

const MissingNode* FleetAnswers::find_missing(const std::string& node) const {
  const auto found = missing_.find(node);
  return found == missing_.end() ? nullptr : &found->second;
}

std::vector<MissingNode> FleetAnswers::missing() const {
  std::vector<MissingNode> nodes;
  for (const auto& [name, node] : missing_) nodes.push_back(node);
  for (const auto& [name, node] : behind_)
    if (!missing_.contains(name)) nodes.push_back(node);
  if (own_)
    for (MissingNode& node : own_->missing()) nodes.push_back(std::move(node));
  return nodes;
}

/// A node says that of its own ledger only.
void FleetAnswers::note_behind(const std::string& ledger, const Message& answer) {
  constexpr std::size_t longest = 512;
  for (const Message& one : answer.objects("missing")) {
    MissingNode node = missing_from(one);
    const bool is_of_itself = node.heard_by == "ledger" || node.heard_by == "history";
    if (node.node != ledger || !is_of_itself || node.why.size() > longest) continue;
    behind_[ledger] = std::move(node);
  }
}

// ---- evidence

std::vector<std::string> FleetAnswers::leads() const {
  std::vector<std::string> groups;
  for (const auto& [group, leaders] : leaders_) groups.push_back(group);
  return groups;
}

/// A group's leader knows its registers as they are; any other node as they were when it read them.
bool FleetAnswers::is_outdated(const Row& row, const std::string& ledger) const {
  const auto leaders = leaders_.find(row.group);
  return leaders != leaders_.end() && !leaders->second.contains(ledger);
}

template <class IsOld>
void FleetAnswers::drop_evidence(const IsOld& is_old) {
  std::erase_if(evidence_, is_old);
  evidence_keys_.clear();
  for (const Account& one : evidence_) evidence_keys_.insert(key_of(one.row));
}

/// A register shows one run that has ended: where nodes have read it at different times, the newest is the last one.
void FleetAnswers::keep_newest_ends() {
  const auto end_of = [](const Row& row) { return std::pair(row.ended_at.value_or(row.slot), row.slot); };
  std::map<std::string, std::pair<WallTime, WallTime>> newest;
  for (const Account& one : evidence_) {
    if (!is_final(one.row.status)) continue;
    auto& end = newest.try_emplace(one.row.job, end_of(one.row)).first->second;
    end = std::max(end, end_of(one.row));
  }
  drop_evidence(
      [&](const Account& one) { return is_final(one.row.status) && end_of(one.row) < newest.at(one.row.job); });
}

/// A register shows runs, which may have ended, and slots that were claimed: anything else is no evidence, whoever says
/// it.
void FleetAnswers::take_evidence(std::vector<Row> rows, const std::string& ledger) {
  for (Row& row : rows) {
    const bool can_be = (row.run || !is_final(row.status)) && !row.job.empty() && !row.slot_until;
    if (can_be && evidence_.size() < most_evidence && evidence_keys_.insert(key_of(row)).second)
      evidence_.push_back({std::move(row), ledger, true});
  }
}

void FleetAnswers::take_states(const Message& answer, const std::string& ledger) {
  for (const Message& one : answer.objects("states")) {
    auto job = one.text("job"), state = one.text("state");
    std::string paused_by = one.text("paused_by").value_or("");
    if (!job || !state || std::max(state->size(), paused_by.size()) > longest_state) continue;
    if (states_.size() == most_states) return;
    states_.push_back({*std::move(job), ledger, *std::move(state), {}, std::move(paused_by)});
    if (const auto at = one.integer("paused_at")) states_.back().paused_at = WallTime(Millis(*at));
    if (const auto next = one.integer("next")) states_.back().next = WallTime(Millis(*next));
    states_.back().trouble = one.text("trouble").value_or("").substr(0, longest_trouble);
    states_.back().pauses = pauses_in(one);
    states_.back().is_running = one.flag("running").value_or(false);
    if (const auto at = one.integer("overdue")) states_.back().overdue_since = WallTime(Millis(*at));
    states_.back().is_slow = one.flag("slow").value_or(false);
    states_.back().backfill = position_in(one);
    states_.back().waiting = waiting_in(one);
    states_.back().in_question = runs_in_question(one);
  }
}

void FleetAnswers::take_pauses(const Message& answer) {
  for (const Message& one : answer.objects("pauses")) {
    const auto pause = request_from(one);
    if (!pause || pauses_.size() == most_pauses) return;
    pauses_.push_back(standing_pause(pause->job, pause->group, pause->at, pause->by));
    pauses_.back().text = pause->text.substr(0, longest_state);
  }
}

void FleetAnswers::gather_evidence(std::vector<std::string> jobs) {
  if (std::exchange(has_all_evidence_, true)) return;
  if (!peers_.empty()) ask_peers_for_evidence(jobs, Wanted::evidence);
  if (!missing_.empty() && ask_.store) ask_store_for_evidence(std::move(jobs));
  keep_newest_ends();
}

void FleetAnswers::gather_pauses(const std::vector<std::string>& jobs) {
  if (std::exchange(has_all_evidence_, true)) return;
  if (!peers_.empty()) ask_peers_for_evidence(jobs, Wanted::pauses);
  if (!missing_.empty() && ask_.store) ask_store_for_evidence(jobs);
}

/// A group's leader has read its registers. A node that says nothing of it is asked again by the question itself.
void FleetAnswers::ask_peers_for_evidence(const std::vector<std::string>& jobs, Wanted wanted) {
  Message asked = question("evidence");
  asked.set("jobs", jobs);
  if (wanted == Wanted::pauses) asked.set("pauses", true);
  Questions questions;
  for (const auto& [name, peer] : peers_) questions.emplace_back(name, asked);
  const auto answers = ask(questions);
  if (!answers) return;
  for (const Answer& answer : *answers)
    for (const std::string& group : answer.message.texts("leads")) leaders_[group].insert(answer.ledger);
  drop_evidence([this](const Account& one) { return is_outdated(one.row, one.ledger); });
  for (const Answer& answer : *answers) {
    auto rows = rows_from(answer.message, "rows");
    if (!rows) {
      lose(answer.ledger, rows.error().what);
      continue;
    }
    std::erase_if(*rows, [&](const Row& row) { return is_outdated(row, answer.ledger); });
    take_evidence(*std::move(rows), answer.ledger);
    take_states(answer.message, answer.ledger);
    take_pauses(answer.message);
  }
}

/// Whatever was read of these jobs before, by whichever node, is older.
void FleetAnswers::ask_store_for_evidence(std::vector<std::string> jobs) {
  StoreQuestion asked{std::move(jobs), {}, {}};
  for (const auto& [group, leaders] : leaders_) asked.known.insert(group);
  for (const auto& [name, node] : missing_) asked.silent.insert(name);
  auto shows = ask_.store(asked);
  if (!shows) {
    for (auto& [name, node] : missing_)
      node.why += "; nor does the store (" + shows.error().what + "): of what it leads this shows what was read before";
    return;
  }
  if (shows->has_more)
    for (auto& [name, node] : missing_)
      node.why += "; of the jobs that it may lead the registers of the first " + std::to_string(shows->jobs.size()) +
                  " were read: of the others this shows what was read before";
  const std::set<std::string> read(shows->jobs.begin(), shows->jobs.end());
  drop_evidence([&](const Account& one) { return read.contains(one.row.job); });
  take_evidence(std::move(shows->rows), node_);
  std::move(shows->states.begin(), shows->states.end(), std::back_inserter(states_));
  std::move(shows->pauses.begin(), shows->pauses.end(), std::back_inserter(pauses_));
}

std::vector<Account> FleetAnswers::evidence_of(const std::vector<RowKey>& keys) const {
  std::vector<Account> found;
  for (const Account& one : evidence_)
    if (std::any_of(keys.begin(), keys.end(), [&](const RowKey& key) {
          return key.run ? one.row.run == key.run && one.row.attempt == key.attempt
                         : one.row.job == key.job && one.row.slot >= key.slot && one.row.slot <= key.until;
        }))
      found.push_back(one);
  return found;
}

}  // namespace ballot::library
