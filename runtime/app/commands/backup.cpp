// ballot backup FILE: a copy of the ledger, whether or not a daemon writes it.
#include <iostream>
#include <memory>

#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/options/options.hpp"
#include "app/print/escape.hpp"
#include "storage/reader.hpp"

namespace ballot::app {
namespace {

struct BackupOptions {
  ConfigOptions config;
  std::string file;
};

Exit run(const BackupOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  flush_ledger(*config);
  auto ledger = storage::Reader::open(config->history.path);
  if (!ledger) return fail("backup", ledger.error());
  const auto bytes = ledger->back_up(options.file);
  if (!bytes) return fail("backup", bytes.error());
  std::cout << escaped(options.file, Escape::plain) << ": " << *bytes << " bytes\n";
  return Exit::done;
}

}  // namespace

Run setup_backup(CLI::App& command) {
  auto options = std::make_shared<BackupOptions>();
  add_config_options(command, options->config);
  add_string(command, "FILE", options->file, "where the copy goes; nothing may be there", Need::required);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
