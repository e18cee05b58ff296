#include "config/chain_places.hpp"

#include "config/names.hpp"

namespace ballot::config {

std::string with_hint(const Linked& linked, const JobClaims& jobs, const BrokenJobs& broken) {
  if (linked.unknown.empty()) return linked.fault;
  if (const auto file = broken.find(linked.unknown); file != broken.end())
    return linked.fault + "; it is in " + file->second + ", which has errors";
  std::vector<std::string_view> names;
  for (const auto& claim : jobs) names.push_back(name_of(claim.what));
  return linked.fault + did_you_mean(linked.unknown, names);
}

void ChainPlaces::put_broken(const std::string& shown, const std::vector<std::string>& jobs) {
  std::erase_if(broken_, [&](const auto& one) { return one.second == shown; });
  for (const std::string& job : jobs) broken_.try_emplace(job, shown);
}

void ChainPlaces::put(std::string_view file, const std::string& job, std::vector<Position> places) {
  places_[{std::string(file), job}] = std::move(places);
}

void ChainPlaces::remove(std::string_view file, std::string_view job) {
  places_.erase({std::string(file), std::string(job)});
}

std::vector<std::string> ChainPlaces::jobs() const {
  std::vector<std::string> jobs;
  for (const auto& [place, positions] : places_) jobs.push_back(place.second);
  return jobs;
}

schedule::DefinitionPtr ChainPlaces::link(const std::string& job, const Claim<schedule::DefinitionPtr>& claim,
                                          const JobClaims& jobs, const std::string& file) {
  if (claim.what->job.details->after.empty()) return claim.what;
  Linked linked = link_job(claim.what, find_in(jobs));
  if (linked.fault.empty()) return linked.definition;
  const auto places = places_.find({std::string(claim.file), job});
  const Position at = places == places_.end() ? claim.position : places->second[linked.name];
  findings_[job] = {{linked.is_warning ? Severity::warning : Severity::error, file, at.line, at.column,
                     with_hint(linked, jobs, broken_)}};
  return linked.definition;
}

}  // namespace ballot::config
