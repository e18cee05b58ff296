// CalendarDesk: the calendars that are in force, which job files name them, and which iCalendar files they are read
// from: so that a job is read again where its calendar has changed, in whatever file. Used by JobsDir only.
//
//   BesideFiles beside(folder, daemon);
//   calendars = calendars_in(text, beside.reader("a.toml"));
//   desk.note("a.toml", {file.calendar_names, beside.read_for("a.toml")});
//   for (const std::string& file : desk.users_of(calendars.differing(desk.in_force()))) read_again(file);
//
// Threads: one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/calendars.hpp"
#include "config/folder_files.hpp"

namespace ballot::config {

/// iCalendar files of a jobs folder, as one pass over it reads them: each once, and by the rules of job files.
class BesideFiles {
 public:
  using Stamps = std::map<std::string, FileStamp>;  // by name; 0: to be read again

  /// `folder`: its descriptor, open for as long as it is read; -1: there is none.
  void open(int folder, std::uint32_t daemon) { folder_ = folder, daemon_ = daemon; }
  /// Refers to this object.
  ReadBeside reader(const std::string& job_file);
  /// What was read for a job file.
  Stamps read_for(const std::string& job_file) const;

 private:
  struct Found {
    Result<std::string> text;
    FileStamp stamp = 0;
  };
  const Found& read(const std::string& name);

  int folder_ = -1;
  std::uint32_t daemon_ = 0;
  std::map<std::string, Found> found_;
  std::map<std::string, std::set<std::string>> asked_;  // by job file
};

class CalendarDesk {
 public:
  /// What a job file needs beside itself.
  struct Needs {
    std::set<std::string> calendars;
    BesideFiles::Stamps files;
    bool empty() const { return calendars.empty() && files.empty(); }
  };

  /// What it needs as it is now, be it good or not; nothing: it is gone, or needs nothing.
  void note(const std::string& job_file, Needs needs);
  void put_in_force(Calendars calendars) { in_force_ = std::move(calendars); }

  const Calendars& in_force() const { return in_force_; }
  /// Job files that name one of these.
  std::vector<std::string> users_of(const std::set<std::string>& calendars) const;
  /// Job files with an iCalendar file that is not what it was.
  std::vector<std::string> with_changed_files(int folder) const;
  /// Calendars that jobs name.
  std::set<std::string_view> named() const;

 private:
  Calendars in_force_;
  std::map<std::string, Needs> needs_;  // by job file
};

}  // namespace ballot::config
