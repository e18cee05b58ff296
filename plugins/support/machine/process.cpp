#include "support/machine/process.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "support/descriptor.hpp"

namespace ballot::support {

namespace {

constexpr int started_field = 22, state_field = 3;  // of /proc/PID/stat, counted from 1

}  // namespace

Process this_process() noexcept {
  struct stat space {};
  const bool known = ::stat("/proc/self/ns/pid", &space) == 0;
  return {::getpid(), known ? static_cast<std::int64_t>(space.st_ino) : 0, status_of(::getpid()).started};
}

ProcessStatus status_of(std::int64_t pid) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%lld/stat", static_cast<long long>(pid));
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  char text[1024];
  const ssize_t size = file ? ::read(file.get(), text, sizeof text - 1) : -1;
  if (size <= 0) return {};
  text[size] = '\0';
  // A program may name itself anything: what counts comes after the last bracket.
  const char* at = std::strrchr(text, ')');
  ProcessStatus status;
  for (int field = state_field - 1; at != nullptr && field < started_field; ++field) {
    at = std::strchr(at + 1, ' ');
    if (at != nullptr && field == state_field - 1) status.state = at[1];
  }
  if (at != nullptr) status.started = std::atoll(at + 1);
  return status;
}

bool has_open(std::int64_t pid, const FileId& file) noexcept {
  std::error_code failed;
  std::filesystem::directory_iterator files("/proc/" + std::to_string(pid) + "/fd", failed);
  for (; !failed && files != std::filesystem::directory_iterator(); files.increment(failed))
    if (file_id(files->path().string()) == file) return true;
  return false;
}

}  // namespace ballot::support
