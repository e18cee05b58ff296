// SessionLock: who may use a session's handle: its daemon, while it lives; else `ballot resign`, while it works. An
// exclusive lock on a file beside the handle, which is released with its holder. The file says who that is.
//
//   SessionLock lock("/run/ballot/session.lock");
//   if (lock.take("resign") != SessionLock::Taken::yes) return;
//
// The file is never renamed, and removed by its holder only. The descriptor is closed by exec; a fork shares the lock.
// Threads: one.
#pragma once

#include <string>
#include <string_view>

#include "ballot/time.hpp"
#include "base/unique_fd.hpp"

namespace ballot::library {

class SessionLock {
 public:
  enum class Taken {
    yes,
    in_use,    // by a living program, which said `program`
    by_other,  // by somebody who leaves on a dead program's behalf
    no_file    // it cannot be made, or written
  };
  /// What a program says that uses the session for as long as it lives.
  static constexpr std::string_view program = "program";

  explicit SessionLock(std::string path) : path_(std::move(path)) {}

  /// `who` is a word, to be read by those that find it taken. At once.
  Taken take(std::string_view who);
  /// Waits for those that leave on a dead program's behalf. That a program has it is believed once the file has said so
  /// for a moment.
  Taken take(std::string_view who, Millis patience);
  bool is_held() const { return static_cast<bool>(file_); }
  void release() { file_.reset(); }
  /// With its file. Requires: is_held().
  void remove();
  /// For a fork that is to hold it too.
  int descriptor() const { return file_.get(); }

 private:
  const std::string path_;
  UniqueFd file_;
};

/// Beside the file with the session's handle.
std::string lock_path(const std::string& session_path);

}  // namespace ballot::library
