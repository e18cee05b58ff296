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

Places::Admission Places::begin_request(const io::Asker& asker, bool is_known) {
  const std::size_t most = asker.is_own ? limits_.requests / 2 : limits_.requests_of_asker;
  if (answered_in_all_ >= limits_.requests) return Admission::too_many;
  if (!is_known && of_unknown_ >= limits_.requests / 2) return Admission::too_many;
  Answered& of_asker = answered_[asker.key];
  if (of_asker.requests >= most) return Admission::too_many_of_asker;
  of_asker.is_known = is_known;
  ++of_asker.requests;
  ++answered_in_all_;
  if (!is_known) ++of_unknown_;
  return Admission::begun;
}

void Places::end_request(const io::Asker& asker) {
  const auto found = answered_.find(asker.key);
  if (found == answered_.end()) return;
  --answered_in_all_;
  if (!found->second.is_known) --of_unknown_;
  if (--found->second.requests == 0) answered_.erase(found);
}

}  // namespace ballot::web
