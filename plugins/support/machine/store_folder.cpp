#include "support/machine/store_folder.hpp"

#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "support/trust.hpp"

namespace ballot::support {

namespace fs = std::filesystem;

std::string folder_of(const BackendSettings& settings, const std::string& by_default) {
  const auto option = settings.options.find("path");
  fs::path path = by_default;
  if (option != settings.options.end()) path = std::get<std::string>(option->second);
  return (fs::path(settings.state_dir) / path / settings.name_space).string();
}

std::string network_file_system(long magic) {
  static constexpr std::pair<unsigned, const char*> known[] = {
      {0x6969, "NFS"},        {0x517b, "SMB"},        {0xff534d42, "CIFS"},   {0xfe534d42, "SMB2"},
      {0x65735546, "FUSE"},   {0x5346414f, "AFS"},    {0x6b414653, "kAFS"},   {0x73757245, "Coda"},
      {0x00c36400, "Ceph"},   {0x01021997, "9P"},     {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
      {0x7461636f, "OCFS2"},  {0x01161970, "GFS2"},   {0x564c, "NCP"},        {0x786f4256, "VirtualBox shares"},
      {0xbacbacbc, "VMHGFS"}, {0x19830326, "BeeGFS"},
  };
  for (const auto& [number, name] : known)
    if (number == (static_cast<unsigned long>(magic) & 0xffffffff)) return name;
  return {};
}

namespace {

/// For nobody but the owner's group to read, whatever the umask, which is the whole process's.
void make_missing(const fs::path& path, std::error_code& failed) {
  if (path.empty() || fs::is_directory(path, failed)) return failed.clear();
  make_missing(path.parent_path(), failed);
  if (failed || ::mkdir(path.c_str(), 0750) == 0 || errno == EEXIST) return;
  failed = std::error_code(errno, std::generic_category());
}

}  // namespace

Result<void> make_folder(const std::string& folder) {
  const fs::path path(folder);
  std::error_code failed;
  make_missing(path.parent_path(), failed);
  if (!failed && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    failed = std::error_code(errno, std::generic_category());
  if (failed) {
    const bool passing = failed == std::errc::no_space_on_device || failed == std::errc::io_error ||
                         failed == std::errc::too_many_files_open || failed == std::errc::not_enough_memory;
    return Error{passing ? Errc::io : Errc::refused, "cannot make the folder " + folder + ": " + failed.message()};
  }
  if (const std::string fault = distrust_folder(folder); !fault.empty())
    return Error{Errc::refused, "the folder " + folder + " cannot be trusted: " + fault};
  struct statfs found {};
  if (::statfs(folder.c_str(), &found) != 0)
    return Error{Errc::io, "cannot examine the folder " + folder + ": " + std::strerror(errno)};
  const std::string network = network_file_system(static_cast<long>(found.f_type));
  if (!network.empty())
    return Error{Errc::refused, "the folder " + folder + " lies on " + network +
                                    ", whose locks this backend cannot trust: set [local] path to a local disk, or "
                                    "choose another backend"};
  return {};
}

}  // namespace ballot::support
