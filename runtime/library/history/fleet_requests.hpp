// FleetRequests: what people asked of the fleet: each node has the requests that it took up, and of a node that does
// not answer the store has the pauses that stand.
//
// Thread: the one that uses it; calls block as long as the fleet's answers do.
//
//   FleetRequests requests(fleet, [&](const auto& filter) { return page_of(fleet, filter); });
//   requests.read(filter, [&] { return missing(); }, visit);
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "library/history/fleet_answers.hpp"
#include "storage/reader.hpp"

namespace ballot::library {

struct RequestPage {
  std::vector<RequestRow> requests;  // newest first, as many as the filter's limit or fewer
  bool has_more = false;
};

/// By the nodes that answer: the newest of each one's page. Requires: the filter has a limit.
Result<RequestPage> page_of(FleetAnswers& fleet, const storage::RequestFilter& filter);

class FleetRequests {
 public:
  using PageOf = std::function<Result<RequestPage>(const storage::RequestFilter&)>;
  using Missing = std::function<std::vector<MissingNode>()>;

  /// `page`: of what ledgers have.
  FleetRequests(FleetAnswers& fleet, PageOf page) : fleet_(fleet), page_(std::move(page)) {}

  /// As LedgerView::requests(). `missing`: whose requests may lack, by then.
  Result<std::optional<storage::RequestPosition>> read(const storage::RequestFilter& filter, const Missing& missing,
                                                       const LedgerView::VisitRequest& visit);

 private:
  bool pauses_a_job(const RequestRow& pause) const;
  Result<std::vector<RequestRow>> standing(const storage::RequestFilter& filter,
                                           const std::vector<MissingNode>& missing);

  FleetAnswers& fleet_;
  const PageOf page_;
};

}  // namespace ballot::library
