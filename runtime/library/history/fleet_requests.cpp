#include "library/history/fleet_requests.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "library/history/ledger_questions.hpp"
#include "library/history/request_wire.hpp"
#include "library/history/standing_pauses.hpp"

namespace ballot::library {
namespace {

bool is_newer(const RequestRow& a, const RequestRow& b) { return std::pair(a.at, a.id) > std::pair(b.at, b.id); }

bool are_named(const std::vector<std::string>& nodes, const std::string& node) {
  return nodes.empty() || std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

}  // namespace

Result<RequestPage> page_of(FleetAnswers& fleet, const storage::RequestFilter& filter) {
  io::Message asked = to_message(filter);
  const auto answers = fleet.ask_all(asked.set("do", std::string("ledger")).set("ask", std::string("requests")));
  if (!answers) return answers.error();
  std::map<std::pair<WallTime, RunId>, RequestRow, std::greater<>> all;
  RequestPage page;
  for (const FleetAnswers::Answer& answer : *answers) {
    page.has_more = page.has_more || !answer.message.objects("next").empty();
    for (const io::Message& one : answer.message.objects("requests")) {
      auto request = request_from(one);
      if (!request) {
        fleet.lose(answer.ledger, request.error().what);
        break;
      }
      const std::pair place(request->at, request->id);
      if (filter.after && place >= std::pair(filter.after->at, filter.after->id)) {
        fleet.lose(answer.ledger, "its requests come in no order");
        break;
      }
      all.try_emplace(place, *std::move(request));
    }
  }
  for (auto& [place, request] : all) page.requests.push_back(std::move(request));
  page.has_more = page.has_more || std::ssize(page.requests) > *filter.limit;
  if (std::ssize(page.requests) > *filter.limit) page.requests.resize(static_cast<std::size_t>(*filter.limit));
  return page;
}

/// A group's pause: one of the jobs that are asked for is paused with its group since then, by the same.
bool FleetRequests::pauses_a_job(const RequestRow& pause) const {
  const auto& states = fleet_.states();
  return std::any_of(states.begin(), states.end(), [&](const LedState& state) {
    return std::any_of(state.pauses.begin(), state.pauses.end(), [&](const LedPause& one) {
      return one.is_of_group && one.since.value_or(WallTime{}) == pause.at && one.by == pause.by;
    });
  });
}

/// Those that a node may have taken up which does not answer. Requests that are shown on other pages are known too.
Result<std::vector<RequestRow>> FleetRequests::standing(const storage::RequestFilter& filter,
                                                        const std::vector<MissingNode>& missing) {
  const bool may_be_theirs = std::any_of(missing.begin(), missing.end(), [&](const MissingNode& node) {
    return node.heard_by != "ledger" && are_named(filter.nodes, node.node);
  });
  if (!may_be_theirs || filter.run) return std::vector<RequestRow>();
  fleet_.gather_pauses(filter.jobs);
  storage::RequestFilter asked = filter;
  auto pauses = fleet_.pauses();
  if (!filter.jobs.empty()) {
    std::erase_if(pauses, [this](const RequestRow& one) { return one.job.empty() && !pauses_a_job(one); });
    asked.jobs.emplace_back();  // the others of groups
  }
  pauses = missing_among(std::move(pauses), asked, {});
  if (pauses.empty()) return pauses;
  const auto known = page_(requests_of(pauses));
  if (!known) return known.error();
  return missing_among(std::move(pauses), asked, known->requests);
}

Result<std::optional<storage::RequestPosition>> FleetRequests::read(const storage::RequestFilter& filter,
                                                                    const Missing& missing,
                                                                    const LedgerView::VisitRequest& visit) {
  storage::RequestFilter rest = filter;
  for (auto left = filter.limit.value_or(std::numeric_limits<std::int64_t>::max()); left > 0;) {
    rest.limit = std::min(left, page_rows);
    auto page = page_(rest);
    if (!page) return page.error();
    auto pauses = standing(rest, missing());
    if (!pauses) return pauses.error();
    const RequestRow* const last = page->has_more && !page->requests.empty() ? &page->requests.back() : nullptr;
    if (last) std::erase_if(*pauses, [&](const RequestRow& pause) { return !is_newer(pause, *last); });
    std::vector<RequestRow> all;
    std::merge(page->requests.begin(), page->requests.end(), pauses->begin(), pauses->end(), std::back_inserter(all),
               is_newer);
    page->has_more = page->has_more || std::ssize(all) > *rest.limit;
    if (std::ssize(all) > *rest.limit) all.resize(static_cast<std::size_t>(*rest.limit));
    for (const RequestRow& request : all) {
      rest.after = storage::RequestPosition{request.at, request.id};
      if (!visit(request)) return std::optional<storage::RequestPosition>();
    }
    left -= std::ssize(all);
    if (all.empty() || !page->has_more) return std::optional<storage::RequestPosition>();
  }
  return rest.after;
}

}  // namespace ballot::library
