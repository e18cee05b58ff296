// ballot token new NAME --role ROLE: a token for the API, and the line by which a daemon knows it.
#include <iostream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/options/options.hpp"
#include "http/token_file.hpp"
#include "http/tokens.hpp"

namespace ballot::app {
namespace {

struct TokenOptions {
  ConfigOptions config;
  std::string name;
  std::optional<std::string> file;  // that the line is added to
  io::Role role = io::Role::none;
};

Exit make_token(const TokenOptions& options) {
  const auto token = web::new_token();
  if (!token) return fail("token new", token.error());
  const std::string line = web::token_line(options.name, options.role, *token);
  if (options.file) {
    if (const auto added = web::add_token(*options.file, line); !added) return fail("token new", added.error());
    std::cout << *token << '\n';
    std::cerr << "This is the token, which is shown this once; its line was added to " << *options.file << ".\n";
    return Exit::done;
  }
  std::cout << *token << '\n' << line << '\n';
  std::cerr
      << "The first line is the token, which is shown this once; the second belongs into the file that `tokens` of "
         "[http] in ballot.toml names.\n";
  return Exit::done;
}

}  // namespace

Run setup_token(CLI::App& command) {
  auto options = std::make_shared<TokenOptions>();
  require_one_subcommand(command);
  CLI::App& made = add_subcommand(command, "new", "makes a token, and shows it once");
  add_config_options(made, options->config);
  add_value(
      made, "NAME", "who it is for, as logs and history name it",
      [to = options.get()](const std::string& text) {
        if (!web::is_token_name(text))
          return std::string("must be 1 to 64 letters, digits, '_', '-' and '.', beginning with a letter or digit");
        return to->name = text, std::string();
      },
      Need::required);
  add_value(
      made, "--role ROLE", "viewer, operator or admin",
      [to = options.get()](const std::string& text) {
        return take(parse_word<io::Role>(text, io::parse_role, {"viewer", "operator", "admin"}), to->role);
      },
      Need::required);
  add_string(made, "--append FILE", options->file, "add its line to the file of tokens");
  return [options] { return make_token(*options); };
}

}  // namespace ballot::app
