#include "config/group_keys.hpp"

#include "config/key_table.hpp"
#include "config/no_effect.hpp"

namespace ballot::config {
namespace {

template <auto Member>
constexpr Key<Group> group_row(std::string_view name, void (*read)(const Value&, Group&)) {
  return row<Group, Member>(name, read, !lists(group_keys_without_effect, name));
}

constexpr Key<Group> consul_keys[] = {
    group_row<&Group::consul_lock_delay>("lock_delay", as_duration<&Group::consul_lock_delay, 0, 60'000>),
    group_row<&Group::consul_primary_tag>("primary_tag", as_string<&Group::consul_primary_tag>),
    group_row<&Group::consul_service>("service", as_string<&Group::consul_service>),
    group_row<&Group::consul_service_checks>("service_checks", as_strings<&Group::consul_service_checks>),
};
static_assert(is_sorted(consul_keys));

void read_consul(const Value& value, Group& group) {
  if (const toml::table* const table = value.table()) read_table(*table, consul_keys, group, value.findings());
}

void read_candidates(const Value& value, Group& group) {
  auto patterns = value.strings();
  if (!patterns) return;
  for (const std::string& pattern : *patterns)
    if (pattern.empty()) return value.error("holds an empty pattern, which no node matches; \"*\" matches all");
  group.candidates = std::move(*patterns);
}

void read_preferred(const Value& value, Group& group) {
  auto nodes = value.strings();
  if (!nodes) return;
  for (const std::string& node : *nodes)
    if (!is_node_name(node)) return value.error("holds " + in_quotes(node) + ", which is no name of a node");
  group.preferred = std::move(*nodes);
}

constexpr Key<Group> group_keys[] = {
    group_row<&Group::candidates>("candidates", read_candidates),
    plain_row<Group>("consul", read_consul),
    group_row<&Group::hook_timeout>("hook_timeout", as_duration<&Group::hook_timeout, 1>),
    group_row<&Group::max_running>("max_running", as_integer<&Group::max_running, 0, 1'000'000>),
    group_row<&Group::on_demote>("on_demote", as_hook<&Group::on_demote>),
    group_row<&Group::on_promote>("on_promote", as_hook<&Group::on_promote>),
    group_row<&Group::preferred>("preferred", read_preferred),
    group_row<&Group::state_file>("state_file", as_path<&Group::state_file>),
};
static_assert(is_sorted(group_keys));

}  // namespace

void read_groups(const Value& value, std::vector<PlacedGroup>& groups) {
  const toml::table* const tables = value.table();
  if (tables == nullptr) return;
  for (auto&& [key, node] : *tables) {
    const Position at = position_of(key.source());
    if (!is_name(key.str())) {
      value.findings().error(at, in_quotes(key.str()) +
                                     " is no name of a group: 1 to 64 letters, digits, '_' and '-', "
                                     "beginning with a letter or digit");
      continue;
    }
    const toml::table* const table = Value(key.str(), node, value.findings()).table();
    if (table == nullptr) continue;
    PlacedGroup placed{{}, at};
    placed.group.name = key.str();
    read_table(*table, group_keys, placed.group, value.findings());
    groups.push_back(std::move(placed));
  }
}

}  // namespace ballot::config
