// StateFiles: a group's `state_file` exists while this node leads the group, and says until when: see leader_file.hpp.
// Written and removed by a thread of its own, so that a file system that hangs blocks no loop; of what comes while it
// writes only the latest counts.
//
// Thread: the loop's. The destruction waits until all that was asked for is done.
//
//   StateFiles files("host-1", log);
//   files.define(groups);                               // what an earlier daemon left goes
//   files.set("db", 7, session.deadline());
//   files.keep(session.deadline());                     // after each renewal
//   files.remove("db");
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ballot/job.hpp"
#include "ballot/log.hpp"
#include "io/leader_file.hpp"

namespace ballot::io {

class StateFiles {
 public:
  StateFiles(std::string node, Log log);
  ~StateFiles();
  StateFiles(const StateFiles&) = delete;
  StateFiles& operator=(const StateFiles&) = delete;

  void define(const std::vector<Group>& groups);
  void set(const std::string& group, std::uint64_t epoch, SteadyTime deadline);
  /// Renews the deadline of all of them.
  void keep(SteadyTime deadline);
  void remove(const std::string& group);
  void remove_all();

 private:
  struct Wanted {  // of a path
    std::string group;
    std::optional<LeaderFile> file;  // none: it goes
  };

  void ask(const std::string& path, Wanted wanted);
  void write(const std::string& group, std::uint64_t epoch);
  void work();
  void perform(const std::string& path, const Wanted& wanted) const;

  const std::string node_, boot_id_;
  const Log log_;
  std::map<std::string, std::string> paths_;     // by group
  std::map<std::string, std::uint64_t> epochs_;  // of the groups that this node leads, where they have a file
  SteadyTime deadline_{};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Wanted> wanted_;  // by path
  bool ending_ = false;
  std::thread thread_;  // where there is anything to do
};

}  // namespace ballot::io
