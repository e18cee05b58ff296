#include "base/cgroup_place.hpp"

#include <sys/xattr.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace ballot {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The mount table writes blanks and backslashes as three octal digits.
std::string unescaped(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
                        is_octal(text[i + 3]);
    if (escape) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

struct Mount {
  std::string root, folder;  // what of the hierarchy is seen there, and where
};

/// ID PARENT DEVICE ROOT FOLDER OPTIONS [MORE ...] - TYPE SOURCE OPTIONS
std::optional<Mount> cgroup_mount(std::string_view mountinfo) {
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id, parent, device, root, folder, word, type;
    words >> id >> parent >> device >> root >> folder;
    while (words >> word && word != "-") continue;
    if (words >> type && type == "cgroup2") return Mount{unescaped(root), unescaped(folder)};
  }
  return std::nullopt;
}

std::optional<std::string> path_of(std::string_view cgroup) {
  std::istringstream lines{std::string(cgroup)};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::/")) return line.substr(3);
  return std::nullopt;
}

}  // namespace

std::optional<CgroupPlace> find_cgroup(std::string_view mountinfo, std::string_view cgroup) {
  const auto mount = cgroup_mount(mountinfo);
  auto path = path_of(cgroup);
  if (!mount || !path) return std::nullopt;
  const std::string root = mount->root == "/" ? "" : mount->root;
  const bool inside = path->starts_with(root) && (path->size() == root.size() || (*path)[root.size()] == '/');
  if (!inside || path->starts_with("/..")) return std::nullopt;
  path->erase(0, root.size());
  return CgroupPlace{mount->folder, mount->folder + (*path == "/" ? "" : *path)};
}

std::optional<CgroupPlace> find_cgroup() {
  return find_cgroup(text_of("/proc/self/mountinfo"), text_of("/proc/self/cgroup"));
}

bool is_delegated_cgroup(const std::string& folder) {
  char value = 0;
  for (const char* name : {"user.delegate", "trusted.delegate"})
    if (::getxattr(folder.c_str(), name, &value, 1) == 1 && value == '1') return true;
  return false;
}

std::vector<std::string> cgroup_controllers(const std::string& folder) {
  std::istringstream words(text_of(folder + "/cgroup.controllers"));
  return {std::istream_iterator<std::string>(words), {}};
}

std::vector<std::string> machine_controllers() {
  const auto place = find_cgroup();
  return place ? cgroup_controllers(place->root) : std::vector<std::string>();
}

}  // namespace ballot
