// PendingObservations: who waits for the store to report its elections, each for as long as its own patience
// lasts, however many others ask meanwhile.
//
// Thread: the loop's.
//
//   const RequestId request = pending.add(Millis(2000), [](const std::vector<Election>& elections) { ... });
//   backend.observe(request, "");
//   pending.answer(request, elections);        // when the store answers
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "ballot/backend.hpp"
#include "io/wall_timer.hpp"

namespace ballot::io {

class PendingObservations {
 public:
  using OnElections = std::function<void(const std::vector<Election>&)>;

  explicit PendingObservations(boost::asio::io_context& loop) : timer_(loop, [this] { expire(); }) {}

  /// `answered` is called once, with none after `patience`; not where this object goes before. It may add another.
  RequestId add(Millis patience, OnElections answered);

  /// Nothing where the request was given up already, or is somebody else's.
  void answer(RequestId request, const std::vector<Election>& elections);

 private:
  struct Asked {
    SteadyTime until;
    OnElections answered;
  };

  void expire();
  void arm();

  RequestId last_ = RequestId{1} << 63;  // the core counts from 1
  std::map<RequestId, Asked> asked_;
  BootTimer timer_;
};

}  // namespace ballot::io
