// What RequestDesk has done in the store: records created and removed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/record/standing_pause.hpp"
#include "core/request/request.hpp"
#include "core/store/store_client.hpp"

namespace ballot::core {

inline StoreClient::RecordOp removal(std::vector<std::string> names) {
  StoreClient::RecordOp op;
  op.removals = std::move(names);
  return op;
}

inline StoreClient::RecordOp creation(std::string name, std::string text) {
  StoreClient::RecordOp op;
  op.records.push_back({std::move(name), std::move(text)});
  return op;
}

/// Begins or ends the pause of all instances. One that stands already is as good, unless it is over by its own end.
inline StoreClient::RecordOp standing_pause_op(const Request& request, WallTime at) {
  if (request.kind == Request::Kind::resume) return removal({pause_record(request.job)});
  const StandingPause pause{request.id, at, request.by, request.terms};
  StoreClient::RecordOp begun = creation(pause_record(request.job), to_text(pause));
  if (!request.replaces_ended) return begun;
  StoreClient::RecordOp ended = removal({pause_record(request.job)});
  ended.next.push_back(std::move(begun));
  return ended;
}

/// What comes before that: an end is known until the next pause.
inline StoreClient::RecordOp pause_end_op(const Request& request, WallTime at) {
  if (request.kind == Request::Kind::pause) return removal({pause_end_record(request.job)});
  return creation(pause_end_record(request.job), to_text(PauseEnd{at, request.by}));
}

}  // namespace ballot::core
