#include "config/backend_table.hpp"

#include <utility>

namespace ballot::config {
namespace {

/// Puts the value into `option` as a plugin gets it. False, and a finding, where there is no such type.
bool take_option(const Value& value, OptionValue& option) {
  const toml::node& node = value.node();
  if (const auto* const flag = node.as_boolean()) return option = flag->get(), true;
  if (const auto* const number = node.as_integer()) return option = std::int64_t{number->get()}, true;
  if (node.is_array()) {
    auto texts = value.strings();
    if (texts) option = std::move(*texts);
    return texts.has_value();
  }
  if (!node.is_string()) {
    value.error("must be a string, an integer, true or false, or a list of strings");
    return false;
  }
  const auto text = value.string();
  if (text) option = std::string(*text);
  return text.has_value();
}

}  // namespace

void read_backend_table(const Value& value, BackendTable& table) {
  const toml::table* const entries = value.table();
  if (entries == nullptr) return;
  table.position = value.position();
  for (auto&& [key, node] : *entries) {
    const Value entry(key.str(), node, value.findings());
    OptionValue option;
    if (!take_option(entry, option)) continue;
    table.options.insert_or_assign(std::string(key.str()), std::move(option));
    table.positions.insert_or_assign(std::string(key.str()), entry.position());
  }
}

}  // namespace ballot::config
