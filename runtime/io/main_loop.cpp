#include "io/main_loop.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <list>

namespace ballot::io {

struct MainLoop::State {
  struct Signal {
    Signal(boost::asio::io_context& context, int signal, std::function<void()> h)
        : set(context, signal), handler(std::move(h)) {}

    boost::asio::signal_set set;
    std::function<void()> handler;

    void wait() {
      set.async_wait([this](const boost::system::error_code& error, int) {
        if (error) return;
        wait();
        handler();
      });
    }
  };

  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{context.get_executor()};
  std::list<Signal> signals;
};

MainLoop::MainLoop() : state_(std::make_unique<State>()) {}
MainLoop::~MainLoop() = default;

boost::asio::io_context& MainLoop::context() { return state_->context; }

void MainLoop::on_signal(int signal, std::function<void()> handler) {
  state_->signals.emplace_back(state_->context, signal, std::move(handler));
  state_->signals.back().wait();
}

void MainLoop::post(std::function<void()> task) { boost::asio::post(state_->context, std::move(task)); }
void MainLoop::run() { state_->context.run(); }
void MainLoop::stop() { state_->context.stop(); }

}  // namespace ballot::io
