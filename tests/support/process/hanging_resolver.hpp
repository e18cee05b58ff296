// HangingResolver: while one lives, names that end in ".hangs" have no answer in this program: its getaddrinfo() is the
// one of hanging_resolver.cpp, which has to be among the program's own sources.
//
//   HangingResolver resolver;      client.ask(... "db.hangs" ...);     EXPECT_TRUE(resolver.await_asked());
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

namespace ballot::testing {

class HangingResolver {
 public:
  HangingResolver();
  /// All that hangs is answered: there is no such name.
  ~HangingResolver();
  HangingResolver(const HangingResolver&) = delete;
  HangingResolver& operator=(const HangingResolver&) = delete;

  /// Until a name is asked for that hangs. False: that takes longer than some seconds.
  bool await_asked();

  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t asked = 0;
    bool released = false;
  };

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ballot::testing
