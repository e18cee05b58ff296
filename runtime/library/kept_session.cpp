#include "library/kept_session.hpp"

#include <unistd.h>

#include <utility>

namespace ballot::library {
namespace {

constexpr Millis lock_patience{3000};

}  // namespace

KeptSession::KeptSession(std::string path, SessionFile about)
    : path_(std::move(path)), file_(std::move(about)), lock_(lock_path(path_)) {}

SessionLock::Taken KeptSession::begin() { return lock_.take(SessionLock::program, lock_patience); }

Result<void> KeptSession::keep(const std::string& handle) {
  if (lock_.take(SessionLock::program) != SessionLock::Taken::yes)
    return Error{Errc::conflict, "another process holds " + lock_path(path_) + ", or it cannot be made"};
  if (handle.empty() && is_of_before()) return {};
  is_kept_ = true;
  file_.handle = handle;
  file_.left_until.reset();
  return write_session_file(path_, file_);
}

Result<void> KeptSession::leave(SteadyTime deadline, const std::string& boot_id) {
  if (!lock_.is_held() || is_of_before()) return {};
  file_.left_until = deadline;
  file_.boot_id = boot_id;
  return write_session_file(path_, file_);
}

void KeptSession::remove() {
  if (lock_.is_held() && !is_of_before()) ::unlink(path_.c_str());
}

void KeptSession::remove_all() {
  if (!lock_.is_held() || is_of_before()) return;
  ::unlink(path_.c_str());
  lock_.remove();
}

bool KeptSession::is_of_before() const { return !is_kept_ && ::access(path_.c_str(), F_OK) == 0; }

}  // namespace ballot::library
