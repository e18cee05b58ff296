#include "members.hpp"

#include <utility>

namespace ballot::zookeeper {

void Members::find(const std::string& node, Found found) {
  auto& waiting = asked_[node];
  waiting.push_back(std::move(found));
  if (waiting.size() > 1) return;
  link_.client.get(link_.paths.member(node), Watch::no, [this, node](const Reply& reply) {
    const auto all = std::move(asked_[node]);
    asked_.erase(node);
    const int rc = reply.rc == ZNONODE ? ZOK : reply.rc;
    const auto record = reply.rc == ZOK ? parse_member(reply.value) : std::nullopt;
    for (const Found& one : all) one(rc, record);
  });
}

}  // namespace ballot::zookeeper
