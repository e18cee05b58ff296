// Trust: whether anybody but root and the daemon's user could put something into a file or folder.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ballot {

/// One way leads over at most so many, as the kernel has it.
inline constexpr int most_links = 40;

/// Why a file or folder is not to be trusted: "belongs to user 1000", "is writable by others (mode 0777)". None if it
/// belongs to root or to `daemon`, and nobody else may write to it.
std::optional<std::string> distrust(const struct stat& info, std::uint32_t daemon);

/// The same for a link, whose mode says nothing.
std::optional<std::string> distrust_link(const struct stat& info, std::uint32_t daemon);

/// The same for a folder that is passed on the way to something. A sticky one may be writable: what lies in it must
/// belong to root or to `daemon` anyway. So may one on a file system that is mounted read-only, as Kubernetes mounts a
/// ConfigMap, whose folder has the mode 0777.
std::optional<std::string> distrust_passed(const struct stat& info, bool read_only, std::uint32_t daemon);

/// The same for the folder `path` and every folder and link on the way to it, with the name of the one at fault. The
/// folder itself may be writable where it is mounted read-only. None, too, where something on the way does not exist.
std::optional<std::string> distrust_folder(const std::string& path, std::uint32_t daemon);

/// The same for every folder and link on the way to the folder `path`, and for itself but that it may be sticky.
std::optional<std::string> distrust_way(const std::string& path, std::uint32_t daemon);

/// The same for a file, and for what a link in its place leads to.
std::optional<std::string> distrust_file(const std::string& path, std::uint32_t daemon);

}  // namespace ballot
