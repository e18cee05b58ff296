// RunnerWatch: a connection that watches another node's runner on this host: what it has, and ends as they happen. It
// commands nothing. Where the runner does not answer within 100 ms, is another's, or goes, no more reports come.
//
// Thread: the loop's. No report comes from within begin(), nor after the destruction (which the callback may bring
// about).
//
//   auto watch = RunnerWatch::begin(loop, socket, "local ballot n1", [](RunnerWatch::Report report) { ... });
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "base/runner_wire.hpp"

namespace boost::asio {
class io_context;
}

namespace ballot::io {

class RunnerWatch {
 public:
  struct Report {
    bool complete = false;  // this is all that it has, and no daemon can give it more
    std::vector<runner::Running> running;
    std::vector<runner::Ended> ended;
    bool gone = false;  // after anything else, once: it has ended, or makes no sense
  };

  /// `owner`: whose the runner has to be, as runner::Ready says it. Errors: as find_runner; not_found: none is there.
  static Result<std::unique_ptr<RunnerWatch>> begin(boost::asio::io_context& loop, const std::string& socket,
                                                    std::string owner, std::function<void(Report)> on_report);
  ~RunnerWatch();

 private:
  class Connection;
  explicit RunnerWatch(std::shared_ptr<Connection> connection);

  std::shared_ptr<Connection> connection_;
};

}  // namespace ballot::io
