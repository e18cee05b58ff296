#include "config/presence.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "config/diagnostics.hpp"

namespace ballot::config {
namespace {

constexpr std::string_view path_of_runs = "/usr/local/bin:/usr/bin:/bin";

bool is_executable(const std::string& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0111) != 0;
}

}  // namespace

std::string program_absence(const std::string& program, const std::string& path) {
  struct stat info {};
  if (program.starts_with('/')) {
    if (const std::string absent = file_absence(program); !absent.empty()) return absent;
    if (::stat(program.c_str(), &info) != 0) return {};
    return is_executable(program) ? "" : in_quotes(program) + " is no program: it may not be executed";
  }
  if (program.empty() || program.find('/') != std::string::npos) return {};  // from a working folder
  const std::string_view searched = path.empty() ? path_of_runs : std::string_view(path);
  for (std::string_view rest = searched; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (is_executable(std::string(folder) + '/' + program)) return {};
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return "no program " + in_quotes(program) + " is in the PATH of a run, " + std::string(searched);
}

std::string file_absence(const std::string& path) {
  struct stat info {};
  if (!path.starts_with('/') || ::stat(path.c_str(), &info) == 0) return {};
  return errno == ENOENT || errno == ENOTDIR ? in_quotes(path) + " is not there" : std::string();
}

}  // namespace ballot::config
