#include "config/check.hpp"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <map>
#include <set>
#include <utility>

#include "base/instance.hpp"
#include "config/chain_places.hpp"
#include "config/claims.hpp"
#include "config/names.hpp"
#include "config/text_file.hpp"

namespace ballot::config {
namespace {

/// A file that is named by hand, and its text.
struct Named {
  std::string name, text;
  Result<void> read;
};

std::string folder_beside(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash + 1);
}

ReadBeside beside(const std::string& file) {
  return [folder = folder_beside(file)](const std::string& name) -> Result<std::string> {
    std::string text;
    if (const auto read = read_text_file(folder + "/" + name, text); !read) return read.error();
    return text;
  };
}

std::vector<Named> read_all(std::span<const std::string> files) {
  std::vector<Named> all;
  for (const std::string& name : std::set<std::string>(files.begin(), files.end())) {
    Named& one = all.emplace_back(Named{name, "", {}});
    if (const auto read = read_text_file(name, one.text); !read) one.read = read.error();
  }
  return all;
}

/// Adds the calendars of the other job files in a folder; nothing else of those files is reported.
void add_others(const std::string& folder, Calendars& calendars) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string file = at->path().string();
    std::string text;
    if (!is_job_file_name(at->path().filename().string()) || !read_text_file(file, text) || !may_have_calendars(text))
      continue;
    std::vector<PlacedCalendar> others = calendars_in(text, beside(file));
    std::erase_if(others, [&](const PlacedCalendar& one) { return calendars.find(one.name) != nullptr; });
    if (!others.empty()) calendars.put(file, others);
  }
}

/// The calendars that the files may name: their own first, then those of files beside them, as a daemon reads the
/// folder, then those of `jobs_dir`.
Calendars calendars_for(const std::vector<Named>& files, const std::string& jobs_dir, Diagnostics& diagnostics) {
  Calendars calendars;
  std::set<std::string> folders;
  for (const Named& one : files) {
    if (!one.read || !may_have_calendars(one.text)) continue;
    folders.insert(folder_beside(one.name));
    calendars.put(one.name, calendars_in(one.text, beside(one.name)));
  }
  diagnostics = calendars.duplicates([](std::string_view file) { return std::string(file); });
  for (const std::string& folder : folders) add_others(folder, calendars);
  if (!folders.empty() && !jobs_dir.empty()) add_others(jobs_dir, calendars);
  return calendars;
}

JobFile check_file(const Named& named, const Calendars& calendars, const JobSettings& settings,
                   Identities& identities) {
  if (!named.read) {
    JobFile file;
    Findings(named.name, file.diagnostics).error({}, named.read.error().what);
    return file;
  }
  const CalendarSource source{calendars, beside(named.name)};
  return read_job_file(named.text, {named.name, std::nullopt}, settings, identities, nullptr, &source);
}

void note_calendars(const JobFile& file, const Calendars& calendars, Checked& checked) {
  for (const std::string& name : file.calendar_names)
    if (const PlacedCalendar* const one = calendars.find(name))
      checked.calendars.push_back(
          {one->name, std::string(calendars.file_of(name)), one->position, one->days.last_date()});
}

/// Jobs that come after others: by name the file, and where in it the others are named.
using After = std::map<std::string, std::pair<std::string, std::vector<Position>>>;

/// What the files define, those with errors too, to check which jobs come after which.
struct Chains {
  Claims<schedule::DefinitionPtr> jobs;
  After after;
  std::set<std::string> unread;     // jobs with errors of their own: what they are is not known
  std::list<std::string> others{};  // names of files that were not named

  bool has(std::string_view job) const {
    const auto [first, last] = jobs.on(job);
    return first != last || unread.contains(std::string(job));
  }
  void add(std::string_view file, const PlacedDefinition& one) {
    if (!has(name_of(one.definition))) jobs.add({file, one.position, one.definition});
  }
  void add_refused(const std::string& file, const JobFile::Refused& refused) {
    unread.insert(refused.unread.begin(), refused.unread.end());
    for (const PlacedDefinition& one : refused.definitions) add(file, one);
    for (const auto& [job, places] : refused.after) after.try_emplace(job, file, places);
  }
  bool lacks_some() const {
    for (const auto& [job, place] : after) {
      const auto [first, last] = jobs.on(job);
      if (first == last) continue;
      for (const std::string& parent : first->what->job.details->after)
        if (!has(common_name(parent))) return true;
    }
    return false;
  }
};

