#include "elections.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ballot::local {

namespace {

Candidate candidate(const SessionRow& row, WallTime since, bool leads) {
  Candidate shown;
  support::describe(row, shown);
  shown.id = std::to_string(row.id);
  shown.since = since;
  shown.leads = leads;
  return shown;
}

}  // namespace

std::vector<Election> elections(RegisterDb& db, const std::vector<SessionRow>& live, const std::string& group) {
  std::vector<TermRow> terms;
  if (group.empty())
    terms = db.terms();
  else if (auto term = db.find_term(group))
    terms.push_back(std::move(*term));
  const auto one = terms.size() == 1 ? std::optional(terms[0].group) : std::nullopt;
  std::map<std::int64_t, std::vector<Candidate>> candidates;  // by group
  std::map<std::int64_t, std::int64_t> leaders;
  for (const TermRow& term : terms)
    if (term.end == TermEnd::open) leaders[term.group] = term.session;
  for (const SessionRow& row : live)
    for (const auto& [id, since] : db.candidacies(row.id, one))
      candidates[id].push_back(candidate(row, since, leaders.contains(id) && leaders[id] == row.id));
  std::vector<Election> found;
  for (const TermRow& term : terms) {
    Election election{term.name, term.epoch, std::move(candidates[term.group])};
    std::sort(election.candidates.begin(), election.candidates.end(), [](const Candidate& a, const Candidate& b) {
      return std::tuple(!a.leads, a.since, a.node) < std::tuple(!b.leads, b.since, b.node);
    });
    if (election.epoch != 0 || !election.candidates.empty()) found.push_back(std::move(election));
  }
  return found;
}

}  // namespace ballot::local
