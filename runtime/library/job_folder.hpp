// JobFolder: a folder of job files, watched. What its files define, and a configuration's groups beside them, is given
// to a node, at first as a whole and then as it changes.
//
// Thread: the loop's. Requires: it ends before its node.
//
//   JobFolder folder(node, config::JobsDir("/etc/ballot/jobs.d", settings), log);
//   ... node.start() ...
//   folder.open();
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/jobs_dir.hpp"
#include "io/file_watch.hpp"
#include "io/wall_timer.hpp"
#include "library/node.hpp"

namespace ballot::library {

class JobFolder {
 public:
  JobFolder(Node& node, config::JobsDir jobs, Log log);

  /// Reads every file, defines the jobs and watches the folder. Requires: the node has started.
  void open();
  /// As before open(): nothing is watched, and what is put waits. For a start that comes to nothing.
  void close();
  /// Reads again what may have changed. `why`, for the log: who asked.
  void reload(const std::string& why);

  /// See config::JobsDir. Before open() too: then it counts from open() on.
  Result<void> put(std::string_view name, std::string text, const config::JobsDir::PlaceOf& place_of = {});
  Result<void> drop(std::string_view name);

  const config::JobSet& set() const { return jobs_.set(); }
  std::optional<config::JobPlace> place_of(std::string_view job) const { return jobs_.place_of(job); }

  /// The job's file is refused as it is now, and its last good version is in force.
  struct Refusal {
    std::string error;  // the first one
    WallTime since{};   // when it was read first
  };
  std::optional<Refusal> refusal_of(std::string_view job) const;

 private:
  Result<void> take_own(const Result<config::Changes>& changes);
  void watch();
  void take_up(const config::Changes& changes, const std::string& why);
  void take(const config::Changes& changes);
  void note_faults();
  void report(const config::Changes& changes) const;
  void log_reload(const config::Changes& changes, const std::string& why) const;

  Node& node_;
  config::JobsDir jobs_;
  const Log log_;
  io::BootTimer reread_;
  std::unique_ptr<io::FileWatch> watch_;
  bool is_open_ = false;
  std::map<std::string, WallTime> faulty_since_;  // by file
};

}  // namespace ballot::library
