#include "settings.hpp"

#include "support/options.hpp"
#include "support/secret_file.hpp"

namespace redis {

using namespace ballot;

namespace {

constexpr const char *default_server = "127.0.0.1:6379", *default_port = "6379", *default_prefix = "ballot";

std::string server_problem(const OptionValue& value) noexcept {
  const support::HostList hosts = support::read_hosts(value, default_port);
  if (!hosts.problem.empty()) return "server: " + hosts.problem;
  if (hosts.hosts.size() > 1) return "server: there is one: a second one would not have the same keys";
  return hosts.path.empty() ? "" : "server: there is no path in its address: set prefix";
}

std::string auth_problem(const OptionValue& value) noexcept {
  return !support::read_named_file(value).name.empty()
             ? ""
             : "auth must be \"USER:FILE\", where FILE is the path of a file with the password";
}

}  // namespace

const OptionKey table_keys[3] = {
    {"server", server_problem, OptionType::text, "HOST or HOST:PORT", OptionFlag::listed},
    {"auth", auth_problem, OptionType::text, "USER:FILE"},
    {"prefix", support::prefix_problem, OptionType::text, "what all keys begin with"},
};

Result<Settings> read_settings(const Options& options, const std::string& name_space) {
  const std::string given = support::text_at(options, "server"), prefix = support::text_at(options, "prefix");
  const support::NamedFile auth = support::named_file_at(options, "auth");
  const auto password = support::secret_of("redis", "auth", auth.file);
  if (!password) return password.error();
  const std::string host = support::read_hosts(given.empty() ? default_server : given, default_port).hosts.front();
  const std::size_t colon = host.rfind(':');
  Settings settings{{host.substr(0, colon), std::stoi(host.substr(colon + 1)), auth.name, *password},
                    (prefix.empty() ? default_prefix : prefix) + "/" + name_space + "/"};
  std::string& name = settings.server.host;
  if (name.front() == '[') name = name.substr(1, name.size() - 2);
  return settings;
}

}  // namespace redis
