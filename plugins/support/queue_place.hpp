// QueuePlace: a session's place in the queue of a group, as it was listed. Pure.
//
//   const QueuePlace place = find_place(entries, session, entry);   ... if (!place.ahead) it is next to lead
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "support/queue_store.hpp"

namespace ballot::support {

struct QueuePlace {
  std::string own;                              // the session's entry; "": it has none
  std::vector<std::string> strays = {};         // its other ones, made when an answer was lost
  std::optional<QueueStore::Entry> ahead = {};  // the last one before it that is another's
  std::size_t all_ahead = 0;                    // so many are

  /// The session's own entry becomes a stray: it counts no more.
  void give_up() {
    if (!own.empty()) strays.push_back(own);
    own.clear();
  }
};

/// `known`: the session's entry where it is known; else the first of its entries is.
QueuePlace find_place(const std::vector<QueueStore::Entry>& entries, const std::string& session,
                      const std::string& known);

}  // namespace ballot::support
