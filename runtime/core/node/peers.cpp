#include "core/node/peers.hpp"

#include <algorithm>
#include <charconv>

#include "base/candidates.hpp"
#include "base/fnv.hpp"
#include "core/node/leader_rank.hpp"
#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t text_limit = 7 * 1024;                     // of the 8 KB that a record may hold
constexpr std::size_t most_troubles = 5, longest_trouble = 300;  // bytes: they are in each of a node's records
constexpr Millis doubt_after{60'000};                            // whoever was seen alive is checked again
constexpr Millis gone_for{300'000};                              // whoever was missed may be there again
constexpr Millis arriving{60'000};  // whoever has begun may not have entered all elections yet
constexpr Millis left_for{24 * 3'600'000};

constexpr std::string_view pause_terms_word = "pause_terms", triggers_word = "triggers", backfills_word = "backfills";

std::uint64_t hash_of(std::string_view text) { return Fnv().add(text).value(); }

std::string hex(std::uint64_t value) {
  char text[16];
  for (int i = 15; i >= 0; --i, value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return {text, 16};
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

constexpr Field<NodeRecord> node_fields[] = {
    {"node", Times::once, [](NodeRecord& r, Words& w) { r.node = w.word(); }},
    {"session", Times::once, [](NodeRecord& r, Words& w) { r.session = w.word(); }},
    {"unfit", Times::at_most_once, [](NodeRecord& r, Words& w) { r.unfit = w.line(); }},
    {"machine", Times::at_most_once, [](NodeRecord& r, Words& w) { r.runner.machine_id = w.word(); }},
    {"boot", Times::at_most_once, [](NodeRecord& r, Words& w) { r.runner.boot_id = w.word(); }},
    {"runner", Times::at_most_once, [](NodeRecord& r, Words& w) { r.runner.socket = w.line(); }},
    {"at", Times::once, [](NodeRecord& r, Words& w) { r.at = w.time(); }},
    {"group", Times::often,
     [](NodeRecord& r, Words& w) {
       std::string name(w.name());
       r.groups.emplace_back(std::move(name), w.keep(parse_hex(w.word())));
     }},
    {"unfit_group", Times::often,
     [](NodeRecord& r, Words& w) {
       std::string name(w.name());
       r.unfit_groups.emplace_back(std::move(name), w.line());
     }},
    {"gone_back", Times::often,
     [](NodeRecord& r, Words& w) {
       std::string name(w.name());
       r.gone_back.emplace_back(std::move(name), w.counter());
     }},
    {"evidence", Times::at_most_once, [](NodeRecord& r, Words& w) { r.evidence = w.line(); }},
    {"api", Times::at_most_once, [](NodeRecord& r, Words& w) { r.api = w.line(); }},
    {"knows", Times::often,
     [](NodeRecord& r, Words& w) {
       const std::string_view what = w.word();
       r.knows_pause_terms = r.knows_pause_terms || what == pause_terms_word;
       r.knows_triggers = r.knows_triggers || what == triggers_word;
       r.knows_backfills = r.knows_backfills || what == backfills_word;
     }},
    {"trouble", Times::often,
     [](NodeRecord& r, Words& w) {
       if (r.troubles.size() < most_troubles) r.troubles.emplace_back(w.line());
     }},
};

constexpr TextForm<NodeRecord> node_form{"the node's record", node_fields, nullptr};

/// No character is cut.
std::string shortened(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

/// A session is in elections until it is over, though its node may be dead: since when it was not renewed.
Millis unheard_for(const Candidate& candidate, WallTime now) {
  return candidate.last_seen ? std::max(Millis(now - *candidate.last_seen), Millis(0)) : Millis(0);
}

}  // namespace

std::vector<std::string> to_texts(const NodeRecord& r) {
  std::string top(heading);
  top += "\n";
  line(top, "node", r.node);
  line(top, "session", r.session);
  line(top, "at", format_millis(r.at));
  if (!r.runner.machine_id.empty()) line(top, "machine", r.runner.machine_id);
  if (!r.runner.boot_id.empty()) line(top, "boot", r.runner.boot_id);
  if (!r.runner.socket.empty()) free_line(top, "runner", r.runner.socket);
  if (!r.api.empty()) free_line(top, "api", r.api);
  if (r.knows_pause_terms) line(top, "knows", pause_terms_word);
  if (r.knows_triggers) line(top, "knows", triggers_word);
  if (r.knows_backfills) line(top, "knows", backfills_word);
  if (!r.unfit.empty()) free_line(top, "unfit", r.unfit);
  if (!r.evidence.empty()) free_line(top, "evidence", r.evidence);
  for (std::size_t i = 0; i < std::min(r.troubles.size(), most_troubles); ++i)
    free_line(top, "trouble", shortened(r.troubles[i], longest_trouble));
  std::vector<std::string> texts{top};
  const auto add = [&](const std::string& added) {
    if (texts.back().size() + added.size() > text_limit) texts.push_back(top);
    texts.back() += added;
  };
  for (const auto& [name, digest] : r.groups) {
    std::string text;
    line(text, "group", name + " " + hex(digest));
    add(text);
  }
  for (const auto& [name, why] : r.unfit_groups) {
    std::string text;
    free_line(text, "unfit_group", name + " " + why);
    add(text);
  }
  for (const auto& [name, repair] : r.gone_back) {
    std::string text;
    line(text, "gone_back", name + " " + std::to_string(repair));
    add(text);
  }
  return texts;
}

Result<NodeRecord> parse_node_record(std::string_view text) { return parse_text(node_form, text); }

std::uint64_t job_digest(std::string_view job, std::string_view definition) {
  return mixed(Fnv().add_whole(job).add(definition).value());
}

std::uint64_t settings_digest(const Group& settings) {
  Fnv hash;
  for (const std::string& pattern : settings.candidates) hash.add_whole(pattern);
  hash.add_whole("");
  for (const std::string& node : settings.preferred) hash.add_whole(node);
  return mixed(hash.add_whole("").add(std::to_string(settings.max_running)).value());
}

std::uint64_t Peers::Peer::digest(const std::string& group) const {
  const auto it = digests.find(hash_of(group));
  return it == digests.end() ? 0 : it->second;
}

bool Peers::Peer::takes_part(const Group& settings) const {
  return may_lead(settings, node) && !unfit_groups.contains(hash_of(settings.name));
}

bool Peers::learn(SteadyTime now, const std::string& self, const std::vector<Register>& records) {
  std::map<std::string, Peer> published;
  for (const Register& record : records) {
    auto parsed = parse_node_record(record.value);
    if (!parsed || parsed->node == self || parsed->session.empty()) continue;
    Peer& peer = published[parsed->session];
    peer.node = parsed->node;
    peer.runner = parsed->runner;
    peer.api = parsed->api;
    peer.knows_pause_terms = parsed->knows_pause_terms;
    peer.knows_triggers = parsed->knows_triggers;
    peer.knows_backfills = parsed->knows_backfills;
    if (parsed->at >= peer.at)  // records of before may be there still
      peer.unfit = parsed->unfit, peer.troubles = parsed->troubles;
    peer.at = std::max(peer.at, parsed->at);
    peer.since = now;
    peer.records.push_back(record.name);
    for (const auto& [group, digest] : parsed->groups) peer.digests[hash_of(group)] = digest;
    for (const auto& [group, why] : parsed->unfit_groups) peer.unfit_groups.insert(hash_of(group));
    for (const auto& [group, repair] : parsed->gone_back) peer.gone_back[hash_of(group)] = repair;
    if (!parsed->evidence.empty()) peer.evidence = parsed->evidence;
  }
  bool changed = published.size() != peers_.size();
  for (auto& [session, peer] : published) {
    const auto before = peers_.find(session);
    if (before != peers_.end()) {
      const bool says_same = !peer.unfit.empty() && before->second.unfit == peer.unfit;  // again: to show that it lives
      peer.alive = says_same && before->second.at < peer.at ? now : before->second.alive;
    }
    if (before == peers_.end() || !before->second.publishes_same_as(peer)) {
      changed = true;
    } else {
      peer.since = before->second.since;
      peer.life = before->second.life;
      peer.seen = before->second.seen;
    }
  }
  peers_ = std::move(published);
  return changed;
}

void Peers::hear(Now now, const Election& election) {
  for (const Candidate& candidate : election.candidates)
    if (const auto peer = peers_.find(candidate.id); peer != peers_.end())
      peer->second.alive = std::max(peer->second.alive, std::optional(now.steady - unheard_for(candidate, now.wall)));
}

bool Peers::see(Now now, const Group& settings, const Election& election) {
  bool changed = false;
  for (auto& [session, peer] : peers_) {
    if (!peer.takes_part(settings)) continue;
    const auto found = std::find_if(election.candidates.begin(), election.candidates.end(),
                                    [&, &id = session](const Candidate& candidate) { return candidate.id == id; });
    const bool there = found != election.candidates.end();
    if (!there && peer.life == Peer::Life::unknown && now.steady < peer.since + arriving) continue;
    const auto life = there ? Peer::Life::alive : Peer::Life::gone;
    changed = changed || peer.life != life;
    peer.life = life;
    peer.seen = now.steady;
  }
  return changed;
}

std::optional<SteadyTime> Peers::unsure_from(const Group& settings, std::uint64_t digest) const {
  std::optional<SteadyTime> first;
  for (const auto& [session, peer] : peers_) {
    if (!peer.takes_part(settings) || peer.digest(settings.name) == digest) continue;
    const Millis known_for = peer.life == Peer::Life::alive ? doubt_after : gone_for;
    const SteadyTime from = peer.life == Peer::Life::unknown ? SteadyTime{} : peer.seen + known_for;
    first = std::min(first.value_or(from), from);
  }
  return first;
}

std::vector<std::string> Peers::living(const Group& settings, std::uint64_t digest, bool with_it) const {
  std::vector<std::string> nodes;
  for (const auto& [session, peer] : peers_)
    if (peer.life == Peer::Life::alive && peer.takes_part(settings) &&
        (peer.digest(settings.name) == digest) == with_it)
      nodes.push_back(peer.node);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<std::string> Peers::odd_ones(const Group& settings, std::uint64_t digest, const std::string& self) const {
  std::map<std::uint64_t, std::vector<std::string>> nodes{{digest, {self}}};
  for (const auto& [session, peer] : peers_)
    if (peer.life == Peer::Life::alive && peer.takes_part(settings))
      nodes[peer.digest(settings.name)].push_back(peer.node);
  const auto more = [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); };
  const auto most = std::max_element(nodes.begin(), nodes.end(), more);
  std::vector<std::string> odd;
  for (const auto& [other, named] : nodes) {
    if (other == most->first) continue;
    if (named.size() == most->second.size()) return {};
    odd.insert(odd.end(), named.begin(), named.end());
  }
  std::sort(odd.begin(), odd.end());
  return odd;
}

Peers::Best Peers::best(SteadyTime now, const Group& settings, std::uint64_t digest, const std::string& self,
                        bool spread) const {
  Best best{"", self, {}};
  auto first = leader_rank(settings, self, spread);
  std::vector<std::pair<LeaderRank, SteadyTime>> coming;
  for (const auto& [session, peer] : peers_) {
    const bool gone = peer.life == Peer::Life::gone && now < peer.seen + gone_for;
    if (gone || !peer.unfit.empty() || !peer.takes_part(settings) || peer.digest(settings.name) != digest) continue;
    const auto place = leader_rank(settings, peer.node, spread);
    if (place >= first) continue;
    if (now < peer.since + fit_delay) {
      coming.emplace_back(place, peer.since + fit_delay);
      continue;
    }
    first = place;
    best.session = session;
    best.node = peer.node;
  }
  for (const auto& [place, fit] : coming)
    if (place < first && (!best.again || fit < *best.again)) best.again = fit;
  return best;
}

bool Peers::have_evidence() const {
  return std::any_of(peers_.begin(), peers_.end(), [](const auto& one) { return !one.second.gone_back.empty(); });
}

std::string Peers::evidence(const std::string& group, std::uint64_t repair) const {
  for (const auto& [session, peer] : peers_) {
    const auto found = peer.gone_back.find(hash_of(group));
    if (found != peer.gone_back.end() && found->second >= repair)
      return (peer.evidence.empty() ? "the store has gone back" : peer.evidence) + ", as node " + peer.node + " knows";
  }
  return "";
}

bool Peers::have_candidate(const Group& settings) const {
  return std::any_of(peers_.begin(), peers_.end(), [&](const auto& known) {
    return known.second.life != Peer::Life::gone && may_lead(settings, known.second.node);
  });
}

std::string Peers::lacks(const Group* settings, bool Peer::*knows) const {
  std::map<std::string_view, const Peer*> newest;
  for (const auto& [session, peer] : peers_) {
    const Peer*& known = newest[peer.node];
    if (!known || peer.at > known->at) known = &peer;
  }
  for (const auto& [node, peer] : newest)
    if (!(peer->*knows) && peer->life != Peer::Life::gone && (!settings || peer->takes_part(*settings)))
      return peer->node;
  return "";
}

std::optional<RunnerPlace> Peers::runner_of(const std::string& node) const {
  const Peer* last = nullptr;
  for (const auto& [session, peer] : peers_)
    if (peer.node == node && (!last || peer.at >= last->at)) last = &peer;
  return last ? std::optional(last->runner) : std::nullopt;
}

std::vector<Peers::Published> Peers::published() const {
  std::map<std::string, Published> nodes;
  for (const auto& [session, peer] : peers_) {
    Published& known = nodes[peer.node];
    if (known.node.empty() || peer.at > known.at)
      known = {peer.node, peer.api, peer.at, known.alive, peer.runner.machine_id};
    known.alive = std::max(known.alive, peer.alive);
  }
  std::vector<Published> all;
  for (auto& [name, node] : nodes) all.push_back(std::move(node));
  return all;
}

std::vector<std::string> Peers::leftovers(Now now) const {
  std::vector<std::string> names;
  for (const auto& [session, peer] : peers_)
    if (peer.life == Peer::Life::gone && now.wall >= peer.at + left_for &&
        (!peer.alive || now.steady >= *peer.alive + left_for))
      names.insert(names.end(), peer.records.begin(), peer.records.end());
  return names;
}

}  // namespace ballot::core
