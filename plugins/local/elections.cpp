#include "elections.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ballot::local {

std::vector<Election> elections(RegisterDb& db, const std::vector<FolderSession>& live, const std::string& group) {
  std::vector<TermRow> terms;
  if (group.empty())
    terms = db.terms();
  else if (auto term = db.find_term(group))
    terms.push_back(std::move(*term));
  const auto only = terms.size() == 1 ? std::optional(terms[0].group) : std::nullopt;
  std::map<std::int64_t, std::vector<Candidate>> candidates;  // by group
  for (const FolderSession& session : live) {
    Candidate candidate;
    describe(session, candidate);
    candidate.id = std::to_string(session.id);
    for (const auto& [id, since] : db.candidacies(session.id, only)) {
      candidate.since = since;
      candidates[id].push_back(candidate);
    }
  }
  std::vector<Election> found;
  for (const TermRow& term : terms) {
    Election election{term.name, term.epoch, std::move(candidates[term.group])};
    for (Candidate& one : election.candidates)
      one.leads = term.end == TermEnd::open && one.id == std::to_string(term.session);
    std::sort(election.candidates.begin(), election.candidates.end(), [](const Candidate& a, const Candidate& b) {
      return std::tuple(!a.leads, a.since, a.node) < std::tuple(!b.leads, b.since, b.node);
    });
    if (election.epoch != 0 || !election.candidates.empty()) found.push_back(std::move(election));
  }
  return found;
}

}  // namespace ballot::local
