#include "app/history/history_migration.hpp"

#include <iostream>

#include "app/client/ledger_access.hpp"
#include "app/print/escape.hpp"
#include "library/history/history_feed.hpp"
#include "library/settings.hpp"

namespace ballot::app {

Exit migrate_history(const ConfigOptions& options) {
  const auto config = load_backend_config(options);
  if (!config) return Exit::configuration;
  const library::HistoryChoice choice = library::history_choice(*config);
  if (choice.plugin.empty()) {
    std::cerr << "ballot history migrate: " << config->file
              << " names no history: set history in [fleet], such as \"postgresql\"\n";
    return Exit::configuration;
  }
  const auto plugin = library::find_history(config->plugin_dir, choice);
  if (!plugin) return fail("history migrate", plugin.error());
  const auto history = library::make_history(**plugin, choice, HistoryUse::migrate);
  if (!history) return fail("history migrate", history.error());
  const auto done = (*history)->migrate();
  if (!done) return fail("history migrate", done.error());
  for (const std::string& line : *done) std::cout << escaped(line, Escape::plain) << '\n';
  if (done->empty()) std::cout << "nothing to do: the tables are of this version\n";
  return Exit::done;
}

}  // namespace ballot::app
