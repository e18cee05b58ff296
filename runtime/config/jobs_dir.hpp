// JobsDir: a folder of job files, and the jobs that it puts in force.
//
// The file is the unit. A file with an error gives none of its jobs; if it was good before, its last good version stays
// in force as a whole, with the finding, until the file is corrected or removed. A folder that cannot be read or
// trusted leaves everything as it was. A job that several files define belongs to the first file in byte order,
// whichever came first; each other one is a finding. A file that is gone takes its jobs along. Of a job with `run_on =
// "each"` what is in force is this node's instance, JOB@NODE in GROUP@NODE, where the node may lead GROUP. A program
// that embeds ballot defines jobs and groups of its own beside them: those count before any file's. Calendars are
// of all files: where one changes, the files whose jobs name it are read again.
//
// Knows nothing of file watches: who has one passes the names on. Keeps no file open. Threads: one.
//
//   JobsDir jobs("/etc/ballot/jobs.d", {.timezone = config.timezone}, {config.file, config.groups});
//   jobs.reload();                               // first load, SIGHUP
//   const Changes changes = jobs.reload(names);  // the watch saw something
//   for (const auto& definition : jobs.set().definitions) ...
#pragma once

#include <absl/container/inlined_vector.h>
#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rare_list.hpp"
#include "base/unique_fd.hpp"
#include "config/calendar_desk.hpp"
#include "config/chain_places.hpp"
#include "config/claims.hpp"
#include "config/folder_files.hpp"
#include "config/job_file.hpp"
#include "config/job_set.hpp"

namespace ballot::config {

/// The groups of `ballot.toml`, which come before those of any job file.
struct ConfigGroups {
  std::string file;
  std::vector<PlacedGroup> groups;
};

/// Where a definition is written.
struct JobPlace {
  std::string file;
  Position position;
};

class JobsDir {
 public:
  /// `path` "": there is no folder.
  JobsDir(std::string path, JobSettings settings, ConfigGroups groups = {});

  /// Checks every file, and reads again those that are not what they were (inode, size, times) or had errors.
  /// Everything is read before anything changes.
  Changes reload();

  /// The same for some names in the folder: those that a watch reports, and for each file that is a link, as any name
  /// may be on its way. Names that no job file has are passed over otherwise.
  Changes reload(std::span<const std::string> names);

  /// Puts the program's own text `name` in force, as that of a job file, in place of the one before of that name.
  /// Errors: invalid, with every finding in it; nothing has changed then. `place_of`: how the program knows a place in
  /// the text; none: by line and column.
  using PlaceOf = std::function<std::string(Position)>;
  Result<Changes> put(std::string_view name, std::string text, const PlaceOf& place_of = {});
  /// Takes it back. not_found: there is no such text.
  Result<Changes> drop(std::string_view name);

  /// Something could not be read for want of descriptors or because its disk failed, and no change of a file will show
  /// when it can: reload() again after a while.
  bool unread() const { return unread_; }

  const std::string& path() const { return path_; }

  /// Refers to this object; the next reload changes it.
  const JobSet& set() const { return set_; }

  /// Of all its files, and of the program's texts.
  const Calendars& calendars() const { return calendars_.in_force(); }

  /// Of the definition that counts, also by an instance's name; none: no file has the job, or a text of the program
  /// comes before it.
  std::optional<JobPlace> place_of(std::string_view job) const;
  /// The first error of the job's file as it is now, whose last good version is in force; "": that is the file's.
  std::string refusal_of(std::string_view job) const;

 private:
  using Stamp = FileStamp;

  /// A file in force: its last good version. One that never was good has none.
  struct File {
    Stamp stamp = 0;              // where it is a link: of the file that it leads to
    std::uint64_t text : 63 = 0;  // a hash
    bool linked : 1 = false;
    absl::InlinedVector<PlacedDefinition, 1> definitions;
    RareList<PlacedGroup> groups;
  };

  /// A file as it was just found.
  struct Found {
    enum class State { gone, unchanged, good, broken };
    std::string name;
    State state = State::gone;
    Stamp stamp = 0;
    std::uint64_t text : 63 = 0;  // a hash
    bool linked : 1 = false;
    std::uint32_t owner = 0;
    std::optional<std::string> unread = {};  // its text, which may have to do with calendars: see read_by_calendars()
    JobFile content{};
  };

  struct Pass;

  void read_if_changed(const std::string& name, Pass& pass);
  Found read(const std::string& name, const struct stat* seen, Pass& pass);
  void forget_identities();
  void forget_zones();
  void find_files(Pass& pass);
  void read_texts_again(Pass& pass);
  Found read_text_of_program(const std::string& name, Identities& identities);
  std::vector<std::string> forget_changed_calendars(Pass& pass);
  void read_by_calendars(Pass& pass);
  void note_calendars(Pass& pass);
  Result<UniqueFd> open();
  Changes commit(Pass& pass);
  void replace(Found& found, Pass& pass);
  void put_in_force(Found& found, Pass& pass);
  void withdraw(std::string_view name, const File& file, Pass& pass);
  void add_instances(Pass& pass) const;
  bool is_here(const schedule::Definition& definition) const;
  void settle_job(const std::string& name, Changes& changes);
  bool settle_group(const std::string& name);
  void gather_diagnostics(Changes& changes);
  std::string shown(std::string_view file) const;

  std::string path_;
  JobSettings settings_;
  SharedParts parts_;
  ConfigGroups config_groups_;
  std::map<std::string, File, std::less<>> files_;  // and the program's texts, whose names begin with a space
  std::map<std::string, std::string, std::less<>> texts_;
  Claims<schedule::DefinitionPtr> jobs_;
  Claims<Group> groups_;
  Diagnostics folder_findings_;
  std::map<std::string, Diagnostics, std::less<>> file_findings_;  // by file; those that have any
  ChainPlaces chains_;
  std::map<std::string, Diagnostics, std::less<>> job_duplicates_, group_duplicates_;  // by name
  CalendarDesk calendars_;
  JobSet set_;
  std::uint64_t zone_changes_ = 0;
  bool unread_ = false;
};

}  // namespace ballot::config
