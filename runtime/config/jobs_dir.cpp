#include "config/jobs_dir.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/candidates.hpp"
#include "base/trusted_open.hpp"
#include "config/folder_files.hpp"
#include "config/names.hpp"
#include "config/text_file.hpp"
#include "zones/zone_files.hpp"

namespace ballot::config {
namespace {

/// The program's texts come before any file, whose names begin otherwise.
constexpr std::string_view mark_of_text = " ";

void sort_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

bool same(const schedule::Definition& a, const schedule::Definition& b) {
  const Identity *const one = a.job.identity.get(), *const other = b.job.identity.get();
  return a.digest == b.digest && (one == other || (one && other && *one == *other)) && a.plan.has_same_zones(b.plan);
}

/// A program that has misspelt one key needs no list of all.
std::string text_for_program(std::string_view name, const std::string& place, Diagnostic finding) {
  if (const auto list = finding.message.find(" Known are "); list != std::string::npos)
    finding.message.resize(list), finding.message += " docs/jobs.md has all keys";
  finding.file = std::string(name) + ", " + place;
  finding.line = 0;
  return finding.text();
}

}  // namespace

/// One reload: its resources, the files that it has found, and the names of jobs and groups in them.
struct JobsDir::Pass {
  UniqueFd folder;
  Identities identities;
  std::string text;
  std::vector<Found> found;
  std::vector<std::string> jobs, groups;
  std::size_t rewritten = 0;  // files
  BesideFiles beside;
  Calendars calendars;  // as they will be
};

JobsDir::JobsDir(std::string path, JobSettings settings, ConfigGroups groups)
    : path_(std::move(path)), settings_(std::move(settings)), config_groups_(std::move(groups)) {
  for (const auto& [group, position, tables] : config_groups_.groups) {
    groups_.add({"", position, group});
    set_.groups.emplace(group.name, group);
  }
}

Changes JobsDir::reload() {
  Pass pass;
  unread_ = false;
  folder_findings_.clear();
  if (!path_.empty()) find_files(pass);
  read_texts_again(pass);
  return commit(pass);
}

void JobsDir::find_files(Pass& pass) {
  Findings findings(path_, folder_findings_);
  auto folder = open();
  if (!folder) return findings.error({}, folder.error().what);
  pass.folder = std::move(*folder);
  const auto names = list_job_files(pass.folder.get());
  if (!names) {
    unread_ = true;
    return findings.error({}, "the folder cannot be read: " + names.error().what);
  }
  pass.found.reserve(names->size());
  forget_identities();
  forget_zones();
  forget_changed_calendars(pass);
  for (const std::string& name : *names) read_if_changed(name, pass);
  for (const auto& [name, file] : files_)
    if (!texts_.contains(name) && !std::binary_search(names->begin(), names->end(), name))
      pass.found.push_back({name, Found::State::gone});
}

/// Reads the program's texts again: users, groups and zones may have changed.
void JobsDir::read_texts_again(Pass& pass) {
  for (const auto& [name, text] : texts_) pass.found.push_back(read_text_of_program(name, pass.identities));
}

JobsDir::Found JobsDir::read_text_of_program(const std::string& name, Identities& identities) {
  Found found{name, Found::State::good};
  const std::string& text = texts_.at(name);
  found.owner = settings_.daemon;
  if (may_have_calendars(text)) return found.unread = text, found;
  found.content = read_job_file(text, {shown(name), found.owner}, settings_, identities, &parts_);
  if (has_errors(found.content.diagnostics)) found.state = Found::State::broken;
  return found;
}

Result<Changes> JobsDir::put(std::string_view name, std::string text, const PlaceOf& place_of) {
  const std::string file = std::string(mark_of_text) + std::string(name);
  const auto at = texts_.try_emplace(file).first;
  std::swap(at->second, text);
  Pass pass;
  pass.found.push_back(read_text_of_program(file, pass.identities));
  read_by_calendars(pass);
  const JobFile& content = pass.found.front().content;
  const bool is_good = pass.found.front().state == Found::State::good;
  const bool is_one = content.definitions.size() + content.groups.size() <= 1;
  if (is_good && is_one) return commit(pass);
  std::string findings = is_good ? "the keys of " + std::string(name) +
                                       " define other jobs or groups too: their tables have no place there"
                                 : "";
  for (const Diagnostic& one : pass.found.front().content.diagnostics)
    findings += (findings.empty() ? "" : "; ") +
                (place_of ? text_for_program(name, place_of({one.line, one.column}), one) : one.text());
  if (files_.contains(file))
    std::swap(at->second, text);
  else
    texts_.erase(at);
  return Error{Errc::invalid, std::move(findings)};
}

Result<Changes> JobsDir::drop(std::string_view name) {
  const auto text = texts_.find(std::string(mark_of_text) + std::string(name));
  if (text == texts_.end()) return Error{Errc::not_found, "this program defines no " + std::string(name)};
  Pass pass;
  pass.found.push_back({text->first, Found::State::gone});
  texts_.erase(text);
  return commit(pass);
}

/// Has each file that names a user or a group read again, as users and groups may have changed.
void JobsDir::forget_identities() {
  for (auto& [name, file] : files_)
    if (std::any_of(file.definitions.begin(), file.definitions.end(),
                    [](const auto& one) { return one.definition->job.identity != nullptr; }))
      file.stamp = 0;
}

/// Has all files read again where the rules of a time zone have changed.
void JobsDir::forget_zones() {
  const std::uint64_t changes = zones::zone_changes();
  if (changes == zone_changes_) return;
  zone_changes_ = changes;
  for (auto& [name, file] : files_) file.stamp = 0;
}

Changes JobsDir::reload(std::span<const std::string> names) {
  Pass pass;
  folder_findings_.clear();
  if (path_.empty()) return commit(pass);
  if (auto folder = open(); folder)
    pass.folder = std::move(*folder);
  else
    return Findings(path_, folder_findings_).error({}, folder.error().what), commit(pass);
  std::set<std::string> looked(names.begin(), names.end());
  for (const std::string& name : forget_changed_calendars(pass)) looked.insert(name);
  for (const auto& [name, file] : files_)
    if (file.linked) looked.insert(name);  // any name may be one on its way: the ..data of a ConfigMap
  for (const std::string& name : looked)
    if (is_job_file_name(name)) read_if_changed(name, pass);
  return commit(pass);
}

void JobsDir::read_if_changed(const std::string& name, Pass& pass) {
  const auto known = files_.find(name);
  struct stat info {};
  const bool there = ::fstatat(pass.folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && known != files_.end() && stamp_of(info) == known->second.stamp) return;
  Found found = read(name, there ? &info : nullptr, pass);
  if (found.state == Found::State::unchanged) return;
  found.linked = there && S_ISLNK(info.st_mode);
  if (found.state != Found::State::gone || known != files_.end()) pass.found.push_back(std::move(found));
}

Result<UniqueFd> JobsDir::open() {
  auto folder = open_jobs_folder(path_, settings_.daemon);
  if (!folder && folder.error().code == Errc::io) unread_ = true;
  return folder;
}

JobsDir::Found JobsDir::read(const std::string& name, const struct stat* seen, Pass& pass) {
  Found found{name, Found::State::broken};
  FileOrigin origin{shown(name), 0};
  const auto file = open_trusted(pass.folder.get(), name, settings_.daemon, seen);
  if (!file && file.error().code == Errc::not_found) return found.state = Found::State::gone, found;
  found.stamp = file ? stamp_of(file->info) : 0;
  if (const auto known = files_.find(name); file && known != files_.end() && known->second.stamp == found.stamp)
    return found.state = Found::State::unchanged, found;
  Findings findings(origin.name, found.content.diagnostics);
  const auto done = file ? read_text(file->fd.get(), file->info, pass.text) : Result<void>(file.error());
  if (!done && done.error().code == Errc::io) unread_ = true;
  if (!done) return findings.error({}, done.error().what), found;
  found.text = std::hash<std::string>()(pass.text) & (~std::uint64_t{0} >> 1);
  origin.owner = found.owner = file->info.st_uid;
  if (just_changed(file->info)) found.stamp = 0;
  if (may_have_calendars(pass.text)) return found.state = Found::State::good, found.unread = pass.text, found;
  found.content = read_job_file(pass.text, origin, settings_, pass.identities, &parts_);
  if (!has_errors(found.content.diagnostics)) found.state = Found::State::good;
  return found;
}

Changes JobsDir::commit(Pass& pass) {
  read_by_calendars(pass);
  note_calendars(pass);
  for (Found& found : pass.found) replace(found, pass);
  Changes changes;
  changes.rewritten = pass.rewritten;
  sort_names(pass.groups);
  std::erase_if(pass.groups, [&](const std::string& name) { return !settle_group(name); });
  changes.groups = !pass.groups.empty();
  add_instances(pass);
  for (std::string& job : chains_.begin_pass(find_in(jobs_))) pass.jobs.push_back(std::move(job));
  sort_names(pass.jobs);
  for (const std::string& name : pass.jobs) settle_job(name, changes);
  chains_.end_pass();
  gather_diagnostics(changes);
  return changes;
}

/// Has each file read again whose iCalendar file is not what it was. Returns their names.
std::vector<std::string> JobsDir::forget_changed_calendars(Pass& pass) {
  const std::vector<std::string> files = calendars_.with_changed_files(pass.folder.get());
  for (const std::string& name : files)
    if (const auto file = files_.find(name); file != files_.end()) file->second.stamp = 0;
  return files;
}

/// Reads those of the found files that may have to do with calendars, now that all calendars are known, and those whose
/// calendars have changed. A file with an error keeps its calendars as they were, which may be another file's error; if
/// none of them is in force yet, those that are right count, so that its error is no error of other files' jobs.
void JobsDir::read_by_calendars(Pass& pass) {
  const bool concerns = std::any_of(pass.found.begin(), pass.found.end(), [&](const Found& one) {
    return one.unread || !calendars_.in_force().of_file(one.name).empty();
  });
  pass.calendars = calendars_.in_force();
  if (!concerns) return;
  pass.beside.open(pass.folder ? pass.folder.get() : -1, settings_.daemon);
  std::set<std::string> looked;
  for (std::size_t next = 0; next < pass.found.size();) {
    for (; next < pass.found.size(); ++next) {
      const Found& one = pass.found[next];
      looked.insert(one.name);
      const bool keeps = one.state == Found::State::broken;
      const auto now =
          one.unread ? calendars_in(*one.unread, pass.beside.reader(one.name)) : std::vector<PlacedCalendar>();
      if (!keeps) pass.calendars.put(one.name, now);
    }
    for (const std::string& user : calendars_.users_of(pass.calendars.differing(calendars_.in_force()))) {
      if (!looked.insert(user).second) continue;
      if (!pass.folder && !path_.empty())
        if (auto folder = open(); folder)
          pass.folder = std::move(*folder), pass.beside.open(pass.folder.get(), settings_.daemon);
      if (texts_.contains(user)) pass.found.push_back(read_text_of_program(user, pass.identities));
      const auto file = files_.find(user);
      if (texts_.contains(user) || file == files_.end() || !pass.folder) continue;
      file->second.stamp = 0;
      read_if_changed(user, pass);
    }
  }
  for (bool again = true; std::exchange(again, false);)
    for (Found& one : pass.found) {
      if (!one.unread || one.state != Found::State::good) continue;
      const CalendarSource source{pass.calendars, pass.beside.reader(one.name)};
      one.content =
          read_job_file(*one.unread, {shown(one.name), one.owner}, settings_, pass.identities, &parts_, &source);
      if (!has_errors(one.content.diagnostics)) continue;
      one.state = Found::State::broken;
      const Calendars before = pass.calendars;
      if (const auto kept = calendars_.in_force().of_file(one.name); !kept.empty()) pass.calendars.put(one.name, kept);
      again = again || !pass.calendars.differing(before).empty();
    }
}

/// Puts the calendars in force. What a file needs that cannot be read is as it was.
void JobsDir::note_calendars(Pass& pass) {
  for (const Found& one : pass.found)
    if (one.unread || one.state != Found::State::broken)
      calendars_.note(one.name, {one.content.calendar_names, pass.beside.read_for(one.name)});
  calendars_.put_in_force(pass.calendars);
  set_.calendars.clear();
  for (const std::string_view name : calendars_.named())
    if (const PlacedCalendar* const calendar = calendars_.in_force().find(name))
      set_.calendars.push_back(
          {calendar->name, shown(calendars_.in_force().file_of(name)), calendar->position, calendar->days.last_date()});
}

/// Adds the instances of jobs whose group has changed: the group says which nodes have one.
void JobsDir::add_instances(Pass& pass) const {
  if (pass.groups.empty()) return;
  for (const auto& [name, file] : files_)
    for (const auto& [definition, position] : file.definitions)
      if (is_instance(*definition->job.group) &&
          std::binary_search(pass.groups.begin(), pass.groups.end(), common_name(*definition->job.group)))
        pass.jobs.emplace_back(name_of(definition));
}

void JobsDir::replace(Found& found, Pass& pass) {
  if (found.state == Found::State::good) put_in_force(found, pass);
  if (found.state == Found::State::broken) {
    File& file = files_[found.name];
    file.stamp = 0;
    file.linked = found.linked;
  }
  if (found.state == Found::State::gone) {
    const auto file = files_.find(found.name);
    withdraw(file->first, file->second, pass);
    files_.erase(file);
  }
  if (found.content.diagnostics.empty())
    file_findings_.erase(found.name);
  else
    file_findings_[found.name] = std::move(found.content.diagnostics);
}

void JobsDir::put_in_force(Found& found, Pass& pass) {
  const auto file = files_.try_emplace(files_.end(), found.name);
  const std::string_view name = file->first;
  if (file->second.text != 0 && file->second.text != found.text) ++pass.rewritten;
  withdraw(name, file->second, pass);
  std::vector<PlacedDefinition>& definitions = found.content.definitions;
  file->second = {found.stamp,
                  found.text,
                  found.linked,
                  {std::make_move_iterator(definitions.begin()), std::make_move_iterator(definitions.end())},
                  std::move(found.content.groups)};
  for (const auto& [definition, position] : file->second.definitions) {
    pass.jobs.emplace_back(name_of(definition));
    jobs_.add({name, position, definition});
  }
  for (auto& [job, places] : found.content.after) chains_.put(name, job, std::move(places));
  for (const auto& [group, position, tables] : file->second.groups) {
    pass.groups.push_back(group.name);
    groups_.add({name, position, group});
  }
}

void JobsDir::withdraw(std::string_view name, const File& file, Pass& pass) {
  for (const auto& [definition, position] : file.definitions) {
    pass.jobs.emplace_back(name_of(definition));
    jobs_.remove(name_of(definition), name);
    if (!definition->job.details->after.empty()) chains_.remove(name, name_of(definition));
  }
  for (const auto& [group, position, tables] : file.groups) {
    pass.groups.push_back(group.name);
    groups_.remove(group.name, name);
  }
}

void JobsDir::settle_job(const std::string& name, Changes& changes) {
  const auto [first, last] = jobs_.on(name);
  job_duplicates_.erase(name);
  chains_.forget_findings(name);
  for (auto other = first; other != last; ++other)
    if (other != first)
      job_duplicates_[name].push_back({Severity::error, shown(other->file), other->position.line,
                                       other->position.column,
                                       duplicate_job(name, shown(first->file), first->position)});
  const auto show = [this](std::string_view file) { return shown(file); };
  const schedule::DefinitionPtr next =
      first != last && is_here(*first->what) ? chains_.link(name, *first, show) : nullptr;
  auto old = set_.definitions.find(name);
  if (old == set_.definitions.end()) old = set_.definitions.find(instance_name(name, settings_.node));
  const bool was_there = old != set_.definitions.end();
  if (was_there && next && (*old)->job.name == next->job.name) {
    if (same(**old, *next)) return;
    changes.changed.push_back(next);
    set_.definitions.insert(set_.definitions.erase(old), next);
    return;
  }
  if (was_there) {
    changes.removed.push_back(*old);
    set_.definitions.erase(old);
  }
  if (!next) return;
  changes.added.push_back(next);
  set_.definitions.insert(set_.definitions.end(), next);
}

/// Whether this node may lead the job's group, and so has an instance of the job.
bool JobsDir::is_here(const schedule::Definition& definition) const {
  const Job& job = definition.job;
  if (!is_instance(job.name)) return true;
  const auto group = set_.groups.find(common_name(*job.group));
  return group == set_.groups.end() || may_lead(group->second, settings_.node);
}

/// Puts the group in force that the first file defines. Returns whether it differs from the one before.
bool JobsDir::settle_group(const std::string& name) {
  const auto [first, last] = groups_.on(name);
  const auto old = set_.groups.find(name);
  group_duplicates_.erase(name);
  if (first == last) return set_.groups.erase(name) > 0;
  for (auto other = std::next(first); other != last; ++other)
    if (other->what != first->what)
      group_duplicates_[name].push_back({Severity::error, shown(other->file), other->position.line,
                                         other->position.column,
                                         duplicate_group(name, shown(first->file), first->position)});
  if (old != set_.groups.end() && old->second == first->what) return false;
  set_.groups.insert_or_assign(name, first->what);
  return true;
}

void JobsDir::gather_diagnostics(Changes& changes) {
  Diagnostics all = folder_findings_;
  const Diagnostics doubled = calendars_.in_force().duplicates([&](std::string_view file) { return shown(file); });
  all.insert(all.end(), doubled.begin(), doubled.end());
  const auto add = [&](const auto& part) {
    for (const auto& [name, findings] : part) all.insert(all.end(), findings.begin(), findings.end());
  };
  add(file_findings_), add(chains_.findings()), add(job_duplicates_), add(group_duplicates_);
  sort_and_bound(all);
  changes.diagnostics = all != set_.diagnostics;
  set_.diagnostics = std::move(all);
}

std::optional<JobPlace> JobsDir::place_of(std::string_view job) const {
  const auto [first, last] = jobs_.on(common_name(job));
  if (first == last || std::string_view(first->file).starts_with(mark_of_text)) return std::nullopt;
  return JobPlace{shown(first->file), first->position};
}

std::string JobsDir::refusal_of(std::string_view job) const {
  const auto [first, last] = jobs_.on(common_name(job));
  const auto findings = first == last ? file_findings_.end() : file_findings_.find(first->file);
  if (findings == file_findings_.end()) return {};
  for (const Diagnostic& one : findings->second)
    if (one.severity == Severity::error) return one.text();
  return {};
}

std::string JobsDir::shown(std::string_view file) const {
  if (file.empty()) return config_groups_.file;
  if (file.starts_with(mark_of_text)) return std::string(file.substr(mark_of_text.size()));
  std::string text = path_;
  if (!text.ends_with('/')) text += '/';
  return text.append(file);
}

}  // namespace ballot::config
