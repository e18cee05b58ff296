// JobFolder: a folder of job files, watched. What its files define, and a configuration's groups beside them, is given
// to a runtime, at first as a whole and then as it changes.
//
// Thread: the loop's. Requires: it ends before its runtime.
//
//   JobFolder folder(runtime, config::JobsDir("/etc/ballot/jobs.d", settings), log);
//   ... runtime.start() ...
//   folder.open();
#pragma once

#include <memory>
#include <string>

#include "config/jobs_dir.hpp"
#include "io/file_watch.hpp"
#include "io/wall_timer.hpp"
#include "library/runtime.hpp"

namespace ballot::library {

class JobFolder {
 public:
  JobFolder(Runtime& runtime, config::JobsDir jobs, Log log);

  /// Reads every file, defines the jobs and watches the folder. Requires: the runtime has started.
  void open();
  /// Reads again what may have changed. `why`, for the log: who asked.
  void reload(const std::string& why);

  const config::JobSet& set() const { return jobs_.set(); }

 private:
  void take_up(const config::Changes& changes, const std::string& why);
  void take(const config::Changes& changes);
  void report(const config::Changes& changes) const;
  void log_reload(const config::Changes& changes, const std::string& why) const;

  Runtime& runtime_;
  config::JobsDir jobs_;
  const Log log_;
  io::BootTimer reread_;
  std::unique_ptr<io::FileWatch> watch_;
};

}  // namespace ballot::library
