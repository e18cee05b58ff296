#include "support/keys/key_tidy.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ballot::support {

void KeyTidy::tick(SteadyTime now) {
  if (!at_ || now < *at_) return;
  at_.reset();
  if (!view_.complete() || view_.terms().size() > most_groups) return;
  context_.store.list(KeyNames::members, [this](const KeyRead& read) { check_members(read); });
  context_.store.list(KeyNames::candidates, [this](const KeyRead& read) { check_candidates(read); });
}

/// One whose group's last term did not end cleanly is asked for by whoever leads next.
void KeyTidy::check_members(const KeyRead& read) {
  std::set<std::string> named;
  for (const auto& [group, term] : view_.terms()) {
    if (!term.record.clean) named.insert(term.record.node);
    for (const SessionOf& one : term.record.before) named.insert(one.node);
  }
  std::vector<KeyChange> changes;
  for (const KeyEntry& entry : read.entries) {
    const std::string node = entry.key.substr(std::string_view(KeyNames::members).size());
    if (!named.contains(node) && !view_.sessions().contains(node))
      changes.push_back({entry.key, std::nullopt, entry.version, true});
  }
  remove(std::move(changes));
}

void KeyTidy::check_candidates(const KeyRead& read) {
  std::vector<KeyChange> changes;
  for (const KeyEntry& entry : read.entries) {
    const std::string node = entry.key.substr(entry.key.rfind('/') + 1);
    if (!view_.sessions().contains(node)) changes.push_back({entry.key, std::nullopt, entry.version, true});
  }
  remove(std::move(changes));
}

/// One that has come back meanwhile has another version.
void KeyTidy::remove(std::vector<KeyChange> changes) {
  if (changes.size() > most_removed) changes.resize(most_removed);
  if (!changes.empty()) context_.store.commit(std::move(changes), [](const std::vector<KeyAnswer>&) {});
}

}  // namespace ballot::support
