#include "support/machine/prefix_watches.hpp"

#include <algorithm>
#include <utility>

#include "support/machine/write_lock.hpp"

namespace ballot::support {

namespace {

std::string letters_of(const std::string& prefix) {
  return prefix.empty() ? "abcdefghijklmnopqrstuvwxyz" : prefix.substr(0, 1);
}

}  // namespace

bool PrefixWatches::add(const std::string& prefix) {
  for (const char letter : letters_of(prefix)) notifier_.listen(std::string(1, letter));
  prefixes_.insert(prefix);
  return !lossy();
}

bool PrefixWatches::add_elections() {
  notifier_.listen(elections);
  return !lossy();
}

void PrefixWatches::notify(const std::set<char>& letters) const noexcept {
  for (const char letter : letters) notifier_.notify(std::string(1, letter));
}

bool PrefixWatches::take_changes(const std::function<bool(int)>& wait, Events& events) {
  const std::set<std::string> topics = notifier_.changed();
  // Notified before the commit: whoever reads before it would see nothing.
  for (int tries = 0; !topics.empty() && WriteLock::holder(lock_); ++tries) {
    if (wait(tries)) continue;
    unsettled_.insert(topics.begin(), topics.end());
    break;
  }
  add_changed(topics, events);
  return topics.contains(elections);
}

void PrefixWatches::settle(Events& events) {
  if (!unsettled_.empty() && !WriteLock::holder(lock_)) add_changed(std::exchange(unsettled_, {}), events);
}

void PrefixWatches::add_all(Events& events) const {
  for (const std::string& prefix : prefixes_) events.emplace_back(backend::Changed{prefix});
}

void PrefixWatches::add_changed(const std::set<std::string>& topics, Events& events) const {
  for (const std::string& prefix : prefixes_) {
    const std::string letters = letters_of(prefix);
    const auto has_changed = [&](char letter) { return topics.contains(std::string(1, letter)); };
    if (std::any_of(letters.begin(), letters.end(), has_changed)) events.emplace_back(backend::Changed{prefix});
  }
}

}  // namespace ballot::support
