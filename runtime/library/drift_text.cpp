#include "library/drift_text.hpp"

#include <algorithm>
#include <vector>

namespace ballot::library {
namespace {

std::string listed(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : ", ") + one;
  return text;
}

bool has_node(const std::vector<std::string>& nodes, const std::string& node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

std::string text_of(const core::DriftView& drift, const std::string& whose, const std::string& from) {
  return drift_of(drift.group) + whose + " differ from " + from +
         (drift.jobs.empty() ? "" : " (as far as is known: " + listed(drift.jobs) + ")");
}

}  // namespace

std::string drift_of(std::string_view group) { return "drift: group " + std::string(group) + ": "; }

std::optional<std::string> drift_of_node(const core::DriftView& drift, const std::string& node,
                                         const std::string& self) {
  const bool has_most = !drift.odd.empty(), is_alike = has_node(drift.alike, node);
  if (has_most ? !has_node(drift.odd, node) : !is_alike && !has_node(drift.differing, node)) return std::nullopt;
  return text_of(drift, "its job files",
                 has_most   ? "most nodes'"
                 : is_alike ? "those of " + listed(drift.differing)
                            : "those of " + self);
}

std::string drift_of_status(const core::DriftView& drift, const std::string& self) {
  if (drift.odd.empty()) return text_of(drift, "this node's job files", "those of " + listed(drift.differing));
  if (!has_node(drift.odd, self)) return text_of(drift, "the job files of " + listed(drift.odd), "most nodes'");
  return text_of(drift, "this node's job files", "most nodes'");
}

}  // namespace ballot::library
