// ballot version: what this program is, and which plugins it finds.
#include <iostream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/options/options.hpp"
#include "app/print/escape.hpp"
#include "io/plugin_loader.hpp"

namespace ballot::app {
namespace {

void print_plugins(const std::string& folder) {
  const auto plugins = find_plugins(folder);
  if (!plugins) {
    std::cout << "no plugins: " << escaped(plugins.error().what, Escape::plain) << '\n';
    return;
  }
  std::cout << "plugins in " << folder << ":\n";
  for (const FoundPlugin& plugin : *plugins) {
    const std::string& text = plugin.problem.empty() ? plugin.version : plugin.problem;
    std::cout << "  " << escaped(plugin.name, Escape::plain) << (plugin.problem.empty() ? " " : ": ")
              << escaped(text, Escape::plain) << '\n';
  }
}

Exit run(const ConfigOptions& options) {
  std::cout << "ballot " BALLOT_VERSION "\nplugin ABI " << plugin_abi << " (" << plugin_toolchain << ")\n";
  const auto config = load_config(options);
  if (!config) return Exit::configuration;
  print_plugins(config->plugin_dir);
  return Exit::done;
}

}  // namespace

Run setup_version(CLI::App& command) {
  auto options = std::make_shared<ConfigOptions>();
  add_config_options(command, *options);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
