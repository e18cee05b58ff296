#include "config/chain_places.hpp"

namespace ballot::config {

void ChainPlaces::put(std::string_view file, const std::string& job, std::vector<Position> places) {
  places_[{std::string(file), job}] = std::move(places);
}

void ChainPlaces::remove(std::string_view file, std::string_view job) {
  places_.erase({std::string(file), std::string(job)});
}

std::vector<std::string> ChainPlaces::begin_pass(FindJob find) {
  survey_ = ChainSurvey(std::move(find));
  std::vector<std::string> jobs;
  for (const auto& [place, positions] : places_) jobs.push_back(place.second);
  return jobs;
}

schedule::DefinitionPtr ChainPlaces::link(const std::string& job, const Claim<schedule::DefinitionPtr>& claim,
                                          const std::function<std::string(std::string_view file)>& shown) {
  if (claim.what->job.details->after.empty()) return claim.what;
  Linked linked = link_job(claim.what, survey_);
  if (linked.fault.empty()) return linked.definition;
  const auto places = places_.find({std::string(claim.file), job});
  const Position at = places == places_.end() ? claim.position : places->second[linked.name];
  findings_[job] = {{linked.severity, shown(claim.file), at.line, at.column, linked.fault}};
  return linked.definition;
}

}  // namespace ballot::config
