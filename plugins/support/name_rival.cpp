#include "support/name_rival.hpp"

#include <utility>

#include "support/member_name.hpp"

namespace ballot::support {

namespace {

constexpr int enough_renewals = 2, enough_reads = 2;

}  // namespace

NameRival::NameRival(const SessionRequest& self, std::string left_behind)
    : self_(self), left_behind_(std::move(left_behind)) {}

NameRival::Verdict NameRival::see(const MemberRecord& record, std::int64_t version) {
  const bool arrived = !seen_ || seen_->session != record.session;
  if (arrived) seen_ = Seen{record.session, version};
  if (std::exchange(seen_->version, version) != version) ++seen_->renewals;
  if (seen_->renewals >= enough_renewals && !is_self(record)) return Verdict::lives;
  if (++seen_->reads >= enough_reads && record.session == left_behind_) return Verdict::left_behind;
  return arrived ? Verdict::arrived : Verdict::waits;
}

bool NameRival::is_self(const MemberRecord& record) const {
  return record.pid == self_.pid && record.boot_id == self_.boot_id && record.machine_id == self_.machine_id;
}

std::string NameRival::waiting_text(const MemberRecord& record) const {
  const std::string whose =
      record.host.empty() ? "" : " (pid " + std::to_string(record.pid) + " on " + record.host + ")";
  return "an older session of node " + shown(self_.node) + " is still open" + whose +
         ": waiting for the store to end it";
}

}  // namespace ballot::support
