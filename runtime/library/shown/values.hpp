// What is shown of jobs, groups, runs, nodes and rows, in public form: the names and values of `--format json`, for the
// commands that print them and for the API. What is absent is null; times are RFC 3339 in UTC.
//
// Plain functions. What a daemon tells its own commands in other forms is not here: see history/ledger_wire.hpp.
//
//   const io::Message row = shown(ledger_row);  // {"run_id": ..., "job": "nightly-backup", "slot": ..., ...}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ballot/ledger.hpp"
#include "core/views.hpp"
#include "io/message.hpp"
#include "library/state_views.hpp"

namespace ballot::library {

io::Message shown(const Row& row);
io::Message shown(const TermRow& term);
io::Message shown(const RequestRow& request);
std::vector<io::Message> shown(const std::vector<Row>& rows);

io::Message shown(const core::RunView& run);
io::Message shown(const core::GroupView& group, const Leader& leader);
io::Message shown(const NodeStatus& status, const std::string& node, const std::string& backend);

/// A job as `node` knows it. Its state is null where only the node that leads it could say.
io::Message shown(const core::JobView& job, std::string_view node);

/// Leaves out the states of jobs which `node` cannot know, as it does not lead them.
void drop_unsure_states(std::vector<io::Message>& jobs, std::string_view node);
/// Sets the state of jobs that other nodes lead to what those say, or the store, by an answer of the ledger.
void set_states(std::vector<io::Message>& jobs, const io::Message& answer);

/// Null where it is "".
io::Message::Value word_or_null(std::string_view text);
io::Message::Value time_or_null(const std::optional<WallTime>& time);

}  // namespace ballot::library
