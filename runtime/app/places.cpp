#include "app/places.hpp"

#include <filesystem>

namespace ballot::app {
namespace {

namespace fs = std::filesystem;

/// The build tree, where this program lies in its bin/; else empty.
fs::path build_tree() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path tree = self.parent_path().parent_path();
  return !error && fs::exists(tree / "CMakeCache.txt", error) ? tree : fs::path();
}

const fs::path installed = "/usr/lib/ballot";

}  // namespace

std::string plugin_dir() {
  const fs::path tree = build_tree();
  return (tree.empty() ? installed : tree) / "plugins";
}

std::string runner_file() {
  const fs::path tree = build_tree();
  return tree.empty() ? installed / "ballot-runner" : tree / "bin/ballot-runner";
}

}  // namespace ballot::app
