#include "support/queue_place.hpp"

namespace ballot::support {

QueuePlace find_place(const std::vector<QueueStore::Entry>& entries, const std::string& session,
                      const std::string& known) {
  QueuePlace place;
  for (const QueueStore::Entry& one : entries)
    if (one.session == session && (place.own.empty() || one.name == known)) place.own = one.name;
  bool before = true;
  for (const QueueStore::Entry& one : entries) {
    if (one.name == place.own) before = false;
    if (one.session == session) {
      if (one.name != place.own) place.strays.push_back(one.name);
    } else if (before) {
      place.ahead = one;
      ++place.all_ahead;
    }
  }
  return place;
}

}  // namespace ballot::support
