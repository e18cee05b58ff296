#include "library/runner_place.hpp"

#include <filesystem>
#include <system_error>

#include "io/runner_start.hpp"

namespace ballot::library {

namespace fs = std::filesystem;

Result<void> keep_runner_place(const std::string& state_dir, const std::string& socket) {
  const fs::path link = fs::path(state_dir) / "runner", here = fs::absolute(socket);
  std::error_code failed;
  const fs::path before = fs::read_symlink(link, failed);
  if (!failed && before == here) return {};
  if (!failed && io::is_listening(before))
    return Error{Errc::conflict, "the runner of the daemon before listens at " + before.string() +
                                     ", and its runs go on: set run_dir to " + before.parent_path().string() +
                                     " again, or wait until they have ended"};
  // Replaced as a whole: a crash in between leaves the link as it was.
  const fs::path fresh = link.string() + ".new";
  fs::remove(fresh, failed);
  fs::create_symlink(here, fresh, failed);
  if (!failed) fs::rename(fresh, link, failed);
  if (failed) return Error{Errc::io, "cannot make the link " + link.string() + ": " + failed.message()};
  return {};
}

}  // namespace ballot::library
