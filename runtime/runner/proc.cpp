#include "runner/proc.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

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

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\n";
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(blanks, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

std::uint64_t number_of(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size() ? number : 0;
}

std::string proc_text(pid_t pid, const std::string& name) { return text_of(proc_path(pid, name)); }

/// PID (NAME) STATE PARENT GROUP ..., the 20th the number of threads, the 22nd the start. A name may contain anything.
std::optional<ProcessFacts> facts_of(pid_t pid) {
  constexpr std::size_t state = 0, parent = 1, group = 2, threads = 17, started = 19;  // behind the name
  const std::string text = proc_text(pid, "stat");
  const auto words = words_of(std::string_view(text).substr(text.rfind(')') + 1));
  if (words.size() <= started) return std::nullopt;
  const bool zombie = words[state] == "Z" || words[state] == "X";
  return ProcessFacts{.pid = pid,
                      .parent = static_cast<pid_t>(number_of(words[parent])),
                      .group = static_cast<pid_t>(number_of(words[group])),
                      .started = number_of(words[started]),
                      .has_ended = zombie && number_of(words[threads]) <= 1};  // else only its first thread has
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> all;
  DIR* const threads = ::opendir(proc_path(pid, "task").c_str());
  if (!threads) return all;
  while (const dirent* const thread = ::readdir(threads)) {
    if (thread->d_name[0] == '.') continue;
    const std::string text = text_of(proc_path(pid, "task/") + thread->d_name + "/children");
    for (const std::string_view word : words_of(text)) all.push_back(static_cast<pid_t>(number_of(word)));
  }
  ::closedir(threads);
  return all;
}

}  // namespace ballot::runner
