// A session of ZooKeeper as text, for a Handle, and back: its id and its password, in hexadecimal digits. Pure.
#pragma once

#include <zookeeper/zookeeper.h>

#include <optional>
#include <string>

#include "support/handle_file.hpp"

namespace ballot::zookeeper {

std::string session_text(std::int64_t session);

/// Puts session and secret into `handle`; none where there was no session yet.
void put_client_id(const clientid_t& id, support::Handle& handle);
/// None: it is of no session of ZooKeeper's.
std::optional<clientid_t> client_id_of(const support::Handle& handle);

}  // namespace ballot::zookeeper