/// Adds the jobs of the other job files in a folder; nothing else of those files is reported.
void add_others(const std::string& folder, const Calendars& calendars, const JobSettings& settings,
                Identities& identities, Chains& chains) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    Named one{at->path().string(), "", {}};
    if (!is_job_file_name(at->path().filename().string()) || !read_text_file(one.name, one.text)) continue;
    const JobFile file = check_file(one, calendars, settings, identities);
    chains.others.push_back(one.name);
    for (const PlacedDefinition& other : file.definitions) chains.add(chains.others.back(), other);
    for (const PlacedDefinition& other : file.refused.definitions) chains.add(chains.others.back(), other);
    for (const std::string& job : file.refused.unread)
      if (!chains.has(job)) chains.unread.insert(job);
  }
}

enum class Unknown { is_error, is_warning };

/// `unknown`: what a job is that no file defines.
void check_chains(const Chains& chains, Unknown unknown, Diagnostics& diagnostics) {
  ChainSurvey survey(find_in(chains.jobs));
  for (const auto& [job, place] : chains.after) {
    const schedule::DefinitionPtr definition = survey.job(job);
    const Linked linked = definition ? link_job(definition, survey) : Linked{};
    if (linked.fault.empty()) continue;
    if (chains.unread.contains(std::string(common_name(definition->job.details->after[linked.name])))) continue;
    Findings findings(place.first, diagnostics);
    const bool is_warning =
        unknown == Unknown::is_warning ? linked.definition != nullptr : linked.severity == Severity::warning;
    if (is_warning)
      findings.warning(place.second[linked.name], linked.fault);
    else
      findings.error(place.second[linked.name], linked.fault);
  }
}

}  // namespace

Checked check_job_files(std::span<const std::string> files, const JobSettings& settings, const std::string& jobs_dir) {
  Checked checked;
  Identities identities;
  Claims<schedule::DefinitionPtr> jobs;
  Claims<Group> groups;
  Chains chains;
  const std::vector<Named> all = read_all(files);
  const Calendars calendars = calendars_for(all, jobs_dir, checked.diagnostics);
  for (const Named& named : all) {
    const std::string_view name = named.name;
    const JobFile file = check_file(named, calendars, settings, identities);
    note_calendars(file, calendars, checked);
    checked.diagnostics.insert(checked.diagnostics.end(), file.diagnostics.begin(), file.diagnostics.end());
    checked.jobs += file.definitions.size();
    Findings findings(name, checked.diagnostics);
    for (const auto& [definition, position] : file.definitions) {
      const auto [first, last] = jobs.on(name_of(definition));
      if (first != last)
        findings.error(position, duplicate_job(name_of(definition), first->file, first->position));
      else
        jobs.add({name, position, definition}), chains.add(name, {definition, position});
    }
    for (const auto& [job, places] : file.after) chains.after.try_emplace(job, name, places);
    chains.add_refused(named.name, file.refused);
    for (const auto& [group, position, tables] : file.groups) {
      const auto [first, last] = groups.on(group.name);
      if (first == last)
        groups.add({name, position, group});
      else if (first->what != group)
        findings.error(position, duplicate_group(group.name, first->file, first->position));
    }
  }
  std::set<std::string> folders;
  for (const Named& named : all) folders.insert(folder_beside(named.name));
  if (!jobs_dir.empty()) folders.insert(jobs_dir);
  for (const std::string& folder : folders)
    if (chains.lacks_some()) add_others(folder, calendars, settings, identities, chains);
  check_chains(chains, Unknown::is_warning, checked.diagnostics);  // another file that comes later may define it
  const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
  const auto same = [](const auto& a, const auto& b) { return a.name == b.name; };
  std::sort(checked.calendars.begin(), checked.calendars.end(), by_name);
  checked.calendars.erase(std::unique(checked.calendars.begin(), checked.calendars.end(), same),
                          checked.calendars.end());
  sort_and_bound(checked.diagnostics);
  return checked;
}

Diagnostics check_refused_chains(std::span<const std::string> files, const JobSettings& settings,
                                 const std::string& jobs_dir) {
  Diagnostics diagnostics;
  Identities identities;
  Chains chains;
  const std::vector<Named> all = read_all(files);
  const Calendars calendars = calendars_for(all, jobs_dir, diagnostics);
  diagnostics.clear();
  for (const Named& named : all)
    chains.add_refused(named.name, check_file(named, calendars, settings, identities).refused);
  if (!chains.after.empty()) add_others(jobs_dir, calendars, settings, identities, chains);
  check_chains(chains, Unknown::is_error, diagnostics);
  sort_and_bound(diagnostics);
  return diagnostics;
}

}  // namespace ballot::config
