// HandleFile: what it takes to go on with a node's session, or to end it on behalf of a dead daemon: `key value` lines,
// mode 0600. Locked while its daemon lives, so that a second one of the same name does not take its session away.
// Knows nothing of what a session is: the store's words for it are opaque. One thread.
//
//   auto file = HandleFile::open(path);       // Errc::conflict: its daemon lives
//   if (auto handle = file->read()) ...       // of the daemon before
//   file->write(handle);  ...  file->remove();
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "ballot/error.hpp"
#include "support/descriptor.hpp"

namespace ballot::support {

struct Handle {
  std::string session;  // as the store names it: one word
  std::string secret;   // what proves to the store that it is ours: one word; "" where nothing is needed
  std::string node = {}, boot_id = {}, machine_id = {}, host = {};
  int pid = 0;
  std::string servers = {}, root = {};  // where the session is
  bool over = false;                    // its terms are over, but the store may not know: to be ended, not resumed
};

/// As SessionOpened carries it: whose the session is, and what proves it.
std::string handle_text(const Handle& handle);
/// The node of such a text; "" where it is none.
std::string node_of(const std::string& handle_text);

class HandleFile {
 public:
  /// Errors: conflict, named with host and pid; io.
  static Result<HandleFile> open(const std::string& path);

  /// None: there is none, or it cannot be read.
  std::optional<Handle> read() const;
  /// False: it could not be written.
  bool write(const Handle& handle) const;
  /// There is no session to go on with, nor to end.
  void remove() const;

  /// Removes handles below `folder` whose daemons have been dead for a day, and whose names begin with `prefix`: some.
  static void remove_old(const std::string& folder, const std::string& prefix);

 private:
  HandleFile(int file, std::string path) noexcept : file_(file), path_(std::move(path)) {}

  bool is_removed() const;  // by who had it before

  Descriptor file_;
  std::string path_;
};

}  // namespace ballot::support
