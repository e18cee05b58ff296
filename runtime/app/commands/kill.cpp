// ballot kill RUN: ends a run, wherever it is executed. ballot forget RUN: closes one whose node will not come back.
#include <memory>

#include "app/ask.hpp"
#include "app/commands/commands.hpp"

namespace ballot::app {
namespace {

struct KillOptions {
  ConfigOptions config;
  std::string run;
  Patience patience;
};

Run setup_end(const char* what, CLI::App& command) {
  auto options = std::make_shared<KillOptions>();
  add_config_options(command, options->config);
  add_value(
      command, "RUN", "a run id, or its last 6 or more digits",
      [to = options.get()](const std::string& text) {
        to->run = text;
        return check_run_suffix(text);
      },
      Need::required);
  add_timeout_option(command, options->patience);
  return [options, what] {
    io::Message request;
    request.set("do", what).set("run", options->run);
    return ask_daemon(what, options->config, std::move(request), options->patience);
  };
}

}  // namespace

Run setup_kill(CLI::App& command) { return setup_end("kill", command); }
Run setup_forget(CLI::App& command) { return setup_end("forget", command); }

}  // namespace ballot::app
