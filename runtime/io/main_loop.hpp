// MainLoop: the one thread that everything of the runtime runs on, and the signals that reach it.
//
//   MainLoop loop;
//   loop.on_signal(SIGTERM, [&] { engine.stop(); });
//   loop.run();                                  // until stop()
#pragma once

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace ballot::io {

class MainLoop {
 public:
  MainLoop();
  ~MainLoop();

  boost::asio::io_context& context();

  /// Calls `handler` on the loop thread each time the signal arrives. For programs only: a library leaves signals
  /// alone.
  void on_signal(int signal, std::function<void()> handler);

  /// Calls `task` on the loop thread. From any thread.
  void post(std::function<void()> task);

  void run();
  /// run() returns soon. On the loop thread.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ballot::io
