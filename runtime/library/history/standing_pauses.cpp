#include "library/history/standing_pauses.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ballot::library {
namespace {

constexpr Millis carried_out_within = std::chrono::minutes(1);  // from when a request was taken up

bool has(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

bool has_words(const std::string& text, const std::string& words) {
  return words.empty() || (" " + text + " ").find(" " + words + " ") != std::string::npos;
}

bool is_asked_for(const RequestRow& pause, const storage::RequestFilter& filter) {
  const bool is_new = !filter.after || std::pair(pause.at, pause.id) < std::pair(filter.after->at, filter.after->id);
  return is_new && !filter.run && has(filter.kinds, pause.kind) && has(filter.jobs, pause.job) &&
         has(filter.groups, pause.group) && has_words(pause.by, filter.by) &&
         (!filter.since || pause.at >= *filter.since) && (!filter.until || pause.at < *filter.until);
}

bool is_of(const RequestRow& request, const RequestRow& pause) {
  return request.kind == pause.kind && request.job == pause.job && request.group == pause.group &&
         request.by == pause.by && request.at <= pause.at + carried_out_within &&
         pause.at <= request.at + carried_out_within;
}

auto place_of(const RequestRow& pause) { return std::tie(pause.at, pause.job, pause.group, pause.by); }

}  // namespace

RequestRow standing_pause(std::string job, std::string group, std::optional<WallTime> since, std::string by) {
  RequestRow request;
  request.kind = "pause";
  request.job = std::move(job);
  request.group = std::move(group);
  request.at = since.value_or(WallTime{});
  request.by = std::move(by);
  request.result = "done";
  return request;
}

std::vector<RequestRow> missing_among(std::vector<RequestRow> pauses, const storage::RequestFilter& filter,
                                      const std::vector<RequestRow>& requests) {
  std::erase_if(pauses, [&](const RequestRow& pause) {
    const auto is_there = [&](const RequestRow& one) { return is_of(one, pause); };
    return !is_asked_for(pause, filter) || std::any_of(requests.begin(), requests.end(), is_there);
  });
  std::sort(pauses.begin(), pauses.end(), [](const auto& a, const auto& b) { return place_of(b) < place_of(a); });
  const auto is_same = [](const auto& a, const auto& b) { return place_of(a) == place_of(b); };
  pauses.erase(std::unique(pauses.begin(), pauses.end(), is_same), pauses.end());
  return pauses;
}

storage::RequestFilter requests_of(const std::vector<RequestRow>& pauses) {
  const auto [first, last] =
      std::minmax_element(pauses.begin(), pauses.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  storage::RequestFilter filter{.kinds = {"pause"}, .limit = 1000};
  if (first != pauses.end()) filter.since = first->at - carried_out_within;
  if (last != pauses.end()) filter.until = last->at + carried_out_within + Millis(1);
  return filter;
}

}  // namespace ballot::library
