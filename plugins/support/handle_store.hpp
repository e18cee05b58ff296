// HandleStore: the session that a node's daemon leaves behind and the next one of that node finds: in a HandleFile
// under the daemon's state folder, or, where that cannot be had, in memory for the next session of this process. One
// thread.
//
//   HandleStore handles(state_dir, "zookeeper-" + name_space + "-", root, host);
//   auto before = handles.take(request);            // none: there is nothing to resume
//   handles.keep(handle);  ...                      // the session is open
//   handles.leave(Rest::kept, handle);  handles.release();
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "support/handle_file.hpp"

namespace ballot::support {

/// The rest of a session that is over.
enum class Rest {
  nothing,
  kept,      // it is open, with its terms: to be resumed
  uncertain  // its terms are over, but the store may not know: to be ended first
};

/// So long what was asked before is waited for when a session is closed: nobody waits for a deputy, which may have to
/// leave thousands of groups first.
constexpr Millis leave_patience(bool deputy, Millis timeout) {
  return deputy ? std::min(timeout, Millis(6000)) : std::min(timeout / 6, Millis(1000));
}

class HandleStore {
 public:
  /// `prefix`: of the files' names. `root`: where in the store the sessions are.
  HandleStore(std::string folder, std::string prefix, std::string root, Host& host);

  /// The rest of this node's session before, on this boot; the node is this one's until release().
  /// Errors: conflict: its daemon lives.
  Result<std::optional<Handle>> take(const SessionRequest& request);
  /// The session is open from now on.
  void keep(const Handle& handle);
  /// The session is over.
  void leave(Rest rest, Handle handle);
  /// The node's name is free.
  void release() { file_.reset(); }

 private:
  const std::string folder_, prefix_, root_;
  Host& host_;
  std::optional<HandleFile> file_;
  std::optional<Handle> left_;  // where there is no file
};

}  // namespace ballot::support
