#include "members.hpp"

#include <utility>

namespace ballot::zookeeper {

void Members::find(const std::string& node, Found found) {
  auto& waiting = asked_[node];
  waiting.push_back(std::move(found));
  if (waiting.size() > 1) return;
  const std::string path = context_.paths.member(node);
  context_.client.get(path, Watch::no, [this, node, path](const Reply& reply) {
    if (reply.rc != ZOK) return answer(node, reply.rc, {});
    context_.client.children(path, Watch::no, [this, node, record = parse_member(reply.value)](const Reply& all) {
      answer(node, all.rc, {record, all.names});
    });
  });
}

void Members::answer(const std::string& node, int rc, const QueueStore::Member& member) {
  const auto all = std::move(asked_[node]);
  asked_.erase(node);
  const bool nothing = rc == ZNONODE || rc == ZBADARGUMENTS;  // a name in the store may be anything
  for (const Found& one : all) one(nothing ? ZOK : rc, nothing ? QueueStore::Member() : member);
}

}  // namespace ballot::zookeeper
