// StandingPauses: the pauses of all instances of a job that the store has, as far as this node has been told. An answer
// that one is gone counts only where it was asked for after the pause was known: answers may overtake each other, and
// nothing of a paused job is to start in between.
//
//   if (!pauses.learn("trim", {}, answered, last_request)) list_again();
//   job.follow(pauses.find("trim"));
//
// Pure; used by Core only.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/backend.hpp"
#include "core/record/standing_pause.hpp"

namespace ballot::core {

class StandingPauses {
 public:
  using Ptr = std::shared_ptr<const PauseOfAll>;

  /// Takes a job's pause from the answer to request `asked`; `last`: the last request sent so far. False: the answer
  /// may be older than what is known, and is passed over.
  bool learn(const std::string& job, const PauseOfAll& now, RequestId asked, RequestId last);
  /// Null: there is nothing of it.
  Ptr find(std::string_view job) const;
  /// All of whose instances are paused.
  std::vector<std::string> jobs() const;

 private:
  struct Known {
    Ptr pause;
    RequestId last = 0;  // sent before it was known
  };

  std::map<std::string, Known, std::less<>> known_;
};

}  // namespace ballot::core
