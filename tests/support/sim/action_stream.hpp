// ActionStream: a hash of all actions that the cores of a world have returned, in order, with the time of each step. A
// change that moves code and changes no behaviour leaves the stream of every simulation as it was:
//
//   BALLOT_STREAMS=before simulation; ...; BALLOT_STREAMS=after simulation
//   diff <(sort before) <(sort after)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fnv.hpp"
#include "core/action.hpp"

namespace ballot {

class ActionStream {
 public:
  ~ActionStream() { ended().push_back(hash_.value()); }

  void add(const std::string& node, Now now, const core::Actions& actions);

  /// The hashes of the streams that have ended, in that order.
  static std::vector<std::uint64_t>& ended();

 private:
  Fnv hash_;
};

}  // namespace ballot
