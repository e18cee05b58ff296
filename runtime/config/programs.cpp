#include "config/programs.hpp"

#include <sys/stat.h>

#include "base/trust.hpp"

namespace ballot::config {
namespace {

constexpr std::uint32_t root = 0;

Program look_up(const std::string& path) {
  Program program;
  struct stat info {};
  if (!path.starts_with('/') || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return program;
  program.changes_identity = (info.st_mode & (S_ISUID | S_ISGID)) != 0;
  const auto folder = distrust_folder(path.substr(0, path.rfind('/') + 1), root);
  const auto file = distrust(info, root);
  if (file) program.writable_by_others = path + ' ' + *file;
  if (folder) program.writable_by_others = *folder;
  return program;
}

}  // namespace

const Program& Programs::at(const std::string& path) {
  const auto known = known_.find(path);
  return known != known_.end() ? known->second : known_.emplace(path, look_up(path)).first->second;
}

const std::string& Programs::fault_of_folder(const std::string& path) {
  const auto known = folders_.find(path);
  if (known != folders_.end()) return known->second;
  return folders_.emplace(path, distrust_way(path, root).value_or("")).first->second;
}

}  // namespace ballot::config
