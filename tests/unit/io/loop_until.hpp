// Runs a loop until something holds; a test that waits in vain fails after ten seconds.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>

namespace ballot::testing {

template <class Condition>
bool run_until(boost::asio::io_context& loop, Condition condition) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition() && std::chrono::steady_clock::now() < give_up) {
    if (loop.stopped()) loop.restart();
    loop.run_one_until(give_up);
  }
  return condition();
}

/// Runs the loop for a time in which something must not happen.
inline void run_for(boost::asio::io_context& loop, std::chrono::milliseconds time) {
  if (loop.stopped()) loop.restart();
  loop.run_for(time);
}

}  // namespace ballot::testing
