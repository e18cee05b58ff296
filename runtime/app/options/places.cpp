#include "app/options/places.hpp"

#include <cstdlib>
#include <filesystem>

namespace ballot::app {

namespace fs = std::filesystem;

std::string state_dir_of_user(unsigned uid, const std::function<const char*(const char*)>& variable) {
  const auto text = [&](const char* name) {
    const char* const value = variable(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string state = text("XDG_STATE_HOME"), home = text("HOME");
  if (uid != 0 && state.starts_with('/')) return state + "/ballot";  // a relative one is none, says its standard
  if (uid != 0 && home.starts_with('/')) return home + "/.local/state/ballot";
  return "/var/lib/ballot";
}

std::string library_folder(const std::string& program) {
  const fs::path beside = fs::path(program).parent_path().parent_path() / "lib/ballot";
  std::error_code error;
  return beside.is_absolute() && fs::is_directory(beside, error) ? beside.string() : "/usr/lib/ballot";
}

std::string tree_of(const std::string& program) {
  const fs::path folder = fs::path(program).parent_path(), tree = folder.parent_path();
  std::error_code error;
  const bool is_one =
      fs::exists(tree / "CMakeCache.txt", error) || fs::is_regular_file(folder / "ballot-runner", error);
  return folder.is_absolute() && is_one ? tree.string() : "";
}

namespace {

fs::path build_tree() { return tree_of(own_file()); }

/// Beside this program, in whatever prefix that is installed.
fs::path installed() { return library_folder(own_file()); }

/// One of the programs that nobody calls by hand.
std::string part(const char* name) {
  const fs::path tree = build_tree();
  return tree.empty() ? installed() / name : tree / "bin" / name;
}

}  // namespace

std::string plugin_dir() {
  const fs::path tree = build_tree();
  return (tree.empty() ? installed() : tree) / "plugins";
}

std::string help_folder() {
  const fs::path tree = build_tree();
  return tree.empty() ? installed() / "help" : tree / "man";
}

std::string own_file() {
  constexpr std::string_view gone = " (deleted)";
  std::error_code error;
  std::string self = fs::read_symlink("/proc/self/exe", error);
  if (self.ends_with(gone)) self.erase(self.size() - gone.size());
  return self;
}

std::string runner_file() { return part("ballot-runner"); }
std::string ping_file() { return part("ballot-ping"); }

std::string sendmail_file() {
#ifdef BALLOT_FAILPOINTS
  if (const char* const other = std::getenv("BALLOT_TEST_SENDMAIL")) return other;
#endif
  return "/usr/sbin/sendmail";
}

}  // namespace ballot::app
