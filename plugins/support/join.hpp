// Join: one callback when several answers have come, in any order. Copies are of the same. Knows nothing of what is
// answered. One thread.
//
//   const auto found = std::make_shared<Found>();
//   Join join([found] { ... });                           // not before the last of its parts has ended
//   ask(..., [found, end = join.part()](const Reply& reply) { found->one = reply;  end(); });
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace ballot::support {

class Join {
 public:
  explicit Join(std::function<void()> done) : state_(std::make_shared<State>(State{std::move(done)})) {}

  /// A function to be called once when another part has ended. All parts are begun before the last of them ends.
  std::function<void()> part() const {
    ++state_->open;
    return [state = state_] {
      if (--state->open == 0) state->done();
    };
  }

 private:
  struct State {
    std::function<void()> done;
    std::size_t open = 0;
  };
  std::shared_ptr<State> state_;
};

}  // namespace ballot::support
