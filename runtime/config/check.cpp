#include "config/check.hpp"

#include <fcntl.h>

#include <map>
#include <set>

#include "config/chain_links.hpp"
#include "config/claims.hpp"
#include "config/text_file.hpp"

namespace ballot::config {
namespace {

JobFile check_file(const std::string& name, const JobSettings& settings, Identities& identities) {
  std::string text;
  if (const auto read = read_text_file(name, text); !read) {
    JobFile file;
    Findings(name, file.diagnostics).error({}, read.error().what);
    return file;
  }
  return read_job_file(text, {name, std::nullopt}, settings, identities);
}

}  // namespace

Checked check_job_files(std::span<const std::string> files, const JobSettings& settings) {
  Checked checked;
  Identities identities;
  Claims<schedule::DefinitionPtr> jobs;
  Claims<Group> groups;
  std::map<std::string, std::pair<std::string, std::vector<Position>>> after;  // by job: its file, and its places
  for (const std::string_view name : std::set<std::string_view>(files.begin(), files.end())) {
    const JobFile file = check_file(std::string(name), settings, identities);
    checked.diagnostics.insert(checked.diagnostics.end(), file.diagnostics.begin(), file.diagnostics.end());
    checked.jobs += file.definitions.size();
    Findings findings(name, checked.diagnostics);
    for (const auto& [definition, position] : file.definitions) {
      const auto [first, last] = jobs.on(name_of(definition));
      if (first != last)
        findings.error(position, duplicate_job(name_of(definition), first->file, first->position));
      else
        jobs.add({name, position, definition});
    }
    for (const auto& [job, places] : file.after) after.try_emplace(job, name, places);
    for (const auto& [group, position, tables] : file.groups) {
      const auto [first, last] = groups.on(group.name);
      if (first == last)
        groups.add({name, position, group});
      else if (first->what != group)
        findings.error(position, duplicate_group(group.name, first->file, first->position));
    }
  }
  const FindJob find = [&](std::string_view name) {
    const auto [first, last] = jobs.on(name);
    return first == last ? nullptr : first->what;
  };
  for (const auto& [job, place] : after) {
    const schedule::DefinitionPtr definition = find(job);
    const Linked linked = definition ? link_job(definition, find) : Linked{};
    if (linked.fault.empty()) continue;
    Findings findings(place.first, checked.diagnostics);
    // Files that were not named may define it.
    if (linked.definition)
      findings.warning(place.second[linked.name], linked.fault);
    else
      findings.error(place.second[linked.name], linked.fault);
  }
  sort(checked.diagnostics);
  return checked;
}

}  // namespace ballot::config
