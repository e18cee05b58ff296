#include "support/trust.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

namespace ballot::support {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;
enum class On { its_way, its_end };

std::string fault_of(const fs::path& path, On place) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return {};
  const bool only_owner = S_ISLNK(info.st_mode) || (place == On::its_way && (info.st_mode & S_ISVTX) != 0);
  const std::string fault = only_owner ? distrust_owner(info) : distrust(info);
  return fault.empty() ? fault : path.string() + " " + fault;
}

void put_before(std::vector<std::string>& rest, const fs::path& path) {
  std::vector<std::string> names;
  for (const auto& part : path.relative_path())
    if (!part.empty() && part != ".") names.push_back(part.string());
  rest.insert(rest.end(), names.rbegin(), names.rend());
}

/// `end`: what the folder itself is asked.
std::string fault_on_the_way(const std::string& folder, On end) {
  std::error_code failed;
  std::vector<std::string> rest;
  put_before(rest, fs::absolute(folder, failed));
  fs::path at = "/";
  for (int links = 0; !rest.empty();) {
    if (auto fault = fault_of(at, On::its_way); !fault.empty()) return fault;
    const std::string name = std::move(rest.back());
    rest.pop_back();
    if (name == "..") {
      at = at.parent_path();
      continue;
    }
    const fs::path next = at / name;
    const fs::path target = fs::read_symlink(next, failed);
    if (failed) {
      at = next;
      continue;
    }
    if (++links > most_links) return next.string() + " is a link that leads in circles";
    if (auto fault = fault_of(next, On::its_way); !fault.empty()) return fault;
    if (target.is_absolute()) at = "/";
    put_before(rest, target);
  }
  return fault_of(at, end);
}

}  // namespace

std::string mode_of(const struct stat& info) {
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode & 07777));
  return "(mode " + std::string(mode) + ")";
}

std::string distrust_owner(const struct stat& info) {
  if (info.st_uid == 0 || info.st_uid == ::geteuid()) return {};
  return "belongs to user " + std::to_string(info.st_uid) + ": it must belong to root or to the daemon's user";
}

std::string distrust(const struct stat& info) {
  if (auto fault = distrust_owner(info); !fault.empty()) return fault;
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return "is writable by others " + mode_of(info) + ": take that away with chmod go-w";
}

std::string distrust_folder(const std::string& path) { return fault_on_the_way(path, On::its_end); }

std::string distrust_way(const std::string& folder) { return fault_on_the_way(folder, On::its_way); }

std::string distrust_file(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return {};
  if (!S_ISREG(info.st_mode)) return path + " is not a regular file: remove it";
  const std::string fault = distrust(info);
  return fault.empty() ? fault : path + " " + fault;
}

}  // namespace ballot::support
