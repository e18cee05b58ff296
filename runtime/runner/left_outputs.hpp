// LeftOutputs: the ends of pipes into which processes still write that a run has left behind (`background = "leave"`).
// They are read and what comes is dropped, so that nobody who writes waits, or is killed by PIPE.
//
// Nothing here blocks. Requires: each descriptor is known to the poller, as add_once() adds it.
#pragma once

#include <string>
#include <unordered_map>

#include "base/unique_fd.hpp"
#include "runner/poller.hpp"

namespace ballot::runner {

class LeftOutputs {
 public:
  explicit LeftOutputs(Poller& poller) : poller_(poller) {}

  /// An empty descriptor is none. Past a thousand the one that was added first is closed.
  void add(UniqueFd output);
  /// Reads some of what has come, where the descriptor is one of these.
  void receive(int fd, std::string& buffer);
  bool empty() const { return outputs_.empty(); }

 private:
  struct Output {
    UniqueFd fd;
    std::uint64_t number = 0;
  };

  Poller& poller_;
  std::uint64_t added_ = 0;
  std::unordered_map<int, Output> outputs_;
};

}  // namespace ballot::runner
