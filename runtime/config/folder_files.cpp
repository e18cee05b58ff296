#include "config/folder_files.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <system_error>

#include "base/fnv.hpp"
#include "base/trust.hpp"
#include "config/names.hpp"

namespace ballot::config {
namespace {

/// A file that changed this shortly before it was read may change again without its times showing it.
constexpr std::int64_t clock_tick_ns = 20'000'000;

std::int64_t nanoseconds_of(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

}  // namespace

FileStamp stamp_of(const struct stat& info) {
  Fnv hash;
  const std::int64_t modified = nanoseconds_of(info.st_mtim), changed = nanoseconds_of(info.st_ctim);
  for (const std::uint64_t part :
       {std::uint64_t{info.st_dev}, std::uint64_t{info.st_ino}, static_cast<std::uint64_t>(info.st_size),
        static_cast<std::uint64_t>(modified), static_cast<std::uint64_t>(changed)})
    for (int shift = 0; shift < 64; shift += 8) hash.add(static_cast<unsigned char>(part >> shift));
  return std::max<std::uint64_t>(1, hash.value());
}

bool just_changed(const struct stat& info) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return nanoseconds_of(info.st_ctim) > nanoseconds_of(now) - clock_tick_ns;
}

Result<std::vector<std::string>> list_job_files(int folder) {
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(own < 0 ? nullptr : ::fdopendir(own), ::closedir);
  if (!stream) return Error{Errc::io, std::system_category().message(errno)};
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* const entry = ::readdir(stream.get()))
    if (is_job_file_name(entry->d_name)) names.emplace_back(entry->d_name);
  if (errno != 0) return Error{Errc::io, std::system_category().message(errno)};
  std::sort(names.begin(), names.end());
  return names;
}

Result<UniqueFd> open_jobs_folder(const std::string& path, std::uint32_t daemon) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder && errno == ENOENT) return Error{Errc::not_found, "no such folder; create it, or set jobs_dir"};
  if (!folder) return Error{Errc::io, "the folder cannot be read: " + std::system_category().message(errno)};
  if (const auto fault = distrust_folder(path, daemon)) return Error{Errc::refused, *fault};
  return folder;
}

}  // namespace ballot::config
