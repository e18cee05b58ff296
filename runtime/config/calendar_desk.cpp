#include "config/calendar_desk.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/trusted_open.hpp"
#include "config/text_file.hpp"

namespace ballot::config {

ReadBeside BesideFiles::reader(const std::string& job_file) {
  return [this, job_file](const std::string& name) {
    asked_[job_file].insert(name);
    return read(name).text;
  };
}

const BesideFiles::Found& BesideFiles::read(const std::string& name) {
  const auto [at, is_new] = found_.try_emplace(name, Found{Error{Errc::not_found, "there is no folder of job files"}});
  if (!is_new || folder_ < 0) return at->second;
  Found& found = at->second;
  const auto file = open_trusted(folder_, name, daemon_);
  if (!file) {
    const bool is_missing = file.error().code == Errc::not_found;
    found.text = is_missing ? Error{Errc::not_found, "no such file in the folder of the job file"} : file.error();
    return found;
  }
  std::string text;
  const auto done = read_text(file->fd.get(), file->info, text);
  if (!done) return found.text = done.error(), found;
  found.text = std::move(text);
  found.stamp = just_changed(file->info) ? 0 : stamp_of(file->info);
  return found;
}

BesideFiles::Stamps BesideFiles::read_for(const std::string& job_file) const {
  Stamps stamps;
  const auto asked = asked_.find(job_file);
  if (asked == asked_.end()) return stamps;
  for (const std::string& name : asked->second) stamps.emplace(name, found_.at(name).stamp);
  return stamps;
}

void CalendarDesk::note(const std::string& job_file, Needs needs) {
  if (needs.empty())
    needs_.erase(job_file);
  else
    needs_.insert_or_assign(job_file, std::move(needs));
}

std::vector<std::string> CalendarDesk::users_of(const std::set<std::string>& calendars) const {
  std::vector<std::string> files;
  for (const auto& [file, needs] : needs_)
    if (std::any_of(needs.calendars.begin(), needs.calendars.end(),
                    [&](const std::string& name) { return calendars.contains(name); }))
      files.push_back(file);
  return files;
}

std::vector<std::string> CalendarDesk::with_changed_files(int folder) const {
  std::vector<std::string> changed;
  for (const auto& [file, needs] : needs_)
    if (std::any_of(needs.files.begin(), needs.files.end(), [&](const auto& one) {
          struct stat info {};
          const bool there = ::fstatat(folder, one.first.c_str(), &info, 0) == 0;
          return one.second == 0 || !there || stamp_of(info) != one.second;
        }))
      changed.push_back(file);
  return changed;
}

std::set<std::string_view> CalendarDesk::named() const {
  std::set<std::string_view> names;
  for (const auto& [file, needs] : needs_) names.insert(needs.calendars.begin(), needs.calendars.end());
  return names;
}

}  // namespace ballot::config
