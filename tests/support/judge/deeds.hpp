// Deeds: all that was done to a fleet, as spans of time in which something was not in order. A span that nothing ended
// goes on for ever.
#pragma once

#include <functional>

#include "ballot/run.hpp"
#include "support/judge/deed.hpp"

namespace ballot::testing {

class Deeds {
 public:
  struct Span {
    std::string node;  // "": of no node
    WallTime from{}, until = WallTime::max();
    bool meets(WallTime since, WallTime to) const { return from <= to && until >= since; }
  };

  explicit Deeds(const std::vector<Deed>& deeds);

  /// Daemons killed, frozen or asked to stop, what was wrong with nodes or the store, and terms ended by a command.
  const std::vector<Span>& faults() const { return faults_; }
  /// Whether a fault of the node, or of no node, meets the time. node "": any fault.
  bool fault(const std::string& node, WallTime since, WallTime to) const;
  /// Whether a fault began or ended then, of any node, or one of no node went on.
  bool changed(WallTime since, WallTime to) const;
  /// When the first fault of the node began after an instant; none: WallTime::max().
  WallTime first_fault(const std::string& node, WallTime after) const;
  bool was_asked_to_stop(const std::string& node, WallTime since) const;
  /// Whether the job's file was written anew, or removed, then.
  bool edited(const std::string& job, WallTime since, WallTime to) const;

  /// Whether some pause of the job or its group may have been in force between the two.
  bool may_be_paused(const std::string& job, const std::string& group, WallTime since, WallTime to) const;
  /// Whether one was in force then for certain: acknowledged before, and nobody had asked for the end of it.
  bool is_paused(const std::string& job, const std::string& group, WallTime at) const;
  bool was_halted(const std::string& job, const std::string& group, WallTime at) const;
  /// How often the group's store had gone back by then.
  std::ptrdiff_t halts(const std::string& group, WallTime at) const;
  /// Whether a command of this name was given, with the run, or a part of its id, or the job among its words.
  bool asked(const std::string& command, const RunId& run, const std::string& job) const;

 private:
  struct Hold {  // of a job or a group, from the command that may have begun it
    std::string name;
    bool of_group = false;
    WallTime asked{}, acknowledged{};
    WallTime resume_asked = WallTime::max(), resumed = WallTime::max();
    bool concerns(const std::string& job, const std::string& group) const {
      return of_group ? name == group : name == job;
    }
  };

  void add_fault(const Deed& deed);
  void end_faults(const std::string& node, WallTime at);
  void hold(std::vector<Hold>& holds, const Deed& deed, bool begins);

  const std::vector<Deed> deeds_;
  std::vector<Span> faults_;
  std::vector<Hold> pauses_, halts_;
};

}  // namespace ballot::testing
