#include "http/places.hpp"

#include <tuple>
#include <utility>

namespace ballot::web {

void Places::add(Number connection, std::string address) {
  connections_[connection] = {std::move(address), false, true, ++now_};
}

void Places::remove(Number connection) { connections_.erase(connection); }

void Places::waits(Number connection, bool has_role) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  found->second.has_role = has_role;
  found->second.waits = true;
  found->second.since = ++now_;
}

void Places::is_answered(Number connection) {
  const auto found = connections_.find(connection);
  if (found != connections_.end()) found->second.waits = false;
}

std::optional<Places::Number> Places::weakest() const {
  std::map<std::string_view, std::size_t> of_address;
  for (const auto& [number, one] : connections_)
    if (one.waits && !one.has_role) ++of_address[one.address];
  std::optional<Number> weakest;
  std::tuple<bool, std::size_t, std::uint64_t> best;  // the larger, the sooner it gives way
  for (const auto& [number, one] : connections_) {
    if (!one.waits) continue;
    const std::tuple rank{!one.has_role, one.has_role ? std::size_t{0} : of_address[one.address], ~one.since};
    if (!weakest || rank > best) weakest = number, best = rank;
  }
  return weakest;
}

bool Places::Shared::take(const io::Asker& asker, std::size_t most, std::size_t kept) {
  const bool is_viewer = asker.role < io::Role::operator_;
  if (all_ >= most || (is_viewer && of_viewers_ + kept >= most)) return false;
  ++all_;
  if (is_viewer) ++of_viewers_;
  return true;
}

void Places::Shared::give_back(const io::Asker& asker) {
  --all_;
  if (asker.role < io::Role::operator_) --of_viewers_;
}

Places::Admission Places::begin_request(const io::Asker& asker, bool is_known) {
  if (!is_known && of_unknown_ >= limits_.requests / 2) return Admission::too_many;
  const std::size_t most = asker.is_own ? limits_.requests / 2 : limits_.requests_of_asker;
  const auto found = answered_.find(asker.key);
  if (found != answered_.end() && found->second.requests >= most) return Admission::too_many_of_asker;
  if (!requests_.take(asker, limits_.requests, limits_.kept_for_operators)) return Admission::too_many;
  Answered& of_asker = answered_[asker.key];
  of_asker.is_known = is_known;
  ++of_asker.requests;
  if (!is_known) ++of_unknown_;
  return Admission::begun;
}

void Places::end_request(const io::Asker& asker) {
  const auto found = answered_.find(asker.key);
  if (found == answered_.end()) return;
  requests_.give_back(asker);
  if (!found->second.is_known) --of_unknown_;
  if (--found->second.requests == 0) answered_.erase(found);
}

bool Places::begin_stream(const io::Asker& asker) {
  return streams_.take(asker, limits_.streams, limits_.kept_for_operators);
}

void Places::end_stream(const io::Asker& asker) { streams_.give_back(asker); }

}  // namespace ballot::web
