#include "support/member.hpp"

#include "support/member_name.hpp"

namespace ballot::support {

MemberRecord member_of(const SessionRequest& request) {
  MemberRecord member;
  member.node = request.node;
  member.machine_id = request.machine_id;
  member.boot_id = request.boot_id;
  member.host = request.host;
  member.version = request.version;
  member.control = request.control;
  member.pid = request.pid;
  return member;
}

void describe(const MemberRecord& member, Candidate& candidate) {
  candidate.node = shown(member.node);
  candidate.machine_id = member.machine_id;
  candidate.boot_id = member.boot_id;
  candidate.host = member.host;
  candidate.version = member.version;
  candidate.control = member.control;
  candidate.pid = member.pid;
  candidate.timeout = member.timeout;
  candidate.last_seen = member.renewed;
}

}  // namespace ballot::support
