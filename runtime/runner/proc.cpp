#include "runner/proc.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>

namespace ballot::runner {
namespace {

constexpr std::size_t most_of_proc = 2u << 20;

std::string proc_path(pid_t pid, const std::string& name) { return "/proc/" + std::to_string(pid) + "/" + name; }

std::string text_of(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file ? read_some(file.get(), most_of_proc) : "";
}

}  // namespace

std::string read_some(int file, std::size_t most) {
  std::string text;
  char chunk[4096];
  while (text.size() < most) {
    const ssize_t size = ::read(file, chunk, std::min(sizeof chunk, most - text.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(chunk, static_cast<std::size_t>(size));
  }
  return text;
}

std::string proc_text(pid_t pid, const std::string& name) { return text_of(proc_path(pid, name)); }

/// PID (NAME) STATE PARENT GROUP ..., the 20th the number of threads, the 22nd the start. A name may hold anything.
std::optional<ProcessFacts> facts_of(pid_t pid) {
  const std::string text = proc_text(pid, "stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(name_end + 1));
  ProcessFacts facts{.pid = pid};
  std::string state, skipped;
  words >> state >> facts.parent >> facts.group;
  for (int field = 6; field < 20; ++field) words >> skipped;
  int threads = 0;
  words >> threads >> skipped >> facts.started;
  facts.has_ended = (state == "Z" || state == "X") && threads <= 1;  // else only its first thread has
  return words ? std::optional(facts) : std::nullopt;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> all;
  DIR* const threads = ::opendir(proc_path(pid, "task").c_str());
  if (!threads) return all;
  while (const dirent* const thread = ::readdir(threads)) {
    if (thread->d_name[0] == '.') continue;
    const std::string text = text_of(proc_path(pid, "task/") + thread->d_name + "/children");
    for (const char* at = text.c_str(); *at;) {
      char* end = nullptr;
      const long child = std::strtol(at, &end, 10);
      if (end == at) break;
      all.push_back(static_cast<pid_t>(child));
      at = end;
    }
  }
  ::closedir(threads);
  return all;
}

}  // namespace ballot::runner
