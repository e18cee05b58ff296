#include "storage/definition_merge.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ballot::storage {
namespace {

using RowsOf = std::map<DefinitionKey, std::vector<const BegunDefinition*>>;

bool has_written(const DefinitionRow& row) { return row.basis != Basis::taken_over; }

auto order_of(const BegunDefinition* one) { return std::tuple(one->row.from, one->row.epoch, position_of(*one)); }

/// Oldest first.
RowsOf sorted(const std::vector<BegunDefinition>& rows) {
  RowsOf all;
  for (const BegunDefinition& one : rows) all[{one.row.job, one.row.digest}].push_back(&one);
  for (auto& [key, list] : all)
    std::sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return order_of(a) < order_of(b); });
  return all;
}

const std::vector<const BegunDefinition*>& rows_of(const RowsOf& rows, const DefinitionKey& key) {
  static const std::vector<const BegunDefinition*> none;
  const auto found = rows.find(key);
  return found == rows.end() ? none : found->second;
}

/// A ledger has the same definition from before, and after what this one's ledger had.
bool goes_on(const BegunDefinition& one, const std::vector<const BegunDefinition*>& same) {
  if (has_written(one.row)) return false;
  return std::any_of(same.begin(), same.end(), [&](const BegunDefinition* other) {
    return order_of(other) < order_of(&one) && other->row.from >= one.before_from.value_or(WallTime::min());
  });
}

/// Up to the next beginning of the same definition.
std::vector<std::string> nodes_of(const BegunDefinition& begun, const std::vector<const BegunDefinition*>& same) {
  std::vector<std::string> nodes{begun.row.node};
  for (const BegunDefinition* other : same) {
    if (order_of(other) <= order_of(&begun)) continue;
    if (has_written(other->row)) break;
    if (std::find(nodes.begin(), nodes.end(), other->row.node) == nodes.end()) nodes.push_back(other->row.node);
  }
  return nodes;
}

/// Best one that has all keys, and of those the last.
std::optional<DefinitionRow> best_of(const std::vector<const BegunDefinition*>& same) {
  const BegunDefinition* best = nullptr;
  for (const BegunDefinition* one : same)
    if (!best || has_all_keys(one->row) || !has_all_keys(best->row)) best = one;
  return best ? std::optional(best->row) : std::nullopt;
}

}  // namespace

bool has_all_keys(const DefinitionRow& row) {
  const DefinitionRow unknown;
  const auto policy = [](const DefinitionRow& of) {
    return std::tuple(of.enabled, of.jitter, of.start_deadline, of.concurrency, of.retries, of.at_least_once,
                      of.reruns);
  };
  return has_written(row) || policy(row) != policy(unknown);
}

std::vector<DefinitionKey> keys_of(const std::vector<BegunDefinition>& page) {
  std::set<DefinitionKey> keys;
  for (const BegunDefinition& one : page) {
    keys.insert({one.row.job, one.row.digest});
    if (one.before && !one.before->empty()) keys.insert({one.row.job, *one.before});
  }
  return {keys.begin(), keys.end()};
}

std::vector<DefinitionChange> definition_changes(const std::vector<BegunDefinition>& page,
                                                 const std::vector<BegunDefinition>& rows) {
  const RowsOf all = sorted(rows);
  std::vector<DefinitionChange> changes;
  for (const BegunDefinition& one : page) {
    const auto& same = rows_of(all, {one.row.job, one.row.digest});
    if (goes_on(one, same)) continue;
    DefinitionChange change{one.row, nodes_of(one, same)};
    change.before = one.before.value_or("");
    change.is_at_latest = !has_written(one.row);
    change.is_first = one.before ? one.before->empty() : one.row.basis == Basis::created;
    if (!has_all_keys(one.row)) {
      const auto known = best_of(same);
      const WallTime from = one.row.from;
      if (known && has_all_keys(*known)) change.row = *known, change.row.from = from;
    }
    if (!change.before.empty()) change.replaced = best_of(rows_of(all, {one.row.job, change.before}));
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace ballot::storage
