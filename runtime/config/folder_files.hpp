// The files of a jobs folder as they lie there: which there are, what each is, and whether the folder is to be trusted.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "base/unique_fd.hpp"

namespace ballot::config {

/// What a file was when it was read, hashed: device, inode, size and times. 0: to be read again.
using FileStamp = std::uint64_t;

FileStamp stamp_of(const struct stat& info);
/// The file changed so shortly ago that it may change again without its times showing it.
bool just_changed(const struct stat& info);
/// The names in a folder that a job file can have, in byte order.
Result<std::vector<std::string>> list_job_files(int folder);
/// The open folder; or the reason why its files are not read.
Result<UniqueFd> open_jobs_folder(const std::string& path, std::uint32_t daemon);

}  // namespace ballot::config
