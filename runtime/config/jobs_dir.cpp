#include "config/jobs_dir.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <iterator>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "base/candidates.hpp"
#include "base/fnv.hpp"
#include "base/trust.hpp"
#include "base/trusted_open.hpp"
#include "config/chain_links.hpp"
#include "config/names.hpp"
#include "config/text_file.hpp"
#include "zones/zone_files.hpp"

namespace ballot::config {
namespace {

/// A file that changed this shortly before it was read may change again without its times showing it.
constexpr std::int64_t clock_tick_ns = 20'000'000;

std::int64_t nanoseconds_of(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

std::uint64_t stamp_of(const struct stat& info) {
  Fnv hash;
  const std::int64_t modified = nanoseconds_of(info.st_mtim), changed = nanoseconds_of(info.st_ctim);
  for (const std::uint64_t part :
       {std::uint64_t{info.st_dev}, std::uint64_t{info.st_ino}, static_cast<std::uint64_t>(info.st_size),
        static_cast<std::uint64_t>(modified), static_cast<std::uint64_t>(changed)})
    for (int shift = 0; shift < 64; shift += 8) hash.add(static_cast<unsigned char>(part >> shift));
  return std::max<std::uint64_t>(1, hash.value());
}

bool just_changed(std::int64_t changed_ns) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return changed_ns > nanoseconds_of(now) - clock_tick_ns;
}

/// The program's texts come before any file, whose names begin otherwise.
constexpr std::string_view mark_of_text = " ";

/// The names in a folder that a job file can have, in byte order.
Result<std::vector<std::string>> list(int folder) {
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(own < 0 ? nullptr : ::fdopendir(own), ::closedir);
  if (!stream) return Error{Errc::io, std::system_category().message(errno)};
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* const entry = ::readdir(stream.get()))
    if (is_job_file_name(entry->d_name)) names.emplace_back(entry->d_name);
  if (errno != 0) return Error{Errc::io, std::system_category().message(errno)};
  std::sort(names.begin(), names.end());
  return names;
}

/// The open folder; or the reason why its files are not read.
Result<UniqueFd> open_folder(const std::string& path, std::uint32_t daemon) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder && errno == ENOENT) return Error{Errc::not_found, "no such folder; create it, or set jobs_dir"};
  if (!folder) return Error{Errc::io, "the folder cannot be read: " + std::system_category().message(errno)};
  if (const auto fault = distrust_folder(path, daemon)) return Error{Errc::refused, *fault};
  return folder;
}

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

std::vector<Group> groups_in_force(const JobSet& set) {
  std::vector<Group> groups;
  std::set<std::string_view> seen;
  for (const auto& [name, group] : set.groups) groups.push_back(group);
  for (const schedule::DefinitionPtr& definition : set.definitions) {
    const std::string& name = definition->job.group;
    const auto common = is_instance(name) ? set.groups.find(common_name(name)) : set.groups.end();
    if (common == set.groups.end() || common->second.max_running == 0 || !seen.insert(name).second) continue;
    Group& group = groups.emplace_back();
    group.name = name;
    group.max_running = common->second.max_running;
  }
  return groups;
}

/// One reload: its resources, the files that it has found, and the names of jobs and groups in them.
struct JobsDir::Pass {
  UniqueFd folder;
  Identities identities;
  std::string text;
  std::vector<Found> found;
  std::vector<std::string> jobs, groups;
  std::size_t rewritten = 0;  // files
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
  const auto names = list(pass.folder.get());
  if (!names) {
    unread_ = true;
    return findings.error({}, "the folder cannot be read: " + names.error().what);
  }
  pass.found.reserve(names->size());
  forget_identities();
  forget_zones();
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
  found.content = read_job_file(texts_.at(name), {shown(name), settings_.daemon}, settings_, identities, &parts_);
  if (has_errors(found.content.diagnostics)) found.state = Found::State::broken;
  return found;
}

Result<Changes> JobsDir::put(std::string_view name, std::string text, const PlaceOf& place_of) {
  const std::string file = std::string(mark_of_text) + std::string(name);
  const auto at = texts_.try_emplace(file).first;
  std::swap(at->second, text);
  Pass pass;
  pass.found.push_back(read_text_of_program(file, pass.identities));
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
  Found found = read(name, pass);
  if (found.state == Found::State::unchanged) return;
  found.linked = there && S_ISLNK(info.st_mode);
  if (found.state != Found::State::gone || known != files_.end()) pass.found.push_back(std::move(found));
}

