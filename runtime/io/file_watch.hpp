// FileWatch: reports when something in a directory has changed, once things have come to rest.
//
// It reports names, not what became of them: the owner reads. The directory may come later, go, or be replaced; events
// may be lost (queue overflow): then anything may have changed. Not seen: what changes behind a link in the directory's
// path. Thread: the loop's. While one exists the loop does not run out of work.
//
//   auto watch = FileWatch::open(loop, "/etc/ballot/jobs.d", [&](const std::vector<std::string>& names) {
//     names.empty() ? jobs.reload() : jobs.reload(names);
//   });
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/time.hpp"

namespace boost::asio {
class io_context;
}

namespace ballot::io {

/// A burst of events is one callback: `quiet` after the last of them, at most `most` after the first.
struct WatchDelays {
  Millis quiet{100};
  Millis most{1000};
};

class FileWatch {
 public:
  /// The names in the directory that changed, in order, each once; empty: anything may have changed.
  using OnChanged = std::function<void(const std::vector<std::string>& names)>;

  /// Files that are there already are not reported: scan after opening. io: the kernel gives no inotify.
  static Result<std::unique_ptr<FileWatch>> open(boost::asio::io_context& loop, const std::string& directory,
                                                 OnChanged on_changed, WatchDelays delays = {});
  /// No callback after return; may be called from the callback.
  ~FileWatch();

  /// Why changes may go unnoticed now ("": they do not): the system's limit of watches, or no permission. The
  /// directory is then polled every ten seconds, with a callback each time.
  const std::string& problem() const;

 private:
  struct State;
  explicit FileWatch(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace ballot::io
