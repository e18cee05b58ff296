#include "support/queue_store.hpp"

#include <utility>

namespace ballot::support {

void remove_entries(QueueStore& store, const std::string& session,
                    std::function<bool(const std::string& group)> is_stray) {
  store.groups([&store, session, is_stray = std::move(is_stray)](const Step&, const QueueStore::Names& groups) {
    for (const std::string& group : groups) {
      if (!is_stray(group)) continue;
      const auto listed = [&store, session, is_stray, group](const Step&, const std::vector<QueueStore::Entry>& entries,
                                                             const std::int64_t&) {
        for (const QueueStore::Entry& one : entries)
          if (one.session == session && is_stray(group)) store.remove(group, one.name);
      };
      store.list(group, Priority::normal, listed);
    }
  });
}

}  // namespace ballot::support
