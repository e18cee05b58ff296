// KeptSession: the handle of this program's session as it keeps it for whoever has to leave on its behalf, and the lock
// that says that it lives. The file of a dead program stays as it is until this one has had a session of its own.
//
//   KeptSession session(session_path(run_dir), about_session(config, node));
//   const bool anew = session.begin() == SessionLock::Taken::by_other;   // before anything is asked of the store
//   session.keep(handle); ... session.keep(""); ... session.remove();
//
// Thread: the main one.
#pragma once

#include <string>

#include "library/session_file.hpp"
#include "library/session_lock.hpp"

namespace ballot::library {

class KeptSession {
 public:
  KeptSession(std::string path, SessionFile about);

  /// Takes the lock; where `ballot resign` has it, waits for 3 s at most.
  SessionLock::Taken begin();
  SessionLock& lock() { return lock_; }
  const std::string& path() const { return path_; }

  /// "": there is no session. Errors: io; conflict, where the lock is not to be had.
  Result<void> keep(const std::string& handle);
  /// After a stop that leaves everything: nobody is to resign before the deadline.
  Result<void> leave(SteadyTime deadline, const std::string& boot_id);
  /// The last word was that there is none.
  bool is_over() const { return is_kept_ && file_.handle.empty(); }
  /// Nothing is left to be done.
  void remove();
  /// With the lock's file, where nobody else is to find it.
  void remove_all();

 private:
  bool is_of_before() const;

  const std::string path_;
  SessionFile file_;
  bool is_kept_ = false;  // once
  SessionLock lock_;
};

}  // namespace ballot::library
