// The backfill of a job that goes on, as an answer shows it: `backfill`, a list of one object, or none of it. Whoever
// leads the job knows it from its core; of what another node leads the job's register in the store says it.
//
// Thread: the loop's.
//
//   with_backfill(node, "load", std::move(job), [reply](io::Message job) { reply.finish(job); });
#pragma once

#include <functional>
#include <string>

#include "io/message.hpp"

namespace ballot::library {

class Node;

/// `then` is called once, with the message and the backfill, where one goes on that is known here; within 2 s.
void with_backfill(Node& node, const std::string& job, io::Message told, std::function<void(io::Message)> then);

/// As people read it; "": the message has none.
std::string backfill_text(const io::Message& told);

}  // namespace ballot::library
