#include "core/job/job_commands.hpp"

#include <utility>

namespace ballot::core {

void JobCommands::begin_term() {
  repair_.reset();
  read_first_.reset();
  unpause_until_.reset();
}

void JobCommands::clear() {
  begin_term();
  triggers_.clear();
  pauses_.clear();
}

void JobCommands::drop_trigger(const RunId& request) {
  erase_if(triggers_, [&](const Request& other) { return other.id == request; });
}

std::optional<WallTime> JobCommands::trigger_ends(WallTime now) const {
  if (triggers_.empty() || triggers_.front().until < now) return std::nullopt;
  return triggers_.front().until + Millis(1);
}

std::vector<Request> JobCommands::take_done(const std::function<bool(const Request&)>& is_done) {
  std::vector<Request> done;
  while (next_pause() && is_done(pauses_.front())) {
    done.push_back(pauses_.front());
    take_pause();
  }
  return done;
}

Request JobCommands::take_backfill() {
  Request request = pauses_.front();
  pauses_.erase(pauses_.begin());
  return request;
}

RunId JobCommands::take_pause() {
  const RunId request = pauses_.front().id;
  pauses_.erase(pauses_.begin());
  return request;
}

std::optional<JobCommands::ReadFirst> JobCommands::take_read_request() {
  const auto asked = std::exchange(read_first_, nullptr);
  return asked ? std::optional(*asked) : std::nullopt;
}

void JobCommands::repair_wrote(const Disposition& range) {
  if (repair_) repair_->wrote(range);
}

void JobCommands::repair_keeps(const std::vector<WallTime>& settled) {
  repair_->kept = settled.size();
  if (settled.empty()) return;
  repair_->kept_from = settled.front();
  repair_->kept_to = settled.back();
}

Repair JobCommands::take_repair() { return std::move(*std::exchange(repair_, nullptr)); }

std::vector<RunId> JobCommands::take_repair_requests() {
  std::vector<RunId> requests;
  if (repair_ && repair_->request) requests.push_back(*std::exchange(repair_->request, std::nullopt));
  if (const auto look = take_read_request()) requests.push_back(look->request.id);
  return requests;
}

std::vector<RunId> JobCommands::take_requests() {
  std::vector<RunId> requests;
  for (const Request& request : std::exchange(triggers_, {})) requests.push_back(request.id);
  for (const Request& request : std::exchange(pauses_, {})) requests.push_back(request.id);
  return requests;
}

}  // namespace ballot::core
