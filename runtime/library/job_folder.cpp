#include "library/job_folder.hpp"

#include <utility>

#include "io/clocks.hpp"

namespace ballot::library {
namespace {

constexpr Millis reread_after{2000};  // what could not be read for want of descriptors

}  // namespace

JobFolder::JobFolder(Node& node, config::JobsDir jobs, Log log)
    : node_(node),
      jobs_(std::move(jobs)),
      log_(std::move(log)),
      reread_(node.loop().context(), [this] { take_up(jobs_.reload(), "what could not be read"); }) {}

void JobFolder::open() {
  if (!jobs_.path().empty()) watch();
  is_open_ = true;
  jobs_.reload();
  take({.added = {set().definitions.begin(), set().definitions.end()},
        .changed = {},
        .removed = {},
        .groups = true,
        .diagnostics = true});
}

void JobFolder::close() {
  is_open_ = false;
  watch_.reset();
  reread_.disarm();
}

void JobFolder::watch() {
  auto watch = io::FileWatch::open(node_.loop().context(), jobs_.path(), [this](const std::vector<std::string>& names) {
    take_up(names.empty() ? jobs_.reload() : jobs_.reload(names), "files changed");
  });
  if (watch)
    watch_ = std::move(*watch);
  else
    log_(Level::warn, watch.error().what + "; job files are read again only when a reload is asked for", {});
  if (watch_ && !watch_->problem().empty()) log_(Level::warn, watch_->problem(), {});
}

Result<void> JobFolder::put(std::string_view name, std::string text, const config::JobsDir::PlaceOf& place_of) {
  return take_own(jobs_.put(name, std::move(text), place_of));
}

Result<void> JobFolder::drop(std::string_view name) { return take_own(jobs_.drop(name)); }

Result<void> JobFolder::take_own(const Result<config::Changes>& changes) {
  if (!changes) return changes.error();
  if (is_open_) take(*changes);
  return {};
}

void JobFolder::reload(const std::string& why) {
  const config::Changes changes = jobs_.reload();
  log_reload(changes, why);
  take(changes);
}

void JobFolder::take_up(const config::Changes& changes, const std::string& why) {
  if (!changes.empty() || changes.rewritten > 0) log_reload(changes, why);
  take(changes);
}

/// A line for each reload, also where only comments of a file have changed: so it is seen that the file was read.
void JobFolder::log_reload(const config::Changes& changes, const std::string& why) const {
  std::size_t errors = 0;
  for (const config::Diagnostic& finding : set().diagnostics) errors += finding.severity == config::Severity::error;
  log_(Level::info, "job files read again",
       {{"why", why},
        {"jobs", std::to_string(set().definitions.size())},
        {"added", std::to_string(changes.added.size())},
        {"changed", std::to_string(changes.changed.size())},
        {"removed", std::to_string(changes.removed.size())},
        {"errors", std::to_string(errors)},
        {"warnings", std::to_string(set().diagnostics.size() - errors)}});
}

void JobFolder::take(const config::Changes& changes) {
  if (jobs_.unread()) reread_.arm(io::read_clocks().steady + reread_after);
  if (changes.empty()) return;
  note_faults();
  report(changes);
  std::vector<schedule::DefinitionPtr> jobs = changes.added;
  jobs.insert(jobs.end(), changes.changed.begin(), changes.changed.end());
  std::vector<std::string> removed;
  for (const auto& definition : changes.removed) removed.push_back(definition->job.name);
  node_.define(std::move(jobs), std::move(removed), config::groups_in_force(set()));
  node_.report("config", config::summary_of_errors(set().diagnostics));
}

void JobFolder::note_faults() {
  std::map<std::string, WallTime> now;
  for (const config::Diagnostic& one : set().diagnostics) {
    if (one.severity != config::Severity::error) continue;
    const auto known = faulty_since_.find(one.file);
    now.emplace(one.file, known == faulty_since_.end() ? io::read_clocks().wall : known->second);
  }
  faulty_since_ = std::move(now);
}

std::optional<JobFolder::Refusal> JobFolder::refusal_of(std::string_view job) const {
  std::string error = jobs_.refusal_of(job);
  const auto place = error.empty() ? std::nullopt : jobs_.place_of(job);
  const auto since = place ? faulty_since_.find(place->file) : faulty_since_.end();
  if (since == faulty_since_.end()) return std::nullopt;
  return Refusal{std::move(error), since->second};
}

void JobFolder::report(const config::Changes& changes) const {
  if (changes.diagnostics)
    for (const config::Diagnostic& finding : set().diagnostics)
      log_(finding.severity == config::Severity::error ? Level::error : Level::warn, finding.text(), {});
  const std::pair<const char*, const std::vector<schedule::DefinitionPtr>&> lists[] = {
      {"job loaded", changes.added}, {"job changed", changes.changed}, {"job removed", changes.removed}};
  for (const auto& [text, jobs] : lists)
    for (const auto& definition : jobs)
      log_(Level::debug, text, {{"job", definition->job.name}, {"group", definition->job.group}});
}

}  // namespace ballot::library
