// SmallDisk: a folder on a file system of its own that can be filled, for this process and those that it starts. Only
// root may mount one.
//
//   SmallDisk disk(folder / "disk", "8m");
//   if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small disk";
//   disk.fill(); ... disk.make_room();
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/unique_fd.hpp"

namespace ballot::testing {

class SmallDisk {
 public:
  SmallDisk(const std::string& folder, const std::string& size) : folder_(folder) {
    std::filesystem::create_directory(folder);
    mounted_ = ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               ::mount("none", folder.c_str(), "tmpfs", 0, ("mode=0700,size=" + size).c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }

  bool mounted() const { return mounted_; }

  void fill() const {
    const UniqueFd file(::open(ballast().c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
    const std::string page(4096, 'x');
    while (::write(file.get(), page.data(), page.size()) > 0) continue;
  }
  void make_room() const { ::unlink(ballast().c_str()); }

  /// Requires: nothing on it is open for writing.
  bool make_read_only(bool read_only) const {
    return ::mount("none", folder_.c_str(), nullptr, MS_REMOUNT | (read_only ? MS_RDONLY : 0), nullptr) == 0;
  }

 private:
  std::string ballast() const { return folder_ + "/ballast"; }

  const std::string folder_;
  bool mounted_ = false;
};

}  // namespace ballot::testing
