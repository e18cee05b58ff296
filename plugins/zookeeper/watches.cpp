#include "watches.hpp"

#include <utility>

namespace ballot::zookeeper {

void Watches::add(const std::string& prefix) {
  prefixes_.insert(prefix);
  const char letter = prefix.empty() ? '\0' : prefix[0];
  if (!armed_.contains(letter)) return arm(letter);
  context_.post(backend::Changed{prefix});
}

void Watches::arm(char letter) {
  armed_.insert(letter);
  const std::string path = letter == 0 ? context_.paths.registers() : context_.paths.letter(letter);
  const auto failed = [this, letter](int rc) {
    if (rc == ZOK || rc == ZNONODE) return false;
    failed_.insert(letter);
    return true;
  };
  if (letter != 0)
    context_.client.get(path, Watch::yes, [this, letter, failed](const Reply& reply) {
      if (!failed(reply.rc) && reply.rc == ZNONODE) absent_.insert(letter);
    });
  context_.client.children(path, Watch::yes, [this, letter, path, failed](const Reply& reply) {
    const bool half = absent_.erase(letter) > 0;
    if (failed(reply.rc)) return;
    if (reply.rc == ZOK) {
      if (half) return arm(letter);  // made between the two requests: its value is not watched yet
      if (letter == 0)
        for (const std::string& one : reply.names)
          if (!armed_.contains(one[0])) arm(one[0]);
      return post_changed(letter);
    }
    // Nothing is there: until it is made.
    context_.client.exists(path, Watch::yes, [this, letter, failed](const Reply& found) {
      if (failed(found.rc)) return;
      found.rc == ZOK ? arm(letter) : post_changed(letter);
    });
  });
}

void Watches::post_changed(char letter) {
  for (const std::string& prefix : prefixes_)
    if (prefix.empty() || prefix[0] == letter) context_.post(backend::Changed{prefix});
}

void Watches::on_watch(char letter) {
  if (armed_.contains(letter)) arm(letter);
}

void Watches::on_connected() {
  for (const char letter : std::exchange(failed_, {})) arm(letter);
  for (const std::string& prefix : prefixes_) context_.post(backend::Changed{prefix});
}

}  // namespace ballot::zookeeper
