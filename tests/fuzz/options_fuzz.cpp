// Values of the backends' tables: as a text, and as a list of its lines.
#include <algorithm>

#include "consul/settings.hpp"
#include "etcd/settings.hpp"
#include "harness.hpp"
#include "nats/settings.hpp"
#include "support/options.hpp"
#include "zookeeper/settings.hpp"

namespace ballot::fuzz::options_harness {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Where every key has the value, those that take it.
template <std::size_t count>
Options table_of(const OptionKey (&keys)[count], const OptionValue& value) {
  Options options;
  for (const OptionKey& key : keys)
    if (key.problem(value).empty()) options[key.name] = value;
  return options;
}

void look_at_hosts(const OptionValue& value) {
  const support::HostList hosts = support::read_hosts(value, "2181");
  if (!hosts.problem.empty()) return;
  require(!hosts.hosts.empty(), "a list without a problem names a server");
  const support::HostList again = support::read_hosts(hosts.text() + hosts.path, "1");
  require(again.problem.empty() && again.hosts == hosts.hosts && again.path == hosts.path,
          "servers that are written are read as the same", hosts.text() + hosts.path);
  for (const std::string& host : hosts.hosts) {
    const http::Endpoint endpoint = http::endpoint_of(host);
    require(!endpoint.host.empty() && !endpoint.port.empty(), "a server has a host and a port", host);
  }
}

void look_at_value(const OptionValue& value) {
  look_at_hosts(value);
  if (const auto duration = support::read_duration(value, Millis(60'000)))
    require(*duration > Millis(0) && *duration <= Millis(60'000), "a duration is within its bounds");
  const support::NamedFile named = support::read_named_file(value);
  require(named.name.empty() == named.file.empty(), "a file has its name");
  zookeeper::read_settings(table_of(zookeeper::table_keys, value));
  const Options nats = table_of(nats::table_keys, value);
  nats::table_conflicts(nats);
  require(static_cast<bool>(nats::read_settings(nats, "test")), "a table without a problem can be read");
  const Options etcd = table_of(etcd::table_keys, value);
  etcd::table_conflicts(etcd);
  etcd::read_settings(etcd);
  const Options consul = table_of(consul::table_keys, value);
  consul::table_conflicts(consul);
  consul::read_settings(consul);
  consul::group_settings(table_of(consul::group_keys, value));
}

}  // namespace

BALLOT_FUZZ(options) {
  look_at_value(std::string(input));
  look_at_value(lines_of(input));
}

}  // namespace ballot::fuzz::options_harness
