#include "config/group_keys.hpp"

#include "config/backend_table.hpp"
#include "config/key_table.hpp"

namespace ballot::config {
namespace {

template <auto Member>
constexpr Key<Group> group_row(std::string_view name, void (*read)(const Value&, Group&)) {
  return row<Group, Member>(name, read);
}

void read_candidates(const Value& value, Group& group) {
  auto patterns = value.strings();
  if (!patterns) return;
  for (const std::string& pattern : *patterns)
    if (pattern.empty()) return value.error("contains an empty pattern, which no node matches; \"*\" matches all");
  group.candidates = std::move(*patterns);
}

void read_preferred(const Value& value, Group& group) {
  auto nodes = value.strings();
  if (!nodes) return;
  for (const std::string& node : *nodes)
    if (!is_node_name(node)) return value.error("contains " + in_quotes(node) + ", which is not a valid node name");
  group.preferred = std::move(*nodes);
}

constexpr Key<Group> group_keys[] = {
    group_row<&Group::candidates>("candidates", read_candidates),
    group_row<&Group::hook_timeout>("hook_timeout", as_duration<&Group::hook_timeout, 1>),
    group_row<&Group::max_running>("max_running", as_integer<&Group::max_running, 0, 1'000'000>),
    group_row<&Group::on_demote>("on_demote", as_hook<&Group::on_demote>),
    group_row<&Group::on_promote>("on_promote", as_hook<&Group::on_promote>),
    group_row<&Group::preferred>("preferred", read_preferred),
    group_row<&Group::state_file>("state_file", as_path<&Group::state_file>),
};
static_assert(is_sorted(group_keys));

/// The keys of one backend: its plugin says what they mean.
void read_group_table(const Value& value, PlacedGroup& placed) {
  const std::string backend(value.key());
  BackendTable& table = placed.tables[backend];
  read_backend_table(value, table);
  placed.group.options[backend] = table.options;
}

void read_group(const toml::table& table, const Backends& known, PlacedGroup& placed, Findings& findings) {
  const std::span<const Key<Group>> keys(group_keys);
  for (auto&& [key, node] : table) {
    const bool is_backend = find_key(key.str(), keys) == nullptr && known.contains(key.str());
    if (is_backend)
      read_group_table(Value(key.str(), node, findings), placed);
    else
      read_entry(key, node, keys, placed.group, findings);
  }
}

}  // namespace

void read_groups(const Value& value, const Backends& known, std::vector<PlacedGroup>& groups) {
  const toml::table* const tables = value.table();
  if (tables == nullptr) return;
  for (auto&& [key, node] : *tables) {
    const Position at = position_of(key.source());
    if (!is_name(key.str())) {
      value.findings().error(at, in_quotes(key.str()) +
                                     " is not a valid group name: 1 to 64 letters, digits, '_' and '-', "
                                     "beginning with a letter or digit");
      continue;
    }
    const toml::table* const table = Value(key.str(), node, value.findings()).table();
    if (table == nullptr) continue;
    PlacedGroup placed{{}, at, {}};
    placed.group.name = key.str();
    read_group(*table, known, placed, value.findings());
    groups.push_back(std::move(placed));
  }
}

void check_group_tables(const Backends& known, const std::vector<PlacedGroup>& groups, Findings findings) {
  for (const auto& [group, position, tables] : groups)
    for (const auto& [backend, table] : tables) {
      const auto plugin = known.find(backend);
      if (plugin == known.end() || plugin->second == nullptr) continue;
      for (const OptionProblem& problem : check_group_table(table.options, plugin->second->traits))
        findings.error(position_of(problem, table), "[group." + group.name + "." + backend + "] " + problem.text);
    }
}

void check_group_hooks(const std::vector<PlacedGroup>& groups, std::uint32_t daemon, Programs& programs,
                       Findings findings) {
  if (daemon != 0) return;
  for (const auto& [group, position, tables] : groups)
    for (const std::vector<std::string>* const hook : {&group.on_promote, &group.on_demote}) {
      const std::string fault = hook->empty() ? "" : programs.at(hook->front()).writable_by_others;
      if (!fault.empty())
        findings.warning(position,
                         "group " + in_quotes(group.name) + ": root executes what others may replace: " + fault);
    }
}

}  // namespace ballot::config
