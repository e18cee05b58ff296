#include "library/history/fleet_terms.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"

namespace ballot::library {

io::Message question_of_terms_since(WallTime since, std::int64_t most) {
  io::Message asked = question("terms_since");
  return asked.set("since", since.time_since_epoch().count()).set("most", most);
}

Result<std::vector<TermRow>> read_terms(FleetAnswers& fleet, const io::Message& asked, std::int64_t most) {
  const auto answers = fleet.ask_all(asked);
  if (!answers) return answers.error();
  std::map<std::pair<std::string, std::uint64_t>, TermRow> terms;
  for (const FleetAnswers::Answer& answer : *answers)
    for (const io::Message& one : answer.message.objects("terms")) {
      auto term = term_from(one);
      if (!term) {
        fleet.lose(answer.ledger, term.error().what);
        break;
      }
      const bool is_leaders = term->node == answer.ledger;
      const auto [known, fresh] = terms.try_emplace({term->group, term->epoch}, *term);
      // No other node knows better than this one what it led itself.
      if (!fresh && is_leaders && !fleet.is_own(known->second.node)) known->second = *std::move(term);
    }
  std::vector<TermRow> all;
  for (auto& [key, term] : terms) all.push_back(std::move(term));
  // A group's by their epochs, whatever the clocks of their nodes said.
  const bool is_of_one = asked.text("group").has_value();
  const auto order = [&](const TermRow& term) {
    return std::tuple(is_of_one ? WallTime() : term.elected_at, term.epoch, term.group);
  };
  std::sort(all.begin(), all.end(), [&](const TermRow& a, const TermRow& b) { return order(a) > order(b); });
  if (std::ssize(all) > most) all.resize(static_cast<std::size_t>(most));
  return all;
}

}  // namespace ballot::library
