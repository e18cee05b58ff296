// ballot output RUN: what a run printed, byte for byte.
#include <iostream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/ledger_access.hpp"
#include "app/options.hpp"

namespace ballot::app {
namespace {

struct OutputOptions {
  ConfigOptions config;
  std::string run;
  std::optional<std::int64_t> attempt;
};

void print(const Output& output) {
  std::cout << output.head;
  if (output.left_out() > 0) {
    if (!output.head.empty() && output.head.back() != '\n') std::cout << '\n';
    std::cout << "[ballot: " << output.left_out() << " bytes left out]\n";
  }
  std::cout << output.tail;
}

Exit run(const OutputOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  auto ledger = open_ledger(*config);
  if (!ledger) return fail("output", ledger.error());
  const auto run = find_run(*ledger, options.run);
  if (!run) return fail("output", run.error());
  std::optional<int> attempt;
  if (options.attempt) attempt = static_cast<int>(std::min<std::int64_t>(*options.attempt, INT_MAX));
  const auto output = ledger->output(*run, attempt);
  if (!output) return fail("output", output.error());
  print(*output);
  return Exit::done;
}

}  // namespace

Run setup_output(CLI::App& command) {
  auto options = std::make_shared<OutputOptions>();
  add_config_options(command, options->config);
  add_string(command, "RUN", options->run, "a run id, or its last 6 or more digits", Need::required);
  add_value(command, "--attempt", "which attempt; default: the last",
            [to = options.get()](const std::string& text) { return take(parse_number(text, 1), to->attempt); });
  return [options] { return run(*options); };
}

}  // namespace ballot::app
