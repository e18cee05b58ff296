// BenchDaemon: a real `ballot serve`, on the local backend or on what it is given, in a folder of its own, with its log
// in a file as a service manager would have it.
//
//   BenchDaemon daemon;
//   daemon.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
//   daemon.start();                                 // returns when it leads all groups
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "support/temp_folder.hpp"

namespace ballot::bench {

/// In memory for what has a hundred thousand files and measures no disk.
enum class Disk { real, in_memory };

class BenchDaemon {
 public:
  /// `more`: of ballot.toml, tables such as [coordination].
  explicit BenchDaemon(Disk disk = Disk::real, const std::string& more = "");
  /// Stops it, and its runner with it.
  ~BenchDaemon();
  BenchDaemon(const BenchDaemon&) = delete;
  BenchDaemon& operator=(const BenchDaemon&) = delete;

  std::string jobs_dir() const { return folder / "jobs.d"; }
  void job(const std::string& name, const std::string& keys) const;
  /// `nice`: of daemon and runner; the jobs have theirs.
  void start(int nice = 0);

  pid_t pid() const { return pid_; }
  pid_t runner() const { return runner_; }
  std::string ledger_path() const { return folder / "state/history.db"; }
  std::string log() const;
  /// Until it has used no time worth mentioning for two seconds.
  void wait_until_quiet() const;

  /// The rows of the slot in the ledger as it stands on the disk.
  std::vector<Row> rows_of(WallTime slot) const;
  /// How late the runs of these seconds started by their share of `jitter = "1s"`, in ms, of those that did.
  std::vector<double> lateness(WallTime from, int seconds) const;

  const TempFolder folder;

 private:
  pid_t find_runner() const;

  pid_t pid_ = -1, runner_ = -1;
};

}  // namespace ballot::bench
