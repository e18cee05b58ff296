// ballot help [COMMAND]: its man page; where there is no man, or it has no page, the same text as it is installed; and
// without that what --help prints.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "app/commands/commands.hpp"
#include "app/options/flags.hpp"
#include "app/options/places.hpp"

namespace ballot::app {
namespace {

/// By man, which pages it on a terminal. What it says where it has no such page is not shown.
bool show_page(const std::string& page) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const char* argv[] = {"man", page.c_str(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, "man", &actions, nullptr, const_cast<char* const*>(argv), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return false;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status == 0;
}

bool print_text(const std::string& page) {
  std::ifstream text(help_folder() + "/" + page + ".txt");
  return text && std::cout << text.rdbuf();
}

Exit run(const std::vector<std::string>& words) {
  const std::string page = words.empty() ? "ballot" : "ballot-" + words.front();
  const bool is_name = page.find('/') == std::string::npos;
  if (is_name && (show_page(page) || print_text(page))) return Exit::done;
  std::vector<const char*> argv{"ballot"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  argv.push_back("--help");
  return run_command_line(static_cast<int>(argv.size()), argv.data());
}

}  // namespace

Run setup_help(CLI::App& command) {
  auto words = std::make_shared<std::vector<std::string>>();
  add_strings(command, "COMMAND", *words, "a command, and which of its own if it has some");
  return [words] { return run(*words); };
}

}  // namespace ballot::app
