// ballot kill RUN: ends a run, wherever it is executed. ballot forget RUN: closes one whose node will not come back.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/ask.hpp"
#include "app/commands/commands.hpp"

namespace ballot::app {
namespace {

struct Options {
  ConfigOptions config;
  std::string run;
  Patience patience;
};

Run setup(const char* what, CLI::App& command) {
  auto options = std::make_shared<Options>();
  add_config_options(command, options->config);
  add_value(command, "RUN", "a run id, or its last 6 or more digits", [to = options.get()](const std::string& text) {
    to->run = text;
    return check_run_suffix(text);
  })->required();
  add_timeout_option(command, options->patience);
  return [options, what] {
    io::Message request;
    request.set("do", what).set("run", options->run);
    return ask_daemon(what, options->config, std::move(request), options->patience);
  };
}

}  // namespace

Run setup_kill(CLI::App& command) { return setup("kill", command); }
Run setup_forget(CLI::App& command) { return setup("forget", command); }

}  // namespace ballot::app
