#include "library/history/fleet_definitions.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "library/history/definition_wire.hpp"
#include "library/history/ledger_questions.hpp"

namespace ballot::library {
namespace {

using storage::BegunDefinition;
using storage::DefinitionChange;
using storage::DefinitionFilter;
using storage::DefinitionKey;
using storage::DefinitionPosition;

constexpr std::int64_t changes_at_once = 400;  // no more than names_at_once definitions, with those before them

/// All rows of these definitions.
Result<std::vector<BegunDefinition>> rows_of(LedgerView& ledger, std::vector<DefinitionKey> keys) {
  std::vector<BegunDefinition> rows;
  if (keys.empty()) return rows;
  const auto read = ledger.definitions({.of = std::move(keys), .limit = std::nullopt},
                                       [&](const BegunDefinition& one) { return rows.push_back(one), true; });
  return read ? Result<std::vector<BegunDefinition>>(std::move(rows)) : read.error();
}

}  // namespace

Result<DefinitionPage> page_of(FleetAnswers& fleet, const DefinitionFilter& filter) {
  io::Message asked = to_message(filter);
  const auto answers = fleet.ask_all(asked.set("do", std::string("ledger")).set("ask", std::string("definitions")));
  if (!answers) return answers.error();
  DefinitionPage page;
  for (const FleetAnswers::Answer& answer : *answers) {
    page.has_more = page.has_more || !answer.message.objects("next").empty();
    for (const io::Message& one : answer.message.objects("definitions")) {
      auto definition = definition_from(one);
      const bool is_later = definition && filter.after && position_of(*definition) >= *filter.after;
      if (!definition || is_later) {
        fleet.lose(answer.ledger, definition ? "its definitions come in no order" : definition.error().what);
        break;
      }
      page.definitions.push_back(*std::move(definition));
    }
  }
  std::sort(page.definitions.begin(), page.definitions.end(),
            [](const auto& a, const auto& b) { return position_of(a) > position_of(b); });
  page.has_more = page.has_more || std::ssize(page.definitions) > *filter.limit;
  if (std::ssize(page.definitions) > *filter.limit) page.definitions.resize(static_cast<std::size_t>(*filter.limit));
  return page;
}

Result<std::optional<DefinitionPosition>> read_definitions(FleetAnswers& fleet, const DefinitionFilter& filter,
                                                           const storage::VisitDefinition& visit) {
  DefinitionFilter rest = filter;
  for (auto left = filter.limit.value_or(std::numeric_limits<std::int64_t>::max()); left > 0;) {
    rest.limit = std::min(left, page_rows);
    const auto page = page_of(fleet, rest);
    if (!page) return page.error();
    for (const BegunDefinition& one : page->definitions) {
      rest.after = position_of(one);
      if (!visit(one)) return rest.after;
    }
    left -= std::ssize(page->definitions);
    if (page->definitions.empty() || !page->has_more) return std::optional<DefinitionPosition>();
  }
  return rest.after;
}

Result<std::optional<DefinitionPosition>> read_definition_changes(LedgerView& ledger, const DefinitionFilter& filter,
                                                                  const VisitDefinitionChange& visit) {
  DefinitionFilter rest = filter;
  for (auto left = filter.limit.value_or(std::numeric_limits<std::int64_t>::max()); left > 0;) {
    rest.limit = std::min(left, changes_at_once);
    std::vector<BegunDefinition> page;
    const auto next = ledger.definitions(rest, [&](const BegunDefinition& one) { return page.push_back(one), true; });
    if (!next) return next.error();
    const auto rows = rows_of(ledger, storage::keys_of(page));
    if (!rows) return rows.error();
    for (const DefinitionChange& change : storage::definition_changes(page, *rows)) {
      if (!visit(change)) return std::optional<DefinitionPosition>();
      --left;
    }
    if (!*next) return std::optional<DefinitionPosition>();
    rest.after = *next;
  }
  return rest.after;
}

}  // namespace ballot::library
