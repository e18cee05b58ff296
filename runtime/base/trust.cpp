#include "base/trust.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

namespace ballot {
namespace {

std::optional<std::string> wrong_owner(const struct stat& info, std::uint32_t daemon) {
  if (info.st_uid == 0 || info.st_uid == daemon) return std::nullopt;
  return "belongs to user " + std::to_string(info.st_uid) + "; it must belong to root or to the daemon's user";
}

std::optional<std::string> wrong_mode(const struct stat& info) {
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return std::nullopt;
  std::array<char, 8> mode{};
  std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(info.st_mode & 07777));
  return "is writable by others (mode " + std::string(mode.data()) + "); take that away with chmod go-w";
}

enum class Place { passed, end };

/// Goes from / to a folder as the kernel does, and checks everything that it passes.
class WayTo {
 public:
  WayTo(const std::filesystem::path& folder, std::uint32_t daemon) : daemon_(daemon) { put_before(folder); }

  /// `end`: the rule for what the way leads to.
  std::optional<std::string> fault(Place end) {
    while (!rest_.empty()) {
      if (auto found = check(at_, Place::passed)) return found;
      if (auto found = step()) return found;
    }
    return missing_ ? std::nullopt : check(at_, end);
  }

 private:
  /// What is still to come is a list of names, the next one last.
  void put_before(const std::filesystem::path& path) {
    std::vector<std::string> names;
    for (const auto& part : path.relative_path())
      if (!part.empty() && part != ".") names.push_back(part.string());
    rest_.insert(rest_.end(), names.rbegin(), names.rend());
  }

  std::optional<std::string> check(const std::filesystem::path& path, Place place) {
    struct stat info {};
    struct statvfs system {};
    if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
    const bool read_only =
        S_ISDIR(info.st_mode) && ::statvfs(path.c_str(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0;
    std::optional<std::string> fault;
    if (S_ISLNK(info.st_mode))
      fault = distrust_link(info, daemon_);
    else
      fault = place == Place::passed || read_only ? distrust_passed(info, read_only, daemon_) : distrust(info, daemon_);
    return fault ? std::optional(path.string() + ' ' + *fault) : std::nullopt;
  }

  std::optional<std::string> step() {
    const std::string name = std::move(rest_.back());
    rest_.pop_back();
    if (name == "..") return at_ = at_.parent_path(), std::nullopt;
    std::error_code error;
    const auto next = at_ / name;
    const auto target = std::filesystem::read_symlink(next, error);
    if (error) return at_ = next, gone_if_missing();
    if (++links_ > most_links) return next.string() + " is a link that leads in circles";
    if (auto fault = check(next, Place::passed)) return fault;
    if (target.is_absolute()) at_ = "/";
    put_before(target);
    return std::nullopt;
  }

  std::optional<std::string> gone_if_missing() {
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(at_, error))) return std::nullopt;
    missing_ = true;
    rest_.clear();
    return std::nullopt;
  }

  std::uint32_t daemon_;
  std::filesystem::path at_ = "/";
  std::vector<std::string> rest_;
  int links_ = 0;
  bool missing_ = false;
};

std::optional<std::string> fault_on_the_way(const std::string& path, Place end, std::uint32_t daemon) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  if (error) return std::nullopt;
  return WayTo(absolute, daemon).fault(end);
}

}  // namespace

std::optional<std::string> distrust(const struct stat& info, std::uint32_t daemon) {
  if (auto fault = wrong_owner(info, daemon)) return fault;
  return wrong_mode(info);
}

std::optional<std::string> distrust_link(const struct stat& info, std::uint32_t daemon) {
  return wrong_owner(info, daemon);
}

std::optional<std::string> distrust_passed(const struct stat& info, bool read_only, std::uint32_t daemon) {
  return read_only || (info.st_mode & S_ISVTX) != 0 ? wrong_owner(info, daemon) : distrust(info, daemon);
}

std::optional<std::string> distrust_folder(const std::string& path, std::uint32_t daemon) {
  return fault_on_the_way(path, Place::end, daemon);
}

std::optional<std::string> distrust_way(const std::string& path, std::uint32_t daemon) {
  return fault_on_the_way(path, Place::passed, daemon);
}

std::optional<std::string> distrust_file(const std::string& path, std::uint32_t daemon) {
  return distrust_folder(path, daemon);  // the way ends with it, whatever it is
}

}  // namespace ballot
