// Requests of people, and filters of them, as they go over the control socket and between nodes: see ledger_wire.hpp.
//
// Pure. What is read may come from anybody: a value that is none of its type is an error.
//
//   message.set("requests", to_messages(requests));
#pragma once

#include <vector>

#include "ballot/error.hpp"
#include "ballot/ledger.hpp"
#include "io/message.hpp"
#include "storage/filter.hpp"

namespace ballot::library {

io::Message to_message(const RequestRow& request);
Result<RequestRow> request_from(const io::Message& message);

io::Message to_message(const storage::RequestFilter& filter);
Result<storage::RequestFilter> request_filter_from(const io::Message& message);

io::Message to_message(const storage::RequestPosition& position);
/// None: it is no position.
std::optional<storage::RequestPosition> request_position_from(const io::Message& message);

}  // namespace ballot::library
