// What sessions write into a store beside registers, and what is made of keys that anybody can have written.
#include "harness.hpp"
#include "support/fields.hpp"
#include "support/keys/key_context.hpp"
#include "support/keys/key_view.hpp"
#include "support/predecessor.hpp"
#include "support/texts.hpp"

namespace ballot::fuzz::store_texts_harness {
namespace {

using namespace support;

constexpr std::uint64_t largest_epoch = std::uint64_t{1} << 62;
constexpr Millis past_all_times{253'402'300'800'000};

void look_at_member(std::string_view input) {
  const auto member = parse_member(input);
  if (!member) return;
  require(member->pid >= 0 && member->timeout >= Millis(0), "no number is negative");
  require(member->deadline < SteadyTime(past_all_times) && member->renewed < WallTime(past_all_times),
          "times can be reckoned with");
  const std::string text = format(*member);
  const auto again = parse_member(text);
  require(again && format(*again) == text, "a member that is written is read as the same", text);
  predecessor({.clean = false}, member, member->boot_id, SteadyTime{});
  Candidate candidate;
  describe(*member, candidate);
}

void look_at_term(std::string_view input) {
  const TermRecord term = parse_term(input);
  require(term.epoch <= largest_epoch, "an epoch can be counted on", std::to_string(term.epoch));
  require(term.before.size() <= TermRecord::most_before, "only so many terms before it count");
  const TermRecord out = put_out(term);
  require(!out.clean && out.session == no_session, "a term that is put out has no session");
  if (term.epoch == 0) return;
  const std::string text = format(term);
  require(format(parse_term(text)) == text, "a term that is written is read as the same", text);
}

void look_at_candidate(std::string_view input) {
  const auto candidate = parse_candidate(input);
  if (!candidate) return;
  require(is_showable(candidate->node), "its node can be shown", candidate->node);
  require(candidate->since >= WallTime{} && candidate->since < WallTime(past_all_times), "a time can be reckoned with");
  const std::string text = format(*candidate);
  const auto again = parse_candidate(text);
  require(again && format(*again) == text, "a candidate that is written is read as the same", text);
}

/// Keys, their values and what is removed, a line each.
void look_at_view(std::string_view input) {
  KeyView view;
  std::vector<KeyEntry> terms, sessions;
  for (const auto& [key, value] : fields_of(input)) {
    terms.push_back({std::string(KeyNames::terms) + key, value, terms.size() + 1});
    sessions.push_back({std::string(KeyNames::sessions) + key, value, sessions.size() + 1});
  }
  view.list_terms(terms);
  view.list_sessions(sessions);
  require(view.complete() && view.terms().size() == terms.size(), "all that is listed is known");
  for (const KeyEntry& entry : sessions) {
    const std::string node = entry.key.substr(std::string_view(KeyNames::sessions).size());
    require(view.is_open(node, entry.value), "a session that is listed is open", node);
    require(view.write_session(node, entry.value).empty(), "what is known takes nothing away", node);
    require(view.remove_session(node).size() == 1, "a session that is removed is gone", node);
  }
  view.list_terms({});
  require(view.terms().empty(), "what is not listed any more is not there");
}

}  // namespace

BALLOT_FUZZ(store_texts) {
  look_at_member(input);
  look_at_term(input);
  look_at_candidate(input);
  look_at_view(input);
}

}  // namespace ballot::fuzz::store_texts_harness
