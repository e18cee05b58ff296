// ballot store export | import | check FILE, reopen: a namespace moves from one store to another.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/client/ask.hpp"
#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/options/options.hpp"
#include "app/store/store_commands.hpp"
#include "base/utf8.hpp"

namespace ballot::app {
namespace {

constexpr std::size_t longest_place = 200;

struct StoreOptions {
  ConfigOptions config;
  std::string file, to;
  std::optional<std::string> from;
  bool force = false, import_undone = false, old_store_is_gone = false;
  Patience patience{std::chrono::minutes(2), false};
};

std::string take_place(const std::string& text, std::string& to) {
  if (text.empty() || text.size() > longest_place) return "must have 1 to " + std::to_string(longest_place) + " bytes";
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0 || is_display_control(utf8_character(rest, length))) return "must be one line of plain text";
    rest.remove_prefix(length);
  }
  to = text;
  return {};
}

/// The old store knows itself that its copy was imported with --from; of other imports it knows nothing.
Result<void> ask_whether_imported() {
  if (::isatty(STDIN_FILENO) == 0)
    return Error{
        Errc::conflict,
        "not confirmed: a copy of this namespace was made, and whether it was imported without this store being "
        "told is not known here. Where it was not: --force"};
  std::cerr << "If the copy of this namespace was imported, its slots run twice. Use the namespace again? [y/N] "
            << std::flush;
  std::string answer;
  const bool is_yes = std::getline(std::cin, answer) && (answer == "y" || answer == "Y" || answer == "yes");
  return is_yes ? Result<void>() : Error{Errc::conflict, "not confirmed: nothing was changed"};
}

template <class Work>
Exit with_config(const StoreOptions& options, const Work& work) {
  const auto config = load_backend_config(options.config, config::NamespaceRule::must_be_set);
  return config ? work(*config) : Exit::configuration;
}

Exit reopen(const StoreOptions& options) {
  const bool asks_nobody = options.force;
  return with_config(options, [&](const config::Config& config) {
    return reopen_store(config, {options.import_undone, options.patience.time,
                                 [asks_nobody] { return asks_nobody ? Result<void>() : ask_whether_imported(); }});
  });
}

/// The old store is named by its own file alone.
Exit import_copy(const StoreOptions& options) {
  ImportRequest request{options.file, {}, options.patience.time};
  if (options.from.has_value() == options.old_store_is_gone)
    return fail(
        "store import",
        {Errc::invalid,
         options.from ? "--from and --old-store-is-gone exclude each other"
                      : "--from OLD, the old ballot.toml, is missing: the old store is asked whether this copy was "
                        "imported before, and told that it is now, as two imports of a copy would be two fleets "
                        "with the same jobs. Where there is no old store any more: --old-store-is-gone"});
  if (options.from) {
    request.from = load_backend_config({options.from, {}}, config::NamespaceRule::must_be_set);
    if (!request.from) return Exit::configuration;
  }
  return with_config(options, [&](const config::Config& config) { return import_store(config, request); });
}

CLI::App& add(CLI::App& command, const Words& words, const std::shared_ptr<StoreOptions>& options, const char* name,
              const char* summary) {
  CLI::App& sub = add_subcommand(command, name, summary);
  add_config_options(sub, options->config);
  add_coordination_options(sub, options->config, words);
  return sub;
}

}  // namespace

Run setup_store(CLI::App& command, const Words& words) {
  auto options = std::make_shared<StoreOptions>();
  require_one_subcommand(command);
  CLI::App& exported = add(command, words, options, "export", "hold all daemons, copy, mark as moved");
  add_string(exported, "FILE", options->file, "where the copy goes; nothing may be there", Need::required);
  add_value(exported, "--to TEXT", "where the namespace goes, as people name it",
            [options](const std::string& text) { return take_place(text, options->to); });
  add_timeout_option(exported, options->patience);
  CLI::App& imported = add(command, words, options, "import", "fill an empty namespace with a copy");
  add_string(imported, "FILE", options->file, "the copy", Need::required);
  add_string(imported, "--from OLD", options->from, "the old ballot.toml: that store is asked, and told");
  add_switch(imported, "--old-store-is-gone", options->old_store_is_gone, "nobody can be asked");
  add_timeout_option(imported, options->patience);
  CLI::App& checked = add(command, words, options, "check", "compare a copy with the namespace");
  add_string(checked, "FILE", options->file, "the copy", Need::required);
  CLI::App& reopened = add(command, words, options, "reopen", "give a move up whose copy was not imported");
  add_switch(reopened, "--force", options->force, "ask nobody");
  add_switch(reopened, "--import-undone", options->import_undone, "the namespace with the copy was removed");
  add_timeout_option(reopened, options->patience);
  return [options, &exported, &imported, &checked] {
    if (is_chosen(exported))
      return with_config(*options, [&](const config::Config& config) {
        return export_store(config, {options->file, options->to, options->patience.time});
      });
    if (is_chosen(imported)) return import_copy(*options);
    if (is_chosen(checked))
      return with_config(*options, [&](const config::Config& config) { return check_store(config, options->file); });
    return reopen(*options);
  };
}

}  // namespace ballot::app
