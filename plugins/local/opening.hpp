// Opening: how a session of a namespace is opened: what must be so of its folder and files, and of the daemons that
// were there before. Knows nothing of what the session does then. One thread.
//
//   auto store = open_store(opening);
//   auto entry = enter(**store, opening);         // throws DbError
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "store.hpp"

namespace ballot::local {

/// Of a session that could not be opened.
Cause cause_of(const Error& error);

/// Whether somebody but root and this user could change the store in `folder`, or has laid something in its place. What
/// is missing is trusted; nothing is made. Error: refused.
Result<void> check_trust(const std::string& folder);

/// Errors: conflict (a daemon of this node's name lives), refused, corrupt, unavailable, io; all say what to do.
/// not_found: there is no store, and an observer makes none. Throws DbError.
Result<std::unique_ptr<Store>> open_store(Opening opening);

enum class Role {
  member,
  observer,  // bears no node's name, and takes part in nothing
  deputy     // of a dead daemon: leaves on its behalf
};

/// A session of the store.
struct Entry {
  Role role = Role::observer;
  FolderSession session = {};                         // an observer has none: its id is 0
  std::map<std::int64_t, SteadyTime> resumable = {};  // sessions of this node's last daemon, with their deadlines
  std::uint64_t revision = 0;                         // of the store
};

/// Errors as open_store(). Throws DbError.
Result<Entry> enter(Store& store, const Opening& opening);

/// For SessionRequest::handle: of a session of this store.
std::string handle_of(const FolderSession& session, Store& store);

}  // namespace ballot::local
