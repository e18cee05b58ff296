// The backfill of a job that goes on, as an answer shows it: `backfill`, a list of one object, or none of it. Whoever
// leads the job knows it from its core; of what another node leads the job's register in the store says it.
//
// Thread: the loop's.
//
//   with_backfill(node, "load", std::move(job), [reply](io::Message job) { reply.finish(job); });
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/views.hpp"
#include "io/message.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::library {

class Node;

/// Of a job that this node leads; none: no backfill of it goes on.
std::optional<BackfillPosition> position_of_backfill(const core::Views& views, const core::JobView& job);
/// In an answer that shows many jobs: `backfill_begun` and `backfill_left`.
void set_position(io::Message& job, const BackfillPosition& position);
std::optional<BackfillPosition> position_in(const io::Message& job);
/// "backfill 12 of 24".
std::string text_of(const BackfillPosition& position);

/// `then` is called once, with the message and the backfill, where one goes on that is known here; within 2 s.
void with_backfill(Node& node, const std::string& job, io::Message told, std::function<void(io::Message)> then);

/// As people read it; "": the message has none.
std::string backfill_text(const io::Message& told);

}  // namespace ballot::library
