#include "app/standing_pauses.hpp"

#include <algorithm>
#include <utility>

namespace ballot::app {
namespace {

constexpr Millis carried_out_within = std::chrono::minutes(1);  // from when a request was taken up

bool has(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// Which node took it up the store does not say.
bool is_asked_for(const RequestRow& pause, const storage::RequestFilter& filter) {
  return !filter.run && has(filter.jobs, pause.job) && has(filter.groups, pause.group) &&
         (!filter.since || pause.at >= *filter.since) && (!filter.until || pause.at < *filter.until);
}

bool is_of(const RequestRow& request, const RequestRow& pause) {
  return request.kind == pause.kind && request.job == pause.job && request.group == pause.group &&
         request.by == pause.by && request.at <= pause.at + carried_out_within &&
         pause.at <= request.at + carried_out_within;
}

}  // namespace

void add_standing(std::vector<ShownRequest>& requests, const std::vector<RequestRow>& pauses,
                  const storage::RequestFilter& filter) {
  const auto limit = static_cast<std::size_t>(filter.limit.value_or(static_cast<std::int64_t>(requests.max_size())));
  for (const RequestRow& pause : pauses) {
    const auto is_there = [&](const ShownRequest& one) { return is_of(one.row, pause); };
    if (!is_asked_for(pause, filter) || std::any_of(requests.begin(), requests.end(), is_there)) continue;
    const auto place =
        std::find_if(requests.begin(), requests.end(), [&](const ShownRequest& one) { return one.row.at <= pause.at; });
    requests.insert(place, {pause, true});
    if (requests.size() > limit) requests.pop_back();
  }
}

}  // namespace ballot::app