Result<UniqueFd> JobsDir::open() {
  auto folder = open_folder(path_, settings_.daemon);
  if (!folder && folder.error().code == Errc::io) unread_ = true;
  return folder;
}

JobsDir::Found JobsDir::read(const std::string& name, Pass& pass) {
  Found found{name, Found::State::broken};
  const FileOrigin origin{shown(name), 0};
  const auto file = open_trusted(pass.folder.get(), name, settings_.daemon);
  if (!file && file.error().code == Errc::not_found) return found.state = Found::State::gone, found;
  found.stamp = file ? stamp_of(file->info) : 0;
  if (const auto known = files_.find(name); file && known != files_.end() && known->second.stamp == found.stamp)
    return found.state = Found::State::unchanged, found;
  Findings findings(origin.name, found.content.diagnostics);
  const auto done = file ? read_text(file->fd.get(), file->info, pass.text) : Result<void>(file.error());
  if (!done && done.error().code == Errc::io) unread_ = true;
  if (!done) return findings.error({}, done.error().what), found;
  found.text = Fnv().add(pass.text).value() & (~std::uint64_t{0} >> 1);
  found.content = read_job_file(pass.text, {origin.name, file->info.st_uid}, settings_, pass.identities, &parts_);
  if (has_errors(found.content.diagnostics)) return found;
  found.state = Found::State::good;
  if (just_changed(nanoseconds_of(file->info.st_ctim))) found.stamp = 0;
  return found;
}

Changes JobsDir::commit(Pass& pass) {
  for (Found& found : pass.found) replace(found, pass);
  Changes changes;
  changes.rewritten = pass.rewritten;
  sort_names(pass.groups);
  std::erase_if(pass.groups, [&](const std::string& name) { return !settle_group(name); });
  changes.groups = !pass.groups.empty();
  add_instances(pass);
  for (const auto& [place, positions] : after_) pass.jobs.push_back(place.second);  // those they name may have changed
  sort_names(pass.jobs);
  for (const std::string& name : pass.jobs) settle_job(name, changes);
  gather_diagnostics(changes);
  return changes;
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
  for (auto& [job, places] : found.content.after) after_[{file->first, job}] = std::move(places);
  for (const auto& [group, position, tables] : file->second.groups) {
    pass.groups.push_back(group.name);
    groups_.add({name, position, group});
  }
}

void JobsDir::withdraw(std::string_view name, const File& file, Pass& pass) {
  for (const auto& [definition, position] : file.definitions) {
    pass.jobs.emplace_back(name_of(definition));
    jobs_.remove(name_of(definition), name);
    if (!definition->job.details->after.empty()) after_.erase({std::string(name), std::string(name_of(definition))});
  }
  for (const auto& [group, position, tables] : file.groups) {
    pass.groups.push_back(group.name);
    groups_.remove(group.name, name);
  }
}

void JobsDir::settle_job(const std::string& name, Changes& changes) {
  const auto [first, last] = jobs_.on(name);
  job_duplicates_.erase(name);
  chain_faults_.erase(name);
  for (auto other = first; other != last; ++other)
    if (other != first)
      job_duplicates_[name].push_back({Severity::error, shown(other->file), other->position.line,
                                       other->position.column,
                                       duplicate_job(name, shown(first->file), first->position)});
  const schedule::DefinitionPtr next = first != last && is_here(*first->what) ? linked(name) : nullptr;
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

/// The definition that counts, put together with the jobs that it comes after; null, and a finding, where that cannot
/// be.
schedule::DefinitionPtr JobsDir::linked(const std::string& name) {
  const auto [first, last] = jobs_.on(name);
  if (first->what->job.details->after.empty()) return first->what;
  Linked linked = link_job(first->what, [this](std::string_view other) {
    const auto [one, end] = jobs_.on(other);
    return one == end ? nullptr : one->what;
  });
  if (linked.fault.empty()) return linked.definition;
  const auto places = after_.find({std::string(first->file), name});
  const Position at = places == after_.end() ? first->position : places->second[linked.name];
  chain_faults_[name].push_back({Severity::error, shown(first->file), at.line, at.column, linked.fault});
  return linked.definition;
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
  for (const auto* const part : {&file_findings_, &chain_faults_, &job_duplicates_, &group_duplicates_})
    for (const auto& [name, findings] : *part) all.insert(all.end(), findings.begin(), findings.end());
  sort(all);
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
