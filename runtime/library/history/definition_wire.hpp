// Definitions that began, and filters of them, as they go over the control socket and between nodes: see
// ledger_wire.hpp.
//
// Pure. What is read may come from anybody: a value that is none of its type is an error.
//
//   message.set("definitions", std::vector{to_message(definition)});
#pragma once

#include <optional>

#include "ballot/error.hpp"
#include "io/message.hpp"
#include "storage/definition_query.hpp"

namespace ballot::library {

/// Without the anchors of `@every`, which only audits use.
io::Message to_message(const storage::BegunDefinition& definition);
Result<storage::BegunDefinition> definition_from(const io::Message& message);

io::Message to_message(const storage::DefinitionFilter& filter);
Result<storage::DefinitionFilter> definition_filter_from(const io::Message& message);

io::Message to_message(const storage::DefinitionPosition& position);
/// None: it is no position.
std::optional<storage::DefinitionPosition> definition_position_from(const io::Message& message);

}  // namespace ballot::library
